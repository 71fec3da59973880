/** Replays a read model: rebuilds it from its history, catches up, verifies and swaps, while readers read the live one. */
import { pause } from '../../log/backoff.ts';
import { applyPage, logParked } from '../apply-page.ts';
import { withPositions } from '../follow-log.ts';
import { history, type SharedRebuild } from '../log-pass.ts';
import {
  type Build,
  checkpoint,
  createRegistry,
  dropUnusedBuilds,
  liveBuild,
  openSession,
  STORE,
} from '../model-builds.ts';
import { listParked } from '../parked-events.ts';
import { EMPTY, promote } from '../promote-build.ts';
import type { Model, Services } from '../read-model.ts';
import { findMismatch } from '../restored-log.ts';
import { compareBuilds, liveSnapshot, type Snapshot, type Verification } from './compare-builds.ts';
import { readTopicsToEnd, readTopicsUntil, type TopicReading } from './read-topics.ts';
import { type OnProgress, withRebuilt } from './rebuild-model.ts';

const RETRY_MILLISECONDS = 50;

/**
 * Catches up with new events, reads the topics to their ends, then swaps the readers' views.
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
    // A live build ahead of the store itself cannot be reached: the store was restored to an earlier point.
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

/** Events that arrive during a rebuild are treated as live ones: a refused one is parked. */
async function foldTail(
  services: Services,
  model: Model,
  build: Build,
  signal: AbortSignal,
  target?: bigint,
): Promise<void> {
  if (model.prefixes.length === 0) return;
  const { database, store } = services;
  let from = await checkpoint(database, build.name, STORE);
  for await (const page of history(store, model.prefixes, from, target ?? (await store.head()))) {
    signal.throwIfAborted();
    const placed = { input: STORE, from, events: withPositions(page.events), to: page.position, id: page.id };
    logParked(services, model, await applyPage(database, model, build, placed));
    from = page.position;
  }
}

export type { Progress } from '../model-progress.ts';
export type { Difference, Verification } from './compare-builds.ts';
export type { OnProgress } from './rebuild-model.ts';

interface ReplayOptions extends Services {
  readonly model: Model;
  /** Compares the rebuilt rows with the live ones at the same position. */
  readonly verify?: boolean;
  /** False keeps the live build and drops the new one: with `verify`, a check that changes nothing. */
  readonly swap?: boolean;
  readonly onProgress?: OnProgress;
  /** Set for a replay that reads the log together with others, as `rebuildGroups` runs them. */
  readonly shared?: SharedRebuild;
  /** Drops what an interrupted rebuild has committed, see `RebuildOptions`. */
  readonly anew?: boolean;
  /** After an abort the next rebuild continues with the new build; the live one is never changed. */
  readonly signal: AbortSignal;
}

export interface Replayed {
  readonly model: string;
  readonly swapped: boolean;
  /** Null without `verify`, or when no build of this version was live to compare with. */
  readonly verification: Verification | null;
  /** What was read of each topic; of the comparison where there is one. Empty for a model of the event store alone. */
  readonly topics: readonly TopicReading[];
  /** Ids of the events that the rebuild refused, as the live build did before. */
  readonly parked: readonly string[];
}

/**
 * Rebuilds a model next to the live build and swaps to it. A running projector keeps the live build up to date meanwhile
 * and continues with the new one after the swap.
 * @throws RebuildStopped at an event that the model cannot take; TopicNotRead when a topic contains more than was read;
 *   the signal's reason when it aborts. Nothing is swapped then.
 */
export async function replay(options: ReplayOptions): Promise<Replayed> {
  const { model, verify = false, swap = true, onProgress, shared, anew, signal, database } = options;
  await createRegistry(database);
  // Up to where the live rows are: the build must not be ahead of them when they are compared.
  const live = verify ? await liveBuild(database, model.name) : null;
  const isComparable = live?.version === model.version;
  const target = isComparable ? await reachable(options, await checkpoint(database, live.name, STORE)) : undefined;
  const rebuild = {
    signal,
    ...(onProgress && { onProgress }),
    ...(shared && { shared }),
    ...(anew !== undefined && { anew }),
    ...(target !== undefined && { target }),
  };
  return await withRebuilt(options, model, rebuild, async (build) => {
    const compared = isComparable ? await compareWithLive(options, build) : null;
    const readToEnd = swap ? await catchUpAndPromote(options, model, build, signal) : [];
    const { verification, topics } = compared ?? { verification: null, topics: readToEnd };
    const entries = await listParked(database, model.name);
    const parked = entries
      .filter((entry) => entry.build === build.name && !entry.skipped)
      .map(({ event_id }) => event_id);
    return { model: model.name, swapped: swap, verification, topics, parked };
  });
}

/**
 * Compares the rebuilt rows with the live ones of one moment. The snapshot lasts for the events since the rebuild began,
 * the topics and the comparison, which have no bound; the rebuild itself is done before.
 * @returns null when no build of this version is live any more
 */
async function compareWithLive(
  options: ReplayOptions,
  build: Build,
): Promise<{ verification: Verification; topics: readonly TopicReading[] } | null> {
  const { model, signal, database } = options;
  // Most of what was appended meanwhile is folded before the snapshot.
  const live = await liveBuild(database, model.name);
  if (live)
    await foldTail(
      options,
      model,
      build,
      signal,
      await reachable(options, await checkpoint(database, live.name, STORE)),
    );
  const snapshot = await liveSnapshot(database, model);
  if (!snapshot) return null;
  try {
    await foldTail(options, model, build, signal, await reachable(options, snapshot.checkpoints.get(STORE) ?? 0n));
    const topics = await readTopicsUntil(options, model, build, snapshot.checkpoints, signal);
    signal.throwIfAborted();
    return { verification: await verifyBuild(options, snapshot, build.name), topics };
  } finally {
    await snapshot.close();
  }
}

/** The position up to which the store can be read: live rows may be ahead of a store that was restored to an earlier point. */
async function reachable({ store }: ReplayOptions, position: bigint): Promise<bigint> {
  const head = await store.head();
  return position < head ? position : head;
}

async function verifyBuild({ database, model }: ReplayOptions, live: Snapshot, build: string): Promise<Verification> {
  const session = await openSession(database);
  try {
    return await compareBuilds(model, { client: live.session, build: live.build.name }, { client: session, build });
  } finally {
    await session.end();
  }
}
