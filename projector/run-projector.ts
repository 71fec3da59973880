/** The projector process: keeps every read model up to date until its signal aborts. */
import { pause, RETRY, retry } from '../log/backoff.ts';
import { logError } from '../log/errors.ts';
import { type FollowOptions, follow, runAsOwner } from './follow-log.ts';
import { LiveFeed } from './live-feed.ts';
import { rebuildGroups } from './log-pass.ts';
import { CheckpointConflict, dropUnusedBuilds, liveBuild, versionPrefix } from './model-builds.ts';
import { isStopped } from './parked-events.ts';
import { prepareReadModels, promoteEmpty } from './promote-build.ts';
import type { Model, Services } from './read-model.ts';
import { type OnProgress, type RebuildOptions, withRebuilt } from './rebuild/rebuild-model.ts';
import { catchUpAndPromote } from './rebuild/replay-model.ts';
import { LogRestored, type Mismatch } from './restored-log.ts';

export interface ProjectorOptions extends Omit<Services, 'clock'> {
  readonly models: readonly Model[];
  readonly signal: AbortSignal;
  readonly clock?: () => Date;
  readonly onProgress?: OnProgress;
  /** Milliseconds from one check that the log was not restored to the next; 15,000 by default. */
  readonly checkLogEvery?: number;
}

/** Work that ran for this long counts as a recovery: the next pause is the shortest again. */
const STEADY_MILLISECONDS = 30_000;

/** Keeps the models' tables up to date, and rebuilds a model whose version changed next to the live one. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { models, signal, onProgress, checkLogEvery } = options;
  const services: Services = { ...options, clock: options.clock ?? (() => new Date()) };
  const runRebuild = rebuildGroups(services.store);
  const feed = new LiveFeed(
    services.store,
    models.flatMap(({ prefixes }) => prefixes),
  );
  await retryUntilAborted(services, 'all', signal, () => prepareReadModels(services.database, models));
  await Promise.all([
    ...models.map((model) => {
      let wasLive = false;
      return retryUntilAborted(services, model.name, signal, () =>
        runAsOwner(services, model, signal, async (owned) => {
          for (let restored: Mismatch | null = null; !owned.aborted; ) {
            const live = await isLive(services, model);
            if (!live || restored) {
              // A replaced version stays replaced; otherwise two versions would take the views from each other forever.
              if (wasLive && !live) return waitUntilLive(services, model, owned);
              if (restored)
                services.logger.warn(
                  { model: model.name, ...restored },
                  'the log or this read model was restored to an earlier point; rebuilding the read model',
                );
              if (
                !restored &&
                (await hasNothingToRead(services, model)) &&
                (await promoteEmpty(services.database, model))
              ) {
                services.logger.info({ model: model.name, version: model.version }, 'a read model is live, empty');
                continue;
              }
              // What an interrupted rebuild has read of a log that was restored is of another history.
              const anew = restored !== null;
              await waitWhileStopped(services, model, owned);
              if (owned.aborted) return;
              await runRebuild(model, (shared) => {
                const options = { signal: owned, ...(onProgress && { onProgress }), shared, anew };
                return build(services, model, options);
              });
            }
            wasLive = true;
            restored = await followLive(services, model, owned, { checkEvery: checkLogEvery, feed });
          }
        }),
      );
    }),
  ]);
}

const isLive = async ({ database }: Services, model: Model): Promise<boolean> =>
  (await liveBuild(database, model.name))?.version === model.version;

/** Whether the logs have nothing for a model yet: its empty tables are up to date. */
async function hasNothingToRead({ store, topics }: Services, model: Model): Promise<boolean> {
  for (const name of model.topics) if ((await topics.topic(name).ranges()).some(({ end }) => end > 0n)) return false;
  if (model.prefixes.length === 0) return true;
  const head = await store.head();
  const { events, position } = await store.readAll({ after: 0n, prefixes: model.prefixes, limit: 1 });
  return events.length === 0 && position >= head;
}

async function build(services: Services, model: Model, options: RebuildOptions): Promise<void> {
  await withRebuilt(services, model, options, (build) => catchUpAndPromote(services, model, build, options.signal));
  services.logger.info({ model: model.name, version: model.version }, 'a read model was rebuilt and is live');
}

/**
 * Returns when the live build was replaced, for example by a replay, or has to be.
 * @returns why it has to be rebuilt; null when it was replaced
 */
async function followLive(
  services: Services,
  model: Model,
  signal: AbortSignal,
  options: FollowOptions,
): Promise<Mismatch | null> {
  const live = await liveBuild(services.database, model.name);
  if (live?.version !== model.version) return null;
  await dropUnusedBuilds(services, model);
  try {
    await follow(services, model, live, signal, options);
  } catch (error) {
    if (error instanceof LogRestored) return error.mismatch;
    if (!(error instanceof CheckpointConflict)) throw error;
  }
  return null;
}

/** Waits while this version of a model cannot take an event: a rebuild would end at it again. */
async function waitWhileStopped(services: Services, model: Model, signal: AbortSignal): Promise<void> {
  const stopped = (): Promise<boolean> => isStopped(services.database, model.name, versionPrefix(model));
  if (!(await stopped())) return;
  services.logger.warn(
    { model: model.name, version: model.version },
    'the rebuild of a read model waits until the event that it refused is dropped or retried, or another release runs',
  );
  while (!signal.aborted && (await stopped())) await pause(STEADY_MILLISECONDS / 10, signal);
}

async function waitUntilLive(services: Services, model: Model, signal: AbortSignal): Promise<void> {
  services.logger.warn(
    { model: model.name, version: model.version },
    'another version of this read model is live; waiting as a standby',
  );
  while (!signal.aborted && !(await isLive(services, model))) await pause(STEADY_MILLISECONDS / 10, signal);
}

/** Retries work that fails, with growing pauses. */
async function retryUntilAborted(
  { logger }: Services,
  model: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await retry(work, {
      ...RETRY.message,
      signal,
      failed: (error, attempt) => logError(logger, error, { model, attempt }, 'a read model stopped; retrying'),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
