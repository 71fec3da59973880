/** The projector process: keeps every model up to date until it is told to stop. */
import { backoff, pause } from '../log/backoff.ts';
import { logError } from '../log/errors.ts';
import { asOwner, type FollowOptions, follow } from './follow-log.ts';
import { CheckpointConflict, dropUnusedBuilds, liveBuild } from './model-builds.ts';
import { prepareReadModels } from './promote-build.ts';
import type { Model, Services } from './read-model.ts';
import { type OnProgress, type RebuildOptions, rebuildTurns, withRebuilt } from './rebuild/rebuild-model.ts';
import { catchUpAndPromote } from './rebuild/replay-model.ts';
import { LogRestored, type Mismatch } from './restored-log.ts';
import { PassGroups } from './shared-pass.ts';

export interface ProjectorOptions extends Omit<Services, 'clock'> {
  readonly models: readonly Model[];
  readonly signal: AbortSignal;
  readonly clock?: () => Date;
  readonly onProgress?: OnProgress;
  /** Milliseconds from one check that the log was not restored to the next; 15,000 when unset. */
  readonly checkLogEvery?: number;
}

const BOUNDS = { base: 100, maximum: 10_000 };
/** Work that lasted so long counts as a recovery: the next failure backs off from the beginning. */
const STEADY_MILLISECONDS = 30_000;

/**
 * Keeps the models' tables up to date and their views in the schema `read`. A model whose version changed is built
 * beside the one that readers see, then swapped. Survives restarts of the database; resolves when the signal aborts.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { models, signal, onProgress, checkLogEvery } = options;
  const services: Services = { ...options, clock: options.clock ?? (() => new Date()) };
  const runRebuild = rebuildTurns(services.store);
  // A store that hands out texts is read for each model by itself: that costs less than folding does.
  const catchUps = services.store.readTexts ? undefined : new PassGroups({ store: services.store });
  await again(services, 'all', signal, () => prepareReadModels(services.database, models));
  await Promise.all(
    models.map((model) => {
      let wasLive = false;
      return again(services, model.name, signal, () =>
        asOwner(services, model, signal, async (owned) => {
          for (let restored: Mismatch | null = null; !owned.aborted; ) {
            const live = await isLive(services, model);
            if (!live || restored) {
              // Two versions that each took the views from the other would do so for ever: who is replaced stays so.
              if (wasLive && !live) return standAside(services, model, owned);
              if (restored)
                services.logger.warn(
                  { model: model.name, ...restored },
                  'the log or this read model was restored to an earlier point; the read model is built anew',
                );
              await runRebuild(model, (shared) => {
                const options = { signal: owned, ...(onProgress && { onProgress }), ...(shared && { shared }) };
                return build(services, model, options);
              });
            }
            wasLive = true;
            restored = await followLive(services, model, owned, { checkEvery: checkLogEvery, catchUps });
          }
        }),
      );
    }),
  );
}

const isLive = async ({ database }: Services, model: Model): Promise<boolean> =>
  (await liveBuild(database, model.name))?.version === model.version;

async function build(services: Services, model: Model, options: RebuildOptions): Promise<void> {
  await withRebuilt(services, model, options, (made) => catchUpAndPromote(services, model, made, options.signal));
  services.logger.info({ model: model.name, version: model.version }, 'a read model was built and is live');
}

/**
 * Returns when the live build was replaced by somebody, such as a replay, or has to be.
 * @returns why it has to be built anew; null when it has not
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

async function standAside(services: Services, model: Model, signal: AbortSignal): Promise<void> {
  services.logger.warn(
    { model: model.name, version: model.version },
    'another version of this read model is live; standing by',
  );
  while (!signal.aborted && !(await isLive(services, model))) await pause(STEADY_MILLISECONDS / 10, signal);
}

/** Does work again after it fails, later and later. */
async function again(
  { logger }: Services,
  model: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return;
      if (performance.now() - started > STEADY_MILLISECONDS) attempt = 0;
      logError(logger, error, { model, attempt }, 'a read model stopped and will be tried again');
      await pause(backoff(attempt, BOUNDS, Math.random), signal);
    }
  }
}
