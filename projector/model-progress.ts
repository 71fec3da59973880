/**
 * How far read models are behind the logs, how far their rebuilds are, waiting until they have reached a position, and
 * results that are kept until they reach the next.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type BatchOptions, batched } from '../log/batched-requests.ts';
import { logError, messageOf } from '../log/errors.ts';
import type { Position } from '../log/event-store.ts';
import { type Database, type Queryable, query } from '../log/postgres/database.ts';
import type { PartitionProgress } from '../log/topic.ts';
import { type Build, buildLock, checkpoint, groupOf, isHeld, liveBuild, STORE } from './model-builds.ts';
import { EMPTY } from './promote-build.ts';
import type { Model, Services } from './read-model.ts';

export interface ModelStatus {
  readonly model: string;
  /** Of this program. */
  readonly version: string;
  /** The version that readers see; null before the first. */
  readonly live: string | null;
  /**
   * Positions of the event store: events in PostgreSQL, bytes in EventStoreDB. 0 for a model of topics alone; null while
   * the event store does not answer.
   */
  readonly lag: number | null;
  /** Seconds since the model moved last, where the event store has had more for a minute; null where it has not. */
  readonly stopped_seconds: number | null;
  readonly groups: readonly ModelProgress[];
}

/** How far the live rows are in a topic. */
interface ModelProgress {
  readonly topic: string;
  /** `projector-` and the model: the same for every build of it. */
  readonly group: string;
  readonly progress: readonly PartitionProgress[];
}

/** Seconds after which a model that does not move counts as stopped: one that works moves within a second. */
const STOPPED = 60;

/**
 * The models whose live rows have not moved for a minute though the event store has had more for as long: seconds by name.
 * @param head the store's last position; null while it does not answer
 */
export async function stoppedModels(
  { database, store }: Pick<Services, 'database' | 'store'>,
  head: bigint | null,
): Promise<ReadonlyMap<string, number>> {
  if (head === null) return new Map();
  const behind = await query(
    database,
    `SELECT b.model, c.position, extract(epoch FROM now() - c.moved_at)::int AS seconds
     FROM projector.builds b JOIN projector.checkpoints c ON c.build = b.name
     WHERE b.state = 'live' AND c.input = $1 AND c.position < $2 AND c.moved_at < now() - make_interval(secs => $3)`,
    [STORE, head, STOPPED],
    z.object({ model: z.string(), position: z.bigint(), seconds: z.int() }),
  );
  const waits = await Promise.all(
    behind.map(async ({ model, position, seconds }) =>
      (await hasWaited(store, position)) ? [[model, seconds] as const] : [],
    ),
  );
  return new Map(waits.flat());
}

/** Whether the next event after a position is there for a minute, or the log has no such place: it was restored. */
async function hasWaited(store: Services['store'], position: bigint): Promise<boolean> {
  try {
    const [next] = (await store.readAll({ after: position, limit: 1 })).events;
    return next !== undefined && Date.now() - Date.parse(next.time) >= STOPPED * 1_000;
  } catch (error) {
    if (error instanceof Error && error.name === 'ForeignPosition') return true;
    throw error;
  }
}

/**
 * @param topics null while they do not answer: the model's groups are left out
 * @param head the store's last position, asked once for all models; null while the store does not answer
 */
export async function modelStatus(
  { database, topics }: Pick<Services, 'database'> & { readonly topics: Services['topics'] | null },
  { name, version, prefixes, topics: followed }: Model,
  head: bigint | null,
  stopped: ReadonlyMap<string, number>,
): Promise<ModelStatus> {
  const seen = await liveBuild(database, name);
  const live = seen?.version === EMPTY ? null : seen;
  const at = live && prefixes.length > 0 ? await checkpoint(database, live.name, STORE) : live ? head : 0n;
  const lag = head === null || at === null ? null : Math.max(0, Number(head - at));
  const groups =
    !live || !topics
      ? []
      : await Promise.all(
          followed.map(async (topic) => ({
            topic,
            group: `projector-${name}`,
            progress: await topics.topic(topic).progress(groupOf(live)),
          })),
        );
  return { model: name, version, live: live?.version ?? null, lag, stopped_seconds: stopped.get(name) ?? null, groups };
}

/** The name of the index of OpenSearch among the read models: of its builds, checkpoints and parked events. */
export const SEARCH_INDEX = 'search-index';

/** The same of the index of OpenSearch, whose version is decided by its process. */
export async function searchIndexStatus(
  database: Queryable,
  head: bigint | null,
  stopped: ReadonlyMap<string, number> = new Map(),
): Promise<ModelStatus> {
  const live = await liveBuild(database, SEARCH_INDEX);
  const at = live && (await checkpoint(database, live.name, STORE));
  const lag = head === null ? null : Math.max(0, Number(head - (at ?? 0n)));
  const stopped_seconds = stopped.get(SEARCH_INDEX) ?? null;
  return {
    model: SEARCH_INDEX,
    version: live?.version ?? '',
    live: live?.version ?? null,
    lag,
    stopped_seconds,
    groups: [],
  };
}

