/** What a rebuild does besides folding: it yields to readers, and creates indexes at the end. */
import { z } from 'zod';
import { pause } from '../../log/backoff.ts';
import { type Queryable, query, queryOne } from '../../log/postgres/database.ts';
import { STEPS } from '../model-builds.ts';

/** Milliseconds of work between two probes. */
const WORK_MILLISECONDS = 50;
/** Probes that are judged together, and those among which the shortest delay is found. */
const JUDGED = 10;
const REMEMBERED = 200;
/** Milliseconds that a tenth of the probes may be later than the shortest, before the rebuild does less; and more again. */
const LATE_MILLISECONDS = 1;
const PROMPT_MILLISECONDS = 0.4;
/** Steps from full speed to working half of the time. */
const STEPS_DOWN = 4;

/**
 * When the server answers, by its own clock: what a statement waits for on its way there and in the queue of the processors,
 * without what the answer waits for in this process. And whether other programs had statements just now.
 */
const PROBE = `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS answered, EXISTS (
  SELECT FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend'
     AND application_name <> current_setting('application_name')
     AND query_start > clock_timestamp() - interval '250 ms') AS reading`;
const Probe = z.object({ answered: z.number(), reading: z.boolean() });

/**
 * Lets readers go first: measures how long a statement waits before it is answered, and slows the rebuild down while that is
 * longer than without it and other programs use the database: it pauses, at most half of the time.
 */
export class ReaderYield {
  readonly #database: Queryable;
  readonly #delays: number[] = [];
  #workingSince = performance.now();
  #step = 0;
  #reading = false;

  /** @param database a pool with the application name of the rebuilding program, whose own statements do not count */
  constructor(database: Queryable) {
    this.#database = database;
  }

  /** Whether other programs use the database. */
  get hasReaders(): boolean {
    return this.#reading;
  }

  /**
   * Call between batches. Probes after 50 ms of work, and pauses as long as the last probes demand.
   */
  async afterBatch(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#workingSince < WORK_MILLISECONDS) return;
    await this.#probe();
    if (this.#step > 0) await pause((WORK_MILLISECONDS * this.#step) / STEPS_DOWN, signal);
    this.#workingSince = performance.now();
  }

  async #probe(): Promise<void> {
    const sent = performance.timeOrigin + performance.now();
    const probe = await queryOne(this.#database, PROBE, [], Probe);
    if (!probe) return;
    this.#reading = probe.reading;
    this.#delays.push(probe.answered - sent);
    if (this.#delays.length > REMEMBERED) this.#delays.shift();
    this.#step = stepAfter(this.#step, this.#delays, probe.reading);
  }
}

/**
 * How much less than at full speed a rebuild does next.
 * @param step what it does now: 0 for full speed, up to 4 with pauses for half of the time
 * @param delays of the last probes, the newest last; the clocks of both sides may differ by any constant
 * @param reading whether other programs use the database
 */
export function stepAfter(step: number, delays: readonly number[], reading: boolean): number {
  if (!reading) return 0;
  // All but one of the last: a single one may have met something else.
  const [, late = Number.NEGATIVE_INFINITY] = delays.slice(-JUDGED).toSorted((one, other) => other - one);
  const waited = late - Math.min(...delays);
  if (waited > LATE_MILLISECONDS) return Math.min(STEPS_DOWN, step + 1);
  return waited < PROMPT_MILLISECONDS ? Math.max(0, step - 1) : step;
}

const Step = z.object({ number: z.int(), statement: z.string() });

/**
 * Creates the indexes of a build that are still missing, each in one transaction. Each takes as long as
 * PostgreSQL needs for the table: it builds an index as a whole.
 * @param sessions connections that create indexes at the same time
 * @param between called between two statements
 */
export async function createIndexes(
  sessions: readonly Queryable[],
  build: string,
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  const [first] = sessions;
  if (!first) return;
  const missing = await query(
    first,
    `SELECT number, statement FROM ${build}.${STEPS} WHERE NOT is_done ORDER BY number`,
    [],
    Step,
  );
  await inParallel(sessions, missing, async (session, step) => {
    await createIndex(session, build, step);
    await between();
  });
}

/** Each connection takes the next thing when it has finished its own. @throws what the first failure was, when all ended */
export async function inParallel<Session, Thing>(
  sessions: readonly Session[],
  things: readonly Thing[],
  work: (session: Session, thing: Thing) => Promise<unknown>,
): Promise<void> {
  const waiting = things.values();
  const ended = await Promise.allSettled(
    sessions.map(async (session) => {
      for (const thing of waiting) await work(session, thing);
    }),
  );
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
}

async function createIndex(session: Queryable, build: string, step: z.infer<typeof Step>): Promise<void> {
  await session.query('BEGIN');
  await session.query(`SET LOCAL search_path TO ${build}`);
  await session.query(`SET LOCAL maintenance_work_mem = '256MB'`);
  // One processor for an index, so that readers have the others.
  await session.query('SET LOCAL max_parallel_maintenance_workers = 0');
  await session.query(step.statement);
  await session.query(`UPDATE ${STEPS} SET is_done = true WHERE number = $1`, [step.number]);
  await session.query('COMMIT');
}
