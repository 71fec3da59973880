/** Applies parked events again, with every row that they would have changed since. */
import { messageOf } from '../log/errors.ts';
import { type Queryable, transaction } from '../log/postgres/database.ts';
import { type Event, readEnvelope } from '../schemas/events.ts';
import { fold, isDataError, type Refused, readForModel } from './apply-page.ts';
import { history } from './log-pass.ts';
import {
  type Build,
  CheckpointConflict,
  checkpoint,
  createRegistry,
  liveBuild,
  lockBuild,
  STORE,
} from './model-builds.ts';
import { listParked, type Parked, park, unpark, updateParkedError } from './parked-events.ts';
import type { Model, Services } from './read-model.ts';
import { RebuildStopped } from './rebuild/rebuild-model.ts';
import { replay } from './rebuild/replay-model.ts';
import { loadRows, writeRows } from './row-storage.ts';

/** The connections between rows: an event that touches several rows, such as a merge, copies one into another. */
class RowLinks {
  readonly #neighbours = new Map<string, Set<string>>();

  /** Adds the keys of one event. */
  add(keys: readonly string[]): void {
    const [first, ...others] = keys;
    if (first === undefined) return;
    for (const other of others) {
      this.#of(first).add(other);
      this.#of(other).add(first);
    }
  }

  /** These keys and all keys that events connect to them, over any number of steps. */
  reach(keys: Iterable<string>): Set<string> {
    const reached = new Set(keys);
    // A set iterates in the order of insertion and includes keys that are added meanwhile.
    for (const key of reached) for (const next of this.#neighbours.get(key) ?? []) reached.add(next);
    return reached;
  }

  #of(key: string): Set<string> {
    const neighbours = this.#neighbours.get(key) ?? new Set<string>();
    this.#neighbours.set(key, neighbours);
    return neighbours;
  }
}

/**
 * Applies a parked event of a topic to the live rows, once: its entry is deleted in the same transaction. Models of topics
 * accept late events, because a topic has no order across keys.
 * @returns the number of rows changed
 * @throws the error of the model or the database; CheckpointConflict when the build was replaced
 */
async function applyLateEvent(
  { database }: Services,
  { model, build, entry }: { readonly model: Model; readonly build: Build; readonly entry: Parked },
): Promise<number> {
  return transaction(database, async (client) => {
    await lockBuild(client, build.name, entry.input);
    const still = await client.query(
      'SELECT 1 FROM projector.parked WHERE model = $1 AND event_id = $2 AND build = $3 FOR UPDATE',
      [model.name, entry.event_id, build.name],
    );
    if (still.rowCount !== 1) return 0;
    const { taken, refused } = readForModel(model, [readEnvelope(JSON.parse(entry.event))]);
    const rows = await loadRows(client, model, build.name, [...new Set(taken.flatMap(({ keys }) => keys))]);
    const folded = fold(model, taken, rows);
    const [problem] = [...refused, ...folded.refused];
    if (problem) throw problem.error;
    await writeRows(client, model, build.name, new Map([...folded.changed].map((key) => [key, rows.get(key) ?? null])));
    await unpark(client, model.name, [entry.event_id]);
    return folded.changed.size;
  });
}

// A late event of the store cannot simply be applied: later events of its stream are in the row already. So the rows that
// it touches, and the rows connected to them, are folded again from their first event, in the order of the store.

interface Refolded {
  /** Ids of the events that the rows contain now. */
  readonly taken: readonly string[];
  /** Those that the model still refuses. */
  readonly refused: readonly Refused[];
  /** Rows folded again, and the number of their events. */
  readonly rows: number;
  readonly events: number;
}

interface Refolding {
  readonly model: Model;
  /** The live build, of the model's own version. */
  readonly build: Build;
  /** The events to apply now. */
  readonly wanted: ReadonlySet<string>;
  /** Events to leave out: those that the live build refused and that are not retried. */
  readonly leftOut: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** Called with the positions of the store read so far, and of those to read; each is read twice. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

type Taken = ReturnType<typeof readForModel>['taken'];

/** The state of one refolding: the connections between rows, then the rows themselves. */
class RefoldedRows {
  readonly rows = new Map<string, unknown>();
  readonly refused: Refused[] = [];
  readonly met = new Set<string>();
  events = 0;
  readonly #about: Refolding;
  #component: ReadonlySet<string> = new Set();
  readonly #links = new RowLinks();
  readonly #seeds = new Set<string>();

  constructor(about: Refolding) {
    this.#about = about;
  }

  #read(events: readonly Event[]): { taken: Taken; refused: readonly Refused[] } {
    const { model, leftOut } = this.#about;
    return readForModel(
      model,
      events.filter(({ id }) => !leftOut.has(id)),
    );
  }

