/** Reading one's own writes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { checkpoint, liveBuild, STORE } from './builds/registry.ts';

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
export async function seeOwnWrite(
  database: Database,
  models: readonly string[],
  position: Position | null,
): Promise<void> {
  if (position === null) return;
  await Promise.all(models.map((model) => waitForPosition(database, model, position, OWN_WRITE_TIMEOUT)));
}