const Count = z.object({ model: z.string(), events: z.int() });

/** How many events of each model are parked and wait for an operator; models without any are left out. */
export const countParked = (database: Queryable): Promise<z.infer<typeof Count>[]> =>
  query(
    database,
    'SELECT model, count(*)::int AS events FROM projector.parked WHERE NOT skipped GROUP BY model ORDER BY model',
    [],
    Count,
  );

/** How far a rebuild is. Times in seconds. */
export interface Progress {
  readonly model: string;
  readonly phase: 'folding' | 'indexing';
  /** Positions of the event store read and to read; events of other models count, because they are read too. */
  readonly done: number;
  readonly total: number;
  /** Events of this model folded so far. */
  readonly events: number;
  readonly per_second: number;
  readonly seconds_left: number | null;
}

const Rebuild = z.object({
  model: z.string(),
  /** The process that runs it, such as `project`, `api` or `replay`. */
  process: z.string(),
  /** `interrupted`: its process ended without a word. `dropped`: it was only compared with the live rows. */
  state: z.enum(['running', 'interrupted', 'live', 'dropped', 'failed']),
  phase: z.enum(['folding', 'indexing', 'catching up']),
  /** Of the history that is folded, from 0 to 1. */
  share: z.number(),
  events: z.number(),
  per_second: z.number(),
  seconds_left: z.number().nullable(),
  started_at: z.date(),
  /** Its last report, which is repeated while it runs; seconds since then by the clock of the database. */
  silent_seconds: z.number(),
  ended_at: z.date().nullable(),
  error: z.string().nullable(),
});
/** The newest rebuild of a model, in whichever process. */
export type Rebuild = z.infer<typeof Rebuild>;

/** The lock of a build is held by its process: a lock that nobody holds is the sign of a process that died. */
const REBUILDS = `SELECT r.model, r.process, r.phase, r.share, r.events, r.per_second, r.seconds_left, r.started_at, r.ended_at, r.error,
    extract(epoch FROM now() - r.updated_at)::float8 AS silent_seconds,
    CASE WHEN r.error IS NOT NULL THEN 'failed'
      WHEN r.ended_at IS NOT NULL THEN CASE WHEN b.state = 'live' THEN 'live' ELSE 'dropped' END
      WHEN ${isHeld('$1 || r.build')} THEN 'running' ELSE 'interrupted' END AS state
  FROM projector.rebuilds r LEFT JOIN projector.builds b ON b.name = r.build ORDER BY r.model`;

/** The newest rebuild of each model that was ever rebuilt, by name. Needs the registry (`createRegistry`). */
export const latestRebuilds = (database: Queryable): Promise<Rebuild[]> =>
  query(database, REBUILDS, [buildLock('')], Rebuild);

/** Milliseconds between two reports of a rebuild. */
const REPORT_EVERY = 1_000;

/** Stores how far a rebuild is, so that every process can show it. */
export interface RebuildRecord {
  show(progress: Progress): void;
  /** The history is folded: what arrived meanwhile is read, and the rows are compared and swapped. */
  catchUp(): void;
  /** @param error null for success */
  end(error: unknown): Promise<void>;
}

/** Begins the record of a rebuild. Reports that fail are left out: the rebuild goes on. @param build whose lock is held */
export async function recordRebuild(
  { database, logger }: Pick<Services, 'database' | 'logger'>,
  { name, model }: Build,
): Promise<RebuildRecord> {
  let latest: readonly unknown[] = ['folding', 0, 0, 0, null];
  await database.query(
    `INSERT INTO projector.rebuilds AS r
       (model, build, process, phase, share, events, per_second, seconds_left, started_at, updated_at)
     VALUES ($1, $2, regexp_replace(current_setting('application_name'), '^clarity ', ''), $3, $4, $5, $6, $7, now(), now())
     ON CONFLICT (model) DO UPDATE SET (build, process, phase, share, events, per_second, seconds_left, started_at, updated_at,
       ended_at, error) = ROW(EXCLUDED.build, EXCLUDED.process, EXCLUDED.phase, EXCLUDED.share, EXCLUDED.events,
       EXCLUDED.per_second, EXCLUDED.seconds_left, EXCLUDED.started_at, EXCLUDED.updated_at, NULL, NULL)`,
    [model, name, ...latest],
  );
  const store = (ended = false, error: string | null = null): Promise<void> =>
    database
      .query(
        `UPDATE projector.rebuilds SET phase = $3, share = $4, events = $5, per_second = $6, seconds_left = $7,
           updated_at = now(), ended_at = CASE WHEN $8 THEN now() END, error = $9 WHERE model = $1 AND build = $2`,
        [model, name, ...latest, ended, error],
      )
      .then(
        () => undefined,
        (failure: unknown) => logError(logger, failure, { model }, 'the progress of a rebuild could not be stored'),
      );
  let writing: Promise<void> | null = null;
  const timer = setInterval(() => {
    writing ??= store().finally(() => {
      writing = null;
    });
  }, REPORT_EVERY).unref();
  return {
    show({ phase, done, total, events, per_second, seconds_left }) {
      latest = [phase, total > 0 ? Math.min(1, done / total) : 1, events, per_second, seconds_left];
    },
    catchUp() {
      latest = ['catching up', ...latest.slice(1)];
    },
    async end(error) {
      clearInterval(timer);
      await writing;
      await store(true, error === null ? null : messageOf(error));
    },
  };
}

