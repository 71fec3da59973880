/** Merges signals that prove to be one event, also those that two matchers detected at the same time. */
import { randomUUID } from 'node:crypto';
import { retryConflicts } from '../../log/command-handler.ts';
import type { Position } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { decideMerge, survivorOf } from '../../signal/merge-decisions.ts';
import { findDuplicates, findRaced } from './match-story.ts';
import type { Features } from './report-features.ts';
import type { Tracker } from './signal-tracker.ts';

/**
 * Merges two signals into one: the public one remains, of two alike the older. Written twice, it is written once.
 * @param cause the event that showed that they are one
 * @throws StreamContention when others keep writing to the two
 */
export async function mergeSignals(tracker: Tracker, one: SignalId, other: SignalId, cause: KnownEvent): Promise<void> {
  await Promise.all([tracker.load(one), tracker.load(other)]);
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

/** The number of newest signals that a matcher checks when it starts. */
const LATEST = 300;

/** Completes the merges that a matcher left when it died after it had detected a duplicate. */
export async function completeMerges(tracker: Tracker): Promise<void> {
  for (const id of tracker.window.newest(LATEST)) {
    const signal = tracker.window.get(id);
    if (!signal || signal.resurfaced || tracker.window.resolve(id) !== id) continue;
    const near = (await Promise.all(signal.reports.map((report) => tracker.near(report)))).flat();
    for (const twin of new Set(findRaced(signal, near))) {
      const cause = await tracker.detection(tracker.window.older(id, twin) === id ? twin : id);
      if (!cause) continue;
      const started = performance.now();
      await mergeSignals(tracker, id, twin, cause);
      eventHandled.emit({ handling: 'match', event: cause, started, outcome: 'merged' });
    }
  }
}

// Races: two matchers that get reports of one event in two partitions at the same time each detect a signal. The one that
// writes the later report checks what the other wrote in between, before it commits the offset of its story. If it dies
// before that, the story is delivered and checked again. So each pair is checked once, by one matcher.

/** A report that was written. */
export interface WrittenReport {
  /** The signal that contains it now. */
  readonly signal: SignalId;
  readonly features: Features;
  /** The position of the window when the story was decided: what came after it was not known. Null is as of `at`. */
  readonly after: Position | null;
  /** Its own position; null where an earlier process wrote it, so that what was known then cannot be said. */
  readonly at: Position | null;
}

async function mergeRacesOf(tracker: Tracker, { signal, features, after }: WrittenReport): Promise<void> {
  const { window } = tracker;
  if (after !== null && tracker.others <= after) return;
  const id = window.resolve(signal);
  await tracker.load(id);
  const own = window.get(id);
  if (!own || own.resurfaced) return;
  const written = { ...own, reports: [features] };
  // What others wrote after a position is in the window: it is removed only long after.
  const near = after === null ? await tracker.near(features) : window.near(features, Number(after));
  for (const twin of findDuplicates(written, near)) {
    const cause = await tracker.detection(window.older(id, twin) === id ? twin : id);
    if (cause) await mergeSignals(tracker, id, twin, cause);
  }
}

/** Merges what was written with what others wrote of the same events, up to the position of the window. */
export async function mergeRaces(tracker: Tracker, written: readonly WrittenReport[]): Promise<void> {
  await Promise.all(written.map(({ features, after }) => tracker.meet(features, after)));
  for (const one of written) await mergeRacesOf(tracker, one);
}

/**
 * Merges what was written with what others wrote of the same events, when all of that is known.
 * @param signal aborting ends the wait; the stories have to be delivered again then
 * @throws its reason, or what the store throws
 */
export async function settleRaces(
  tracker: Tracker,
  written: readonly WrittenReport[],
  signal: AbortSignal,
): Promise<void> {
  if (written.some(({ at }) => at === null)) await tracker.catchUp();
  const last = written.reduce<Position>((latest, { at }) => (at !== null && at > latest ? at : latest), 0n);
  await tracker.reached(last, signal);
  await mergeRaces(tracker, written);
}