  /** Collects the connections between rows from a page. */
  link(events: readonly Event[]): void {
    for (const { event, keys } of this.#read(events).taken) {
      this.#links.add(keys);
      if (this.#about.wanted.has(event.id)) for (const key of keys) this.#seeds.add(key);
    }
  }

  /** Selects the rows to fold; to be called when all pages are linked. */
  choose(): void {
    this.#component = this.#links.reach(this.#seeds);
    for (const key of this.#component) this.rows.set(key, null);
  }

  /** Folds a page. */
  fold(events: readonly Event[]): void {
    const { model, wanted } = this.#about;
    const { taken, refused } = this.#read(events);
    const ours = taken.filter(({ keys }) => keys.some((key) => this.#component.has(key)));
    for (const { id } of events) if (wanted.has(id)) this.met.add(id);
    this.events += ours.length;
    this.refused.push(...refused.filter(({ event }) => wanted.has(event.id)), ...fold(model, ours, this.rows).refused);
  }

  /** Whether a page connects no further rows to the selected ones. */
  covers(events: readonly Event[]): boolean {
    return this.#read(events).taken.every(
      ({ keys }) => !keys.some((key) => this.#component.has(key)) || keys.every((key) => this.#component.has(key)),
    );
  }
}

/**
 * Folds the rows of the wanted events again and writes them over the live ones, at exactly the checkpoint that the live
 * build then has: no event is applied twice or left out while a projector continues.
 * @returns null when new events connect further rows, which needs another attempt
 * @throws the error of PostgreSQL for a row that no table accepts; CheckpointConflict when the build was replaced
 */
async function refold(services: Services, about: Refolding): Promise<Refolded | null> {
  const { database, store } = services;
  const { model, build, wanted, signal, onProgress } = about;
  const rows = new RefoldedRows(about);
  const upTo = await checkpoint(database, build.name, STORE);
  for (const [turn, take] of [rows.link.bind(rows), rows.fold.bind(rows)].entries()) {
    if (turn === 1) rows.choose();
    for await (const page of history(store, model.prefixes, 0n, upTo)) {
      signal.throwIfAborted();
      take(page.events);
      onProgress?.(Number(page.position) + turn * Number(upTo), 2 * Number(upTo));
    }
  }
  const written = await transaction(database, async (client) => {
    await lockBuild(client, build.name, STORE);
    const current = await checkpoint(client, build.name, STORE);
    for await (const page of history(store, model.prefixes, upTo, current)) {
      if (!rows.covers(page.events)) return false;
      rows.fold(page.events);
    }
    await writeRows(client, model, build.name, rows.rows);
    const refusedIds = new Set(rows.refused.map(({ event }) => event.id));
    await park(client, { model: model.name, build: build.name, input: STORE }, rows.refused);
    await unpark(
      client,
      model.name,
      [...rows.met].filter((id) => !refusedIds.has(id)),
    );
    return true;
  });
  if (!written) return null;
  const refusedIds = new Set(rows.refused.map(({ event }) => event.id));
  return {
    taken: [...rows.met].filter((id) => !refusedIds.has(id)),
    refused: rows.refused.filter(({ event }) => wanted.has(event.id)),
    rows: rows.rows.size,
    events: rows.events,
  };
}

/** The live rows have another version of the model than this program. */
export class OtherVersionLive extends Error {
  override name = 'OtherVersionLive';
}

/** The outcome of one event. */
export interface Retried {
  readonly model: string;
  readonly event_id: string;
  /** Null when the model contains it now. */
  readonly error: string | null;
  /**
   * `refolded`: its rows were folded again from their streams; `applied`: it was added to its row, which accepts late
   * events; `rebuilt`: the whole model was rebuilt; `begun again`: the rebuild that waits for it begins again; `indexed`: the
   * documents of its signals were written to the search index.
   */
  readonly way: 'refolded' | 'applied' | 'rebuilt' | 'begun again' | 'indexed';
  /** Rows that were written with it; null for a rebuild. */
  readonly rows: number | null;
}

interface RetryOptions extends Services {
  readonly model: Model;
  readonly entries: readonly Parked[];
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

const ATTEMPTS = 5;

/**
 * Retries parked events of one model. Afterwards each is in the live rows exactly once, in its order among later events, or
 * still parked with the newest error. A rebuild of another version that waits for it begins again.
 * @throws OtherVersionLive; the signal's reason when it aborts, with complete rows only
 */
export async function retryParked(options: RetryOptions): Promise<Retried[]> {
  const { model, entries, database } = options;
  await createRegistry(database);
  const live = await liveBuild(database, model.name);
  if (live?.version !== model.version && entries.every(({ stops }) => stops)) return release(database, model, entries);
  if (live?.version !== model.version)
    throw new OtherVersionLive(
      `the live rows of ${model.name} have version ${live?.version ?? 'none'}, and this program has ${model.version}: ` +
        `start a projector of this program, or run clarity replay ${model.name}, which applies parked events as well`,
    );
  if (model.topics.length === 0) return refoldAll(options, live, entries);
  const late = entries.filter(({ input, build }) => input !== STORE && build === live.name);
  const done: Retried[] = [];
  for (const entry of late) done.push(await addLate(options, live, entry));
  const rest = entries.filter((entry) => !late.includes(entry));
  return rest.length === 0 ? done : [...done, ...(await rebuildWith(options, rest))];
}

/** Forgets what a rebuild waits for: its projector begins again, and parks what it still refuses. */
async function release(database: Queryable, model: Model, entries: readonly Parked[]): Promise<Retried[]> {
  const ids = entries.map(({ event_id }) => event_id);
  await unpark(database, model.name, ids);
  return ids.map((event_id) => ({ model: model.name, event_id, way: 'begun again', error: null, rows: null }));
}

async function addLate(options: RetryOptions, build: Build, entry: Parked): Promise<Retried> {
  const { model, database } = options;
  const about = { model: model.name, event_id: entry.event_id, way: 'applied' } as const;
  try {
    return { ...about, error: null, rows: await applyLateEvent(options, { model, build, entry }) };
  } catch (error) {
    await updateParkedError(database, model.name, entry.event_id, messageOf(error));
    return { ...about, error: messageOf(error), rows: 0 };
  }
}

/** Retries all together; when a row fits no table, in halves, until the event that causes it is alone. */
async function refoldAll(options: RetryOptions, build: Build, entries: readonly Parked[]): Promise<Retried[]> {
  const { model, database } = options;
  const about = (event_id: string) => ({ model: model.name, event_id, way: 'refolded' as const });
  try {
    return await refoldOnce(options, build, entries);
  } catch (error) {
    if (!isDataError(error)) throw error;
    const [first] = entries;
    if (first && entries.length === 1) {
      await updateParkedError(database, model.name, first.event_id, error.message);
      return [{ ...about(first.event_id), error: error.message, rows: 0 }];
    }
    const middle = Math.ceil(entries.length / 2);
    return [
      ...(await refoldAll(options, build, entries.slice(0, middle))),
      ...(await refoldAll(options, build, entries.slice(middle))),
    ];
  }
}

async function refoldOnce(options: RetryOptions, build: Build, entries: readonly Parked[]): Promise<Retried[]> {
  const { model, database, signal, onProgress } = options;
  const wanted = new Set(entries.map(({ event_id }) => event_id));
  for (let attempt = 1; ; attempt++) {
    const parked = await listParked(database, model.name);
    // The live rows contain what the rebuild of another version waits for.
    const refused = parked.filter(({ event_id, stops }) => !stops && !wanted.has(event_id));
    const leftOut = new Set(refused.map(({ event_id }) => event_id));
    const about: Refolding = { model, build, wanted, leftOut, signal, onProgress };
    const done = await refold(options, about);
    if (!done && attempt < ATTEMPTS) continue;
    if (!done) throw new CheckpointConflict(build.name, STORE);
    const errors = new Map(done.refused.map(({ event, error }) => [event.id, error.message]));
    return [...wanted].map((event_id) => {
      const error = errors.get(event_id) ?? (done.taken.includes(event_id) ? null : EVENT_MISSING);
      return { model: model.name, event_id, way: 'refolded', error, rows: error ? 0 : done.rows };
    });
  }
}

const EVENT_MISSING = 'the event store no longer contains it, or the live rows have not reached it';

/** A row that topics feed as well cannot be folded again on its own: the whole model is rebuilt. */
async function rebuildWith(options: RetryOptions, entries: readonly Parked[]): Promise<Retried[]> {
  const { model, database, onProgress } = options;
  const ids = entries.map(({ event_id }) => event_id);
  const dropped = entries.filter(({ skipped }) => skipped).map(({ event_id }) => event_id);
  const skip = (skipped: boolean) =>
    database.query('UPDATE projector.parked SET skipped = $3 WHERE model = $1 AND event_id = ANY($2)', [
      model.name,
      dropped,
      skipped,
    ]);
  const outcome = (error: (id: string) => string | null): Retried[] =>
    ids.map((event_id) => ({ model: model.name, event_id, way: 'rebuilt', error: error(event_id), rows: null }));
  await skip(false);
  try {
    await replay({ ...options, onProgress: ({ done, total }) => onProgress?.(done, total) });
  } catch (error) {
    await skip(true);
    if (!(error instanceof RebuildStopped)) throw error;
    return outcome(() => error.message);
  }
  // Those that are refused again stay dropped.
  await skip(true);
  const left = new Map((await listParked(database, model.name)).map((entry) => [entry.event_id, entry.error]));
  return outcome((id) => left.get(id) ?? null);
}
