/** Merges signals that prove to be one event. */
import { randomUUID } from 'node:crypto';
import { retryConflicts } from '../../log/command-handler.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { decideMerge, survivorOf } from '../../signal/merge-decisions.ts';
import type { Tracker } from './signal-tracker.ts';

/**
 * Merges two signals into one: the public one remains, of two alike the older. Written twice, it is written once.
 * @param cause the event that showed that they are one
 * @throws StreamContention when others keep writing to the two
 */
export async function mergeSignals(tracker: Tracker, one: SignalId, other: SignalId, cause: KnownEvent): Promise<void> {
  const olderId = tracker.window.older(one, other);
  const youngerId = olderId === one ? other : one;
  await retryConflicts(`the signals ${olderId} and ${youngerId}`, async () => {
    // Read again: the cached states can be older than a hold or another merge.
    const older = await tracker.state(olderId, true);
    const younger = await tracker.state(youngerId, true);
    if (!older || !younger) return;
    const { survivor, merged } = survivorOf(older, younger);
    const events = decideMerge({ ...cause, time: tracker.now() }, survivor, merged, randomUUID());
    await tracker.append(survivor.id, events.survivor, survivor.revision);
    await tracker.append(merged.id, events.merged, merged.revision);
  });
}
