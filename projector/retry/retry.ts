/** Has a model take events now that it could not take when they came. */
import { type Build, CheckpointConflict, createRegistry, liveBuild, STORE } from '../builds/registry.ts';
import { isDataError } from '../live/page.ts';
import type { Model } from '../model.ts';
import { listParked, type Parked } from '../parked.ts';
import { RebuildStopped } from '../rebuild/rebuild.ts';
import { replay } from '../replay.ts';
import type { Services } from '../services.ts';
import { applyLate } from './late.ts';
import { type Refolding, refold, tellWhy } from './refold.ts';

/** The live rows are of another version of the model than this program's. */
export class OtherVersionLive extends Error {
  override name = 'OtherVersionLive';
}

/** What became of one event. */
export interface Retried {
  readonly model: string;
  readonly event_id: string;
  /** Null when the model has it now. */
  readonly error: string | null;
  /**
   * `refolded`: its rows were folded anew from their streams; `applied`: it was added to its row, which bears late
   * ones; `rebuilt`: the whole model was built anew.
   */
  readonly way: 'refolded' | 'applied' | 'rebuilt';
  /** Rows that were written with it; null for a model that was built anew. */
  readonly rows: number | null;
}

export interface RetryOptions extends Services {
  readonly model: Model;
  readonly entries: readonly Parked[];
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

const ATTEMPTS = 5;

/**
 * Retries parked events of one model. Each is in the live rows exactly once afterwards, in its place among the events
 * that came since, or still parked with the newest error.
 * @throws OtherVersionLive; the signal's reason when it aborts, with nothing half done
 */
export async function retryParked(options: RetryOptions): Promise<Retried[]> {
  const { model, entries, database } = options;
  await createRegistry(database);
  const live = await liveBuild(database, model.name);
  if (live?.version !== model.version)
    throw new OtherVersionLive(
      `the live rows of ${model.name} are of version ${live?.version ?? 'none'}, this program makes ${model.version}: ` +
        `start a projector of this program, or run clarity replay ${model.name}, which takes parked events in as well`,
    );
  if (model.topics.length === 0) return refoldAll(options, live, entries);
  const late = entries.filter(({ input, build }) => input !== STORE && build === live.name);
  const done: Retried[] = [];
  for (const entry of late) done.push(await addLate(options, live, entry));
  const rest = entries.filter((entry) => !late.includes(entry));
  return rest.length === 0 ? done : [...done, ...(await rebuildWith(options, rest))];
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function addLate(options: RetryOptions, build: Build, entry: Parked): Promise<Retried> {
  const { model, database } = options;
  const about = { model: model.name, event_id: entry.event_id, way: 'applied' } as const;
  try {
    return { ...about, error: null, rows: await applyLate(options, { model, build, entry }) };
  } catch (error) {
    await tellWhy(database, model.name, entry.event_id, messageOf(error));
    return { ...about, error: messageOf(error), rows: 0 };
  }
}

/** All at once; when a row that comes of it fits no table, in halves, until the event that is to blame stands alone. */
async function refoldAll(options: RetryOptions, build: Build, entries: readonly Parked[]): Promise<Retried[]> {
  const { model, database } = options;
  const about = (event_id: string) => ({ model: model.name, event_id, way: 'refolded' as const });
  try {
    return await refoldOnce(options, build, entries);
  } catch (error) {
    if (!isDataError(error)) throw error;
    const [first] = entries;
    if (first && entries.length === 1) {
      await tellWhy(database, model.name, first.event_id, error.message);
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
    const leftOut = new Set(parked.map(({ event_id }) => event_id).filter((id) => !wanted.has(id)));
    const about: Refolding = { model, build, wanted, leftOut, signal, onProgress };
    const done = await refold(options, about);
    if (!done && attempt < ATTEMPTS) continue;
    if (!done) throw new CheckpointConflict(build.name, STORE);
    const errors = new Map(done.refused.map(({ event, error }) => [event.id, error.message]));
    return [...wanted].map((event_id) => {
      const error = errors.get(event_id) ?? (done.taken.includes(event_id) ? null : GONE);
      return { model: model.name, event_id, way: 'refolded', error, rows: error ? 0 : done.rows };
    });
  }
}

const GONE = 'the event store no longer holds it, or the live rows have not come so far';

/** A row that is fed by topics too cannot be folded anew on its own: the whole model is. */
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
  const left = new Map((await listParked(database, model.name)).map((entry) => [entry.event_id, entry.error]));
  return outcome((id) => left.get(id) ?? null);
}
