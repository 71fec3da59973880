/** The indexes of a build, which a rebuild creates at the end. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { STEPS } from '../model-builds.ts';

const Step = z.object({ number: z.int(), statement: z.string() });

/**
 * Creates the indexes of a build that are still missing, each in one transaction. Each takes as long as
 * PostgreSQL needs for the table: it builds an index as a whole.
 * @param sessions connections that create indexes at the same time
 * @throws the signal's reason when it aborts between two statements
 */
export async function createIndexes(
  sessions: readonly Queryable[],
  build: string,
  signal?: AbortSignal,
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
    signal?.throwIfAborted();
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
