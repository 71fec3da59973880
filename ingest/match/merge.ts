/** Writes that two signals are one. */
import { RevisionConflict } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import { decideMerge } from './decide.ts';
import { racedWith } from './match.ts';
import type { Tracker } from './tracker.ts';

const ATTEMPTS = 10;

/**
 * Merges the younger of two signals into the older. Written twice, it is written once.
 * @param cause the event that showed that they are one
 * @throws RevisionConflict when others keep writing to the two
 */
export async function mergeSignals(tracker: Tracker, one: string, other: string, cause: KnownEvent): Promise<void> {
  const olderId = tracker.window.older(one, other);
  const youngerId = olderId === one ? other : one;
  for (let attempt = 1; ; attempt++) {
    const older = await tracker.state(olderId, attempt > 1);
    const younger = await tracker.state(youngerId, attempt > 1);
    if (!older || !younger) return;
    const events = decideMerge(cause, older, younger);
    try {
      await tracker.append(olderId, events.older, older.revision);
      await tracker.append(youngerId, events.younger, younger.revision);
      return;
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt >= ATTEMPTS) throw error;
    }
  }
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
