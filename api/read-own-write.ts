/** Lets a request see what it wrote: waits until the projector has it. */
import type { Position } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { waitForPosition } from '../projector/wait.ts';

/** A request waits no longer than this for its own write, in milliseconds. */
const PATIENCE = 2_000;

/** Waits for the read models named; when they lag, the answer is what they hold by then. */
export async function seeOwnWrite(
  database: Database,
  models: readonly string[],
  position: Position | null,
): Promise<void> {
  if (position === null) return;
  await Promise.all(models.map((model) => waitForPosition(database, model, position, PATIENCE)));
}
