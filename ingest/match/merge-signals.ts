/** Merges signals that prove to be one event. */
import { randomUUID } from 'node:crypto';
import { retryConflicts } from '../../log/command-handler.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { decideMerge, survivorOf } from '../../signal/merge-decisions.ts';
import { findDetectedTwice, findDuplicates, type NearSignal } from './match-story.ts';
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

/** Merges a signal with others of its event; the younger one shows that they are one. */
async function mergeAll(tracker: Tracker, id: SignalId, others: ReadonlySet<SignalId>): Promise<void> {
  for (const other of others) {
    const cause = await tracker.detection(tracker.window.older(id, other) === id ? other : id);
    if (!cause) continue;
    const started = performance.now();
    await mergeSignals(tracker, id, other, cause);
    eventHandled.emit({ handling: 'match', event: cause, started, outcome: 'merged' });
  }
}

/** A signal of the window that can be merged: neither old news nor merged already. */
function mergeable(tracker: Tracker, id: SignalId): NearSignal | null {
  const signal = tracker.window.get(id);
  return signal && !signal.resurfaced && tracker.window.resolve(id) === id ? signal : null;
}

/** Merges a signal with all that its first report is a report of: another writer detected it at the same time as one of them. */
export async function mergeDuplicatesOf(tracker: Tracker, id: SignalId): Promise<void> {
  const signal = mergeable(tracker, id);
  const [first] = signal?.reports ?? [];
  if (!signal || !first || first.digest) return;
  const duplicates = findDuplicates({ ...signal, reports: [first] }, await tracker.near(first));
  await mergeAll(tracker, id, new Set(duplicates));
}

/** The number of newest signals that a matcher checks when it starts. */
const LATEST = 300;

/** Completes the merges that a matcher left when it died after another writer had detected a duplicate. */
export async function completeMerges(tracker: Tracker): Promise<void> {
  for (const id of tracker.window.newest(LATEST)) {
    const signal = mergeable(tracker, id);
    if (!signal) continue;
    const near = (await Promise.all(signal.reports.map((report) => tracker.near(report)))).flat();
    await mergeAll(tracker, id, new Set(findDetectedTwice(signal, near)));
  }
}
