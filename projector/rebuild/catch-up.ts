/** Brings a new build to the present and makes it live. */
import { pause } from '../../log/backoff.ts';
import { EMPTY, promote } from '../builds/promote.ts';
import { type Build, checkpoint, liveBuild, STORE } from '../builds/registry.ts';
import { dropUnusedBuilds } from '../builds/tables.ts';
import { placeStored, tellParked } from '../live/follow.ts';
import { applyPage } from '../live/page.ts';
import { findMismatch } from '../live/restored-log.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';
import type { TopicReading } from './coverage.ts';
import { history } from './history.ts';
import { readTopicsToEnd } from './read-topics.ts';

const RETRY_MILLISECONDS = 50;

/**
 * Folds what came since; reads the topics to their ends; then swaps the readers' views.
 * @returns what was read of each topic
 * @throws TopicNotRead
 */
export async function catchUpAndPromote(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
): Promise<TopicReading[]> {
  const readings = await readTopicsToEnd(services, model, build, signal);
  for (let evenIfBehind = false; ; ) {
    signal.throwIfAborted();
    await foldTail(services, model, build, signal);
    const outcome = await promote(services.database, model, build, evenIfBehind);
    if (outcome === 'promoted') break;
    // A live build ahead of the store itself is never caught up with: the store was restored to an earlier point.
    if (outcome === 'behind') evenIfBehind = await isLiveBeyondStore(services, model, signal);
    await pause(RETRY_MILLISECONDS, signal);
  }
  await dropUnusedBuilds(services, model);
  return readings;
}

async function isLiveBeyondStore(services: Services, model: Model, signal: AbortSignal): Promise<boolean> {
  const live = await liveBuild(services.database, model.name);
  if (!live || live.version === EMPTY) return false;
  return (await findMismatch(services, model, live, signal))?.input === STORE;
}

/** What arrives during a rebuild is treated as live: an event that cannot be taken is parked. */
async function foldTail(services: Services, model: Model, build: Build, signal: AbortSignal): Promise<void> {
  if (model.prefixes.length === 0) return;
  const { database, store } = services;
  let from = await checkpoint(database, build.name, STORE);
  for await (const page of history(store, model.prefixes, from, await store.head())) {
    signal.throwIfAborted();
    const placed = { input: STORE, from, events: placeStored(page.events), to: page.position };
    tellParked(services, model, await applyPage(database, model, build, placed));
    from = page.position;
  }
}
