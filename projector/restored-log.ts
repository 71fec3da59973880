/**
 * Detects that a log or a read model was restored to an earlier point, so that they no longer share one history. A model
 * that continued would silently leave out every event up to its checkpoint, or every message up to the offset of its group.
 */
import { z } from 'zod';
import { pause } from '../log/backoff.ts';
import { query } from '../log/postgres/database.ts';
import { type Build, CheckpointConflict, groupOf, liveBuild, partitionInput, STORE } from './model-builds.ts';
import type { Model, Services } from './read-model.ts';

/** Checks that have to agree, and the most milliseconds between them: a node of a cluster may be behind for a moment. */
const CHECKS = 3;
const BETWEEN_CHECKS = 1_000;
/** Milliseconds from one check of a live build to the next. */
export const CHECK_MILLISECONDS = 15_000;

/** A contradiction between log and read model. Positions and offsets are text, for a log line. */
export interface Mismatch {
  /** `store`, or a topic and partition such as `polls/3`. */
  readonly input: string;
  /** The checkpoint of the read model, and the end of the log or the offset of the consumer group. */
  readonly checkpoint: string;
  readonly log: string;
  readonly reason:
    | 'the log ends before the checkpoint'
    | 'the log has another event at the checkpoint'
    | 'the consumer group is ahead of the checkpoint';
}

/** A live build and its log no longer share one history: the model has to be rebuilt. */
export class LogRestored extends Error {
  override name = 'LogRestored';
  readonly mismatch: Mismatch;
  constructor(build: string, mismatch: Mismatch) {
    super(`${build} and its log are of different histories: ${mismatch.reason} of ${mismatch.input}`);
    this.mismatch = mismatch;
  }
}

async function compare({ database, store, topics }: Services, model: Model, build: Build): Promise<Mismatch | null> {
  // Read before the checkpoints: a group commits an offset after the checkpoint of the build moved past it.
  const groups = await Promise.all(
    model.topics.map(async (name) => ({ name, progress: await topics.topic(name).progress(groupOf(build)) })),
  );
  const rows = await query(
    database,
    `SELECT c.input, c.position, c.record_id FROM projector.builds b LEFT JOIN projector.checkpoints c ON c.build = b.name
     WHERE b.name = $1 AND b.state = 'live'`,
    [build.name],
    z.object({ input: z.string().nullable(), position: z.bigint().nullable(), record_id: z.string().nullable() }),
  );
  // Replaced meanwhile, and perhaps dropped with its checkpoints: its group says nothing about the log then.
  if (rows.length === 0) return null;
  const checkpoints = new Map(rows.map(({ input, position }) => [input, position ?? 0n]));
  // The ends are read after them: a log only grows.
  const read = checkpoints.get(STORE) ?? 0n;
  if (read > 0n) {
    const head = await store.head();
    if (head < read) return mismatchOf(STORE, read, head, 'the log ends before the checkpoint');
    const id = rows.find(({ input }) => input === STORE)?.record_id ?? null;
    if (!(await store.has(read, id)))
      return mismatchOf(STORE, read, head, 'the log has another event at the checkpoint');
  }
  for (const { name, progress } of groups)
    for (const { partition, first, end } of await topics.topic(name).ranges()) {
      const input = partitionInput(name, partition);
      const checkpoint = checkpoints.get(input) ?? 0n;
      if (end < checkpoint) return mismatchOf(input, checkpoint, end, 'the log ends before the checkpoint');
      const next = progress.find((one) => one.partition === partition)?.next ?? 0n;
      // A group at the oldest message was only overtaken by retention.
      if (next > checkpoint && next > first)
        return mismatchOf(input, checkpoint, next, 'the consumer group is ahead of the checkpoint');
    }
  return null;
}

const mismatchOf = (input: string, checkpoint: bigint, log: bigint, reason: Mismatch['reason']): Mismatch => ({
  input,
  checkpoint: String(checkpoint),
  log: String(log),
  reason,
});

/**
 * @param between milliseconds between the checks that have to agree
 * @returns the contradiction, when several checks in a row agree on it
 */
export async function findMismatch(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
  between = BETWEEN_CHECKS,
): Promise<Mismatch | null> {
  for (let checks = 1; ; checks++) {
    const mismatch = await compare(services, model, build);
    if (!mismatch || signal.aborted) return null;
    if (checks === CHECKS) return mismatch;
    await pause(between, signal);
  }
}

/**
 * Checks a live build now and at intervals, until the signal aborts.
 * @param every milliseconds from one check to the next
 * @param checked called after each check that found nothing
 * @throws LogRestored; CheckpointConflict when another build is live, which a model with quiet topics would not notice
 *   otherwise
 */
export async function watchLog(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
  every: number,
  checked: () => void = () => undefined,
): Promise<void> {
  while (!signal.aborted) {
    let next = Math.min(every, BETWEEN_CHECKS);
    try {
      if ((await liveBuild(services.database, model.name))?.name !== build.name)
        throw new CheckpointConflict(build.name, STORE);
      const mismatch = await findMismatch(services, model, build, signal, Math.min(every, BETWEEN_CHECKS));
      if (mismatch) throw new LogRestored(build.name, mismatch);
      checked();
      next = every;
    } catch (error) {
      if (error instanceof LogRestored || error instanceof CheckpointConflict) throw error;
      // The database or a log is unreachable: the followers of the log retry and report it.
    }
    await pause(next, signal);
  }
}
