/** How far read models are behind the logs, and waiting until they have reached a position. */

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Position } from '../log/event-store.ts';
import { type Database, type Queryable, query } from '../log/postgres/database.ts';
import type { PartitionProgress } from '../log/topic.ts';
import { checkpoint, groupOf, liveBuild, STORE } from './model-builds.ts';
import { EMPTY } from './promote-build.ts';
import type { Model, Services } from './read-model.ts';

export interface ModelStatus {
  readonly model: string;
  /** Of this program. */
  readonly version: string;
  /** The version that readers see; null before the first. */
  readonly live: string | null;
  /**
   * Positions of the event store: events in PostgreSQL, bytes in EventStoreDB. 0 for a model of topics alone; null while
   * the event store does not answer.
   */
  readonly lag: number | null;
  readonly groups: readonly ModelProgress[];
}

/** How far the live rows are in a topic. */
interface ModelProgress {
  readonly topic: string;
  /** `projector-` and the model: the same for every build of it. */
  readonly group: string;
  readonly progress: readonly PartitionProgress[];
}

/**
 * @param topics null while they do not answer: the model's groups are left out
 * @param head the store's last position, asked once for all models; null while the store does not answer
 */
export async function modelStatus(
  { database, topics }: Pick<Services, 'database'> & { readonly topics: Services['topics'] | null },
  { name, version, prefixes, topics: followed }: Model,
  head: bigint | null,
): Promise<ModelStatus> {
  const seen = await liveBuild(database, name);
  const live = seen?.version === EMPTY ? null : seen;
  const at = live && prefixes.length > 0 ? await checkpoint(database, live.name, STORE) : live ? head : 0n;
  const lag = head === null || at === null ? null : Math.max(0, Number(head - at));
  const groups =
    !live || !topics
      ? []
      : await Promise.all(
          followed.map(async (topic) => ({
            topic,
            group: `projector-${name}`,
            progress: await topics.topic(topic).progress(groupOf(live)),
          })),
        );
  return { model: name, version, live: live?.version ?? null, lag, groups };
}

const Count = z.object({ model: z.string(), events: z.int() });

/** How many events of each model are parked and wait for an operator; models without any are left out. */
export const countParked = (database: Queryable): Promise<z.infer<typeof Count>[]> =>
  query(
    database,
    'SELECT model, count(*)::int AS events FROM projector.parked WHERE NOT skipped GROUP BY model ORDER BY model',
    [],
    Count,
  );

const LOOK_MILLISECONDS = 15;

/**
 * Waits until readers of a model see everything up to a position of the event store.
 * @param timeout milliseconds; a position that is there already answers true even with 0
 * @returns false when the time is over first
 */
export async function waitForPosition(
  database: Database,
  model: string,
  position: Position,
  timeout: number,
): Promise<boolean> {
  const end = performance.now() + timeout;
  for (;;) {
    const live = await liveBuild(database, model);
    if (live && (await checkpoint(database, live.name, STORE)) >= position) return true;
    if (performance.now() >= end) return false;
    await sleep(LOOK_MILLISECONDS);
  }
}

/** The longest that a request waits for its own write, in milliseconds. */
const OWN_WRITE_TIMEOUT = 2_000;

/**
 * Lets a request see what it wrote: waits until the read models have it. When they lag behind the timeout, the answer is
 * what they contain by then.
 */
export async function waitForOwnWrite(
  database: Database,
  models: readonly string[],
  position: Position | null,
): Promise<void> {
  if (position === null) return;
  await Promise.all(models.map((model) => waitForPosition(database, model, position, OWN_WRITE_TIMEOUT)));
}
