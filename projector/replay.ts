/** Builds a read model anew from its history, while readers go on reading the live one. */
import { createRegistry, STORE } from './builds/registry.ts';
import { openSession } from './builds/session.ts';
import type { Model } from './model.ts';
import { catchUpAndPromote } from './rebuild/catch-up.ts';
import type { TopicReading } from './rebuild/coverage.ts';
import { readTopicsUntil } from './rebuild/read-topics.ts';
import { type OnProgress, type SharedRebuild, withRebuilt } from './rebuild/rebuild.ts';
import { compareBuilds, type Verification } from './replay/compare.ts';
import { liveSnapshot, type Snapshot } from './replay/snapshot.ts';
import type { Services } from './services.ts';

export type { OnProgress, Progress } from './rebuild/rebuild.ts';
export type { Difference, Verification } from './replay/compare.ts';

export interface ReplayOptions extends Services {
  readonly model: Model;
  /** Compares the rebuilt rows with the live ones as they stood at the same position. */
  readonly verify?: boolean;
  /** False leaves the live build in place and drops the new one: with `verify`, a check that changes nothing. */
  readonly swap?: boolean;
  readonly onProgress?: OnProgress;
  /** Set for a replay that reads the log together with others, as `rebuildTurns` runs them. */
  readonly shared?: SharedRebuild;
  /** Aborting drops what was built so far; the live build is never touched. */
  readonly signal: AbortSignal;
}

export interface Replayed {
  readonly model: string;
  readonly swapped: boolean;
  /** Null when not asked for, or when no build of this version was live to compare with. */
  readonly verification: Verification | null;
  /** What was read of each topic: for the comparison where there is one. Empty for a model of the event store alone. */
  readonly topics: readonly TopicReading[];
}

/**
 * Rebuilds a model beside the live build and swaps to it. A projector that runs meanwhile keeps the live build up to
 * date and goes on with the new one after the swap.
 * @throws RebuildStopped at an event that the model cannot take; TopicNotRead when a topic contains more than was read;
 *   the signal's reason when it aborts. Nothing is swapped then.
 */
export async function replay(options: ReplayOptions): Promise<Replayed> {
  const { model, verify = false, swap = true, onProgress, shared, signal, database } = options;
  await createRegistry(database);
  const snapshot = verify ? await liveSnapshot(database, model) : null;
  try {
    const target = snapshot ? await reachable(options, snapshot.checkpoints.get(STORE) ?? 0n) : undefined;
    const rebuild = {
      signal,
      ...(onProgress && { onProgress }),
      ...(shared && { shared }),
      ...(target !== undefined && { target }),
    };
    return await withRebuilt(options, model, rebuild, async (build) => {
      let verification: Verification | null = null;
      let topics: readonly TopicReading[] = [];
      if (snapshot) {
        topics = await readTopicsUntil(options, model, build, snapshot.checkpoints, signal);
        signal.throwIfAborted();
        verification = await verifyBuild(options, snapshot, build.name);
        await snapshot.close();
      }
      if (swap) {
        const readToEnd = await catchUpAndPromote(options, model, build, signal);
        if (!snapshot) topics = readToEnd;
      }
      return { model: model.name, swapped: swap, verification, topics };
    });
  } finally {
    await snapshot?.close();
  }
}

/** A position up to which the store can be read: the live rows may be ahead of one that was restored to an earlier point. */
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