const LOOK_MILLISECONDS = 15;

/**
 * Waits until readers of a model see everything up to a position of the event store.
 * @param timeout milliseconds; a position that is there already answers true even with 0
 * @returns false when the time is over first
 */
export async function waitForPosition(
  database: Database,
  model: string,
  position: Position,
  timeout: number,
): Promise<boolean> {
  const end = performance.now() + timeout;
  for (;;) {
    const live = await liveBuild(database, model);
    if (live && (await checkpoint(database, live.name, STORE)) >= position) return true;
    if (performance.now() >= end) return false;
    await sleep(LOOK_MILLISECONDS);
  }
}

/** The longest that a request waits for its own write, in milliseconds. */
const OWN_WRITE_TIMEOUT = 2_000;

/**
 * Lets a request see what it wrote: waits until the read models have it. When they lag behind the timeout, the answer is
 * what they contain by then.
 */
export async function waitForOwnWrite(
  database: Database,
  models: readonly string[],
  position: Position | null,
): Promise<void> {
  if (position === null) return;
  await Promise.all(models.map((model) => waitForPosition(database, model, position, OWN_WRITE_TIMEOUT)));
}

/**
 * What identifies the rows of some models: their live builds, how far each has read its inputs, and how many events are parked.
 * All three change in the transactions that change the rows.
 */
const STATE = {
  name: 'projector_state',
  text: `SELECT string_agg(part, ' ' ORDER BY part) AS state FROM (
    SELECT concat_ws(' ', b.name, c.input, c.position) AS part
      FROM projector.builds b LEFT JOIN projector.checkpoints c ON c.build = b.name
      WHERE b.model = ANY ($1::text[]) AND b.state = 'live'
    UNION ALL SELECT concat_ws(' ', model, count(*)) FROM projector.parked WHERE model = ANY ($1::text[]) GROUP BY model
  ) AS parts`,
  rowMode: 'array',
} as const;
const State = z.tuple([z.tuple([z.string().nullable()])]);

async function stateOf(database: Queryable, models: readonly string[]): Promise<string | null> {
  const [[state]] = State.parse((await database.query({ ...STATE, values: [models] })).rows);
  return state;
}

interface KeepOptions {
  /** The read models that the results are read from. */
  readonly models: readonly string[];
  /** Maximum of results that are kept. */
  readonly maximum: number;
  /** What else the results depend on, compared by identity. */
  readonly dependsOn?: () => unknown;
  /** Maximum keys of one call of `load`, and calls at the same time. */
  readonly batch?: BatchOptions;
}

/**
 * Keeps results as long as the rows that they were read from are unchanged. Before a kept result is given, the state of the
 * models is read, by one statement for all that wait; so nobody gets a result older than the request, whichever process
 * projects. Requests that wait at the same time are loaded together.
 * @param load reads on the connection that it is given, which may be that of a replica: the state is read there too, before
 *   the rows. Null is not kept
 */
export function keptWhileUnchanged<Value>(
  database: Database,
  load: (connection: Queryable, keys: readonly string[]) => Promise<readonly Value[]>,
  { models, maximum, dependsOn = () => null, batch }: KeepOptions,
): (key: string) => Promise<Value> {
  const kept = new Map<string, { readonly state: string | null; readonly dependsOn: unknown; readonly value: Value }>();
  // One at a time: what waits meanwhile shares the next, so that a process under load reads it less than once a request.
  const currentState = batched(async () => [await stateOf(database, models)], { concurrency: 1 });
  const loaded = batched(async (keys) => {
    const dependency = dependsOn();
    const connection = await database.connect();
    try {
      const state = await stateOf(connection, models);
      return (await load(connection, keys)).map((value) => ({ state, dependsOn: dependency, value }));
    } finally {
      connection.release();
    }
  }, batch);
  return async (key) => {
    const before = kept.get(key);
    if (before && before.state === (await currentState('')) && before.dependsOn === dependsOn()) return before.value;
    const result = await loaded(key);
    kept.delete(key);
    if (result.value === null) return result.value;
    if (kept.size >= maximum) kept.delete(kept.keys().next().value ?? '');
    kept.set(key, result);
    return result.value;
  };
}
