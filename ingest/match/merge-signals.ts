/** Merges signals that prove to be one event, also those that two matchers detected at the same time. */
import { randomUUID } from 'node:crypto';
import { retryConflicts } from '../../log/command-handler.ts';
import type { Position } from '../../log/event-store.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { eventHandled } from '../../schemas/observation.ts';
import { decideMerge, survivorOf } from '../../signal/merge-decisions.ts';
import { couldBeOneEvent, findDuplicates, findRaced } from './match-story.ts';
import type { Features } from './report-features.ts';
import type { Tracker } from './signal-tracker.ts';

// Writes that two signals are one.

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

// Races: two matchers that meet one event in two partitions at the same time each make a signal of it. Whoever writes
// the later report looks at what the other wrote meanwhile, before the offset of its story is committed; should it die
// before that, the story comes again and is looked at again. So each pair is looked at once, by one matcher.

/** A report that was written. */
export interface WrittenReport {
  /** The signal that tells it now. */
  readonly signal: string;
  readonly features: Features;
  /** Where the window stood when the story was decided: what lies behind that was not known. Null is as of `at`. */
  readonly after: Position | null;
  /** Its own position; null where it was written in an earlier life, and nobody knows what was known then. */
  readonly at: Position | null;
}

async function mergeRacesOf(tracker: Tracker, { signal, features, after }: WrittenReport): Promise<void> {
  const { window } = tracker;
  if (after !== null && tracker.others <= after) return;
  const id = window.resolve(signal);
  const own = window.get(id);
  if (!own || own.resurfaced) return;
  const written = { ...own, reports: [features] };
  // What others wrote behind a position is in the window: it leaves that only when it is long settled.
  const near = after === null ? await tracker.near(features) : window.near(features, Number(after));
  for (const twin of findDuplicates(written, near)) {
    const other = window.get(twin);
    if (!other || !couldBeOneEvent(own, other)) continue;
    const cause = await tracker.detection(window.older(id, twin) === id ? twin : id);
    if (cause) await mergeSignals(tracker, id, twin, cause);
  }
}

/** Merges what was written with what others wrote of the same events meanwhile, as far as the window stands. */
export async function mergeRaces(tracker: Tracker, written: readonly WrittenReport[]): Promise<void> {
  await tracker.settle();
  for (const one of written) await mergeRacesOf(tracker, one);
}

/**
 * Merges what was written with what others wrote of the same events, once all of that is known.
 * @param signal aborting ends the wait for it; then the stories are to come again
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
