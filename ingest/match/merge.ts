/** Writes that two signals are one. */
import { randomUUID } from 'node:crypto';
import { retryConflicts } from '../../log/command-handler.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import { decideMerge, survivorOf } from './decide-merge.ts';
import { racedWith } from './match.ts';
import type { Tracker } from './tracker.ts';

/**
 * Merges two signals into one: the public one remains, of two alike the older. Written twice, it is written once.
 * @param cause the event that showed that they are one
 * @throws StreamContention when others keep writing to the two
 */
export async function mergeSignals(tracker: Tracker, one: string, other: string, cause: KnownEvent): Promise<void> {
  const olderId = tracker.window.older(one, other);
  const youngerId = olderId === one ? other : one;
  await retryConflicts(`the signals ${olderId} and ${youngerId}`, async () => {
    // Read afresh: what is known of them may be older than a hold or another merge.
    const older = await tracker.state(olderId, true);
    const younger = await tracker.state(youngerId, true);
    if (!older || !younger) return;
    const { survivor, merged } = survivorOf(older, younger);
    const events = decideMerge({ ...cause, time: tracker.now() }, survivor, merged, randomUUID());
    await tracker.append(survivor.id, events.survivor, survivor.revision);
    await tracker.append(merged.id, events.merged, merged.revision);
  });
}

/** So many of the newest signals are looked at when a matcher starts. */
const LATEST = 300;

/** Ends what a matcher left when it died between the detection of twins and the last event of their merge. */
export async function mergeLeftOver(tracker: Tracker): Promise<void> {
  for (const id of tracker.window.newest(LATEST)) {
    const signal = tracker.window.get(id);
    if (!signal || signal.resurfaced || tracker.window.resolve(id) !== id) continue;
    const near = (await Promise.all(signal.tellings.map((telling) => tracker.near(telling)))).flat();
    for (const twin of new Set(racedWith(signal, near))) {
      const cause = await tracker.detection(tracker.window.older(id, twin) === id ? twin : id);
      if (!cause) continue;
      const started = performance.now();
      await mergeSignals(tracker, id, twin, cause);
      eventHandled.tell({ handling: 'match', event: cause, started, outcome: 'merged' });
    }
  }
}
