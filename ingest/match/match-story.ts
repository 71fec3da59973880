/** Whether a story tells a new event or one that a near signal tells already. Pure. */
import type { Story } from '../../schemas/story.ts';
import { isOldNews, RESURFACED_DAYS } from '../../signal/signal-status.ts';
import { likeness, otherBrands, reasonsOf, retelling, THRESHOLD } from './comparison.ts';
import { goesFurther } from './headline-signs.ts';
import type { Features } from './report-features.ts';

/** A signal as matching sees it: its tellings, when it was published, and whether readers may see it. */
export interface NearSignal {
  readonly id: string;
  /** Days since 1970 at which its first item was first seen. */
  readonly day: number;
  readonly resurfaced: boolean;
  readonly tellings: readonly Features[];
}

/** A signal that a story belongs to, how surely, and why. */
export interface Match {
  readonly signal: string;
  readonly score: number;
  readonly reasons: readonly string[];
}

export type Decision =
  /** No signal tells this event; `follows` names one that it takes a decisive step further. */
  | { readonly kind: 'new'; readonly follows: string | null }
  /** A further report of a signal; `merge` names other signals that prove to be the same event. */
  | { readonly kind: 'same'; readonly match: Match; readonly merge: readonly string[] }
  /** Old news told again: that of a known signal, or of none that is known. */
  | { readonly kind: 'resurfaced'; readonly match: Match | null };

/** A follow-up is looked for among signals that score at least this much and tell the same thread. */
const FOLLOWS_FROM = 0.12;
/** Two signals joined by a story are merged when they score at least this much with each other. */
const MERGE_FROM = 0.2;
const DAY = 86_400_000;

interface Scored {
  readonly signal: string;
  readonly score: number;
  /** What the score was made of; put into words only where they are asked for. */
  readonly numbers: readonly number[];
  readonly near: NearSignal;
}

/**
 * The likest telling of a signal. Its time counts from the dates of the two tellings or from when they were first
 * seen, whichever is closer: an item with an old date and a fresh report of the same event are near each other too.
 */
function best(features: Features, seenDay: number, near: NearSignal): Scored {
  let score = 0;
  let numbers: readonly number[] = [];
  const seenApart = Math.abs(seenDay - near.day);
  for (const telling of near.tellings) {
    // Ruled out, and nothing that goes further either: not worth its numbers.
    if (otherBrands(telling, features)) continue;
    const days = Math.min(seenApart, Math.abs(features.day - telling.day));
    const found = days > RESURFACED_DAYS ? retelling(telling, features) : likeness(telling, features, days);
    if (found.score <= score) continue;
    score = found.score;
    numbers = found.numbers;
  }
  return { signal: near.id, score, numbers, near };
}

/** The thread goes on: one brand, one kind of act, later, and a decisive stage further. */
const takesFurther = (features: Features, { near, score }: Scored): boolean =>
  score >= FOLLOWS_FROM &&
  near.tellings.every((telling) => features.day >= telling.day && goesFurther(features.stages, telling.stages)) &&
  near.tellings.some(
    (telling) =>
      telling.primary.some((brand) => features.primary.includes(brand)) && (telling.actions & features.actions) !== 0,
  );

/**
 * Matches a story with the signals near it.
 * @param story the story; only its dates are read here
 * @param features its features
 * @param near candidates, in any order: the answer does not depend on it
 */
export function match(story: Story, features: Features, near: readonly NearSignal[]): Decision {
  const seenDay = Date.parse(story.item.first_seen_at) / DAY;
  const scored = near
    .map((signal) => best(features, seenDay, signal))
    .sort((a, b) => b.score - a.score || a.near.day - b.near.day || (a.signal < b.signal ? -1 : 1));
  const same = scored.filter(({ score }) => score >= THRESHOLD);
  const recent = same.filter(({ near }) => Math.abs(seenDay - near.day) <= RESURFACED_DAYS && !near.resurfaced);
  const plain = ({ signal, score, numbers }: Scored): Match => ({ signal, score, reasons: reasonsOf(numbers) });

  const first = recent[0];
  if (isOldNews(story.item)) return { kind: 'resurfaced', match: same[0] ? plain(same[0]) : null };
  if (first) {
    const merge = recent.slice(1).filter((other) => couldBeOne(first.near, other.near));
    return { kind: 'same', match: plain(first), merge: merge.map(({ signal }) => signal) };
  }
  const old = same.find(({ near }) => near.resurfaced || seenDay - near.day > RESURFACED_DAYS);
  if (old) return { kind: 'resurfaced', match: plain(old) };
  return { kind: 'new', follows: scored.find((one) => takesFurther(features, one))?.signal ?? null };
}

/**
 * Two signals that one story joins are one event, unless what they say of themselves rules it out: a report that
 * tells two events at once must not pull them together.
 */
export const couldBeOne = (a: NearSignal, b: NearSignal): boolean =>
  a.tellings.some((one) => b.tellings.some((other) => likeness(one, other).score >= MERGE_FROM));

/** Two tellings of about the same time tell one event. */
const areOne = (a: Features, b: Features): boolean => !otherBrands(a, b) && likeness(a, b).score >= THRESHOLD;

/** Signals among the candidates that tell the same event as this one: two matchers may have met it at once. */
export const twinsOf = (signal: NearSignal, candidates: readonly NearSignal[]): string[] =>
  candidates
    .filter(
      ({ id, resurfaced, day }) => id !== signal.id && !resurfaced && Math.abs(day - signal.day) <= RESURFACED_DAYS,
    )
    .filter(({ tellings }) => signal.tellings.some((one) => tellings.some((other) => areOne(one, other))))
    .map(({ id }) => id);

/** Whether what becomes of one of two stories can depend on the other, whenever each was told. */
export const mayMeet = (a: Features, b: Features): boolean =>
  !otherBrands(a, b) && likeness(a, b, 0).score >= FOLLOWS_FROM;

/**
 * Signals that another matcher must have met at the same time as this one: already their first tellings are of one
 * event, so that one matcher alone would have made one signal of them.
 */
export const racedWith = (signal: NearSignal, candidates: readonly NearSignal[]): string[] => {
  const first = ({ tellings, ...rest }: NearSignal): NearSignal => ({ ...rest, tellings: tellings.slice(0, 1) });
  return twinsOf(first(signal), candidates.map(first));
};

/**
 * Signals that told this event again more than a week after it, but were met before it: what a first poll brings comes
 * in any order. They are to be merged into the signal of this story.
 */
export const retoldBy = (features: Features, seenDay: number, near: readonly NearSignal[]): string[] =>
  near
    .filter(({ day, resurfaced }) => !resurfaced && day - seenDay > RESURFACED_DAYS)
    .filter(({ tellings }) => tellings.some((later) => retelling(features, later).score >= THRESHOLD))
    .map(({ id }) => id);
