/**
 * Races: two matchers that meet one event in two partitions at the same time each make a signal of it. Whoever writes
 * the later telling looks at what the other wrote meanwhile, before the offset of its story is committed; should it die
 * before that, the story comes again and is looked at again. So each pair is looked at once, by one matcher.
 */
import type { Position } from '../../log/event-store.ts';
import type { Features } from './features.ts';
import { couldBeOne, twinsOf } from './match.ts';
import { mergeSignals } from './merge.ts';
import type { Tracker } from './tracker.ts';

/** A telling that was written. */
export interface Written {
  /** The signal that tells it now. */
  readonly signal: string;
  readonly features: Features;
  /** Where the window stood when the story was decided: what lies behind that was not known. Null is as of `at`. */
  readonly after: Position | null;
  /** Its own position; null where it was written in an earlier life, and nobody knows what was known then. */
  readonly at: Position | null;
}

async function mergeRaced(tracker: Tracker, { signal, features, after }: Written): Promise<void> {
  const { window } = tracker;
  if (after !== null && tracker.others <= after) return;
  const id = window.resolve(signal);
  const own = window.get(id);
  if (!own || own.resurfaced) return;
  const written = { ...own, tellings: [features] };
  // What others wrote behind a position is in the window: it leaves that only when it is long settled.
  const near = after === null ? await tracker.near(features) : window.near(features, Number(after));
  for (const twin of twinsOf(written, near)) {
    const other = window.get(twin);
    if (!other || !couldBeOne(own, other)) continue;
    const cause = await tracker.detection(window.older(id, twin) === id ? twin : id);
    if (cause) await mergeSignals(tracker, id, twin, cause);
  }
}

/** Merges what was written with what others wrote of the same events meanwhile, as far as the window stands. */
export async function mergeRaces(tracker: Tracker, written: readonly Written[]): Promise<void> {
  await tracker.settle();
  for (const one of written) await mergeRaced(tracker, one);
}

/**
 * Merges what was written with what others wrote of the same events, once all of that is known.
 * @param signal aborting ends the wait for it; then the stories are to come again
 * @throws its reason, or what the store throws
 */
export async function settleRaces(tracker: Tracker, written: readonly Written[], signal: AbortSignal): Promise<void> {
  if (written.some(({ at }) => at === null)) await tracker.catchUp();
  const last = written.reduce<Position>((latest, { at }) => (at !== null && at > latest ? at : latest), 0n);
  await tracker.reached(last, signal);
  await mergeRaces(tracker, written);
}
