/** Decides whether a story is a new event, a further report of a known signal, or old news. Pure. */
import { DAY } from '../../language/days.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import type { Story } from '../../schemas/story.ts';
import { isOldNews, RESURFACED_DAYS } from '../../signal/signal-status.ts';
import {
  compareAcrossTime,
  describeReasons,
  isDealFurther,
  type Likeness,
  scoreLikeness,
  THRESHOLD,
} from './comparison.ts';
import { isFurther, isTalk } from './headline-signs.ts';
import type { Features } from './report-features.ts';
import { areOtherBrands, daysBetween } from './vetoes.ts';
import { MAX_REPORTS } from './window-entry.ts';

/** A signal as matching sees it: its reports, when it was published, and whether readers may see it. */
export interface NearSignal {
  readonly id: SignalId;
  /** Days since 1970 at which the earliest of its items was first seen. */
  readonly day: number;
  readonly resurfaced: boolean;
  readonly reports: readonly Features[];
  /** Two names of each of its reports, by which they are found; unset where nobody asks for its size. */
  readonly names?: readonly string[];
}

/** A signal that a story belongs to, how surely, and why. */
export interface Match {
  readonly signal: SignalId;
  readonly score: number;
  readonly reasons: readonly string[];
}

export type Decision =
  /** No signal is about this event; `follows` names one that it takes a decisive step further. */
  | { readonly kind: 'new'; readonly follows: SignalId | null }
  /** A further report of a signal; `merge` names other signals that prove to be the same event. */
  | { readonly kind: 'same'; readonly match: Match; readonly merge: readonly SignalId[] }
  /** Old news: of a known signal, or of none. */
  | { readonly kind: 'resurfaced'; readonly match: Match | null };

/** Minimum score of the signal that a story follows up. */
const MIN_FOLLOW_SCORE = 0.12;

interface Scored {
  readonly signal: SignalId;
  readonly score: number;
  /** What the score was made of; put into words only where they are asked for. */
  readonly numbers: readonly number[];
  readonly near: NearSignal;
}

/** From so many reports on, a signal gets a second look: it takes only what is like its largest part on average. */
const LARGE = MAX_REPORTS;
/** A smaller signal is recognised by its first reports. */
const RECOGNISED_BY = 12;

/** The reports by which a signal is recognised: of a large one those of its largest part, so that it grows by one event. */
const recognisingReports = (near: NearSignal): readonly Features[] =>
  isLarge(near) ? partOf(near.reports) : near.reports.slice(0, RECOGNISED_BY);
const isLarge = ({ names = [] }: NearSignal): boolean => names.length >= 2 * LARGE;

/** Largest parts that were compared, by the list of all reports; one that grew or lost a report is compared again. */
const compared = new WeakMap<
  readonly Features[],
  { last: Features | undefined; size: number; part: readonly Features[] }
>();

function partOf(reports: readonly Features[]): readonly Features[] {
  const comparison = compared.get(reports);
  if (comparison && comparison.size === reports.length && comparison.last === reports.at(-1)) return comparison.part;
  const part = largestPart(reports);
  compared.set(reports, { last: reports.at(-1), size: reports.length, part });
  return part;
}

/** The largest part of reports, of several the one with the earliest report: in a part each is linked to another one. */
function largestPart(reports: readonly Features[]): readonly Features[] {
  let largest: readonly Features[] = [];
  const left = [...reports];
  for (let first = left.shift(); first; first = left.shift()) {
    const part = [first];
    // A list is walked to its end also while it grows.
    for (const report of part)
      for (const other of left.filter((one) => likenessOf(report, one).score >= THRESHOLD)) {
        part.push(other);
        left.splice(left.indexOf(other), 1);
      }
    if (part.length > largest.length) largest = part;
  }
  return largest;
}

/** Weight of the report that is most like a story; the rest is that of all reports on average. */
const BEST = 0.4;
/** Scores closer to 0 or 1 count as this: one report never outweighs the others. */
const LEAST = 0.01;
/** Maximum score of a signal whose reports rule the story out. */
const MAX_VETOED = 0.3;

const logOdds = (score: number): number => {
  const bounded = Math.min(1 - LEAST, Math.max(LEAST, score));
  return Math.log(bounded / (1 - bounded));
};

/**
 * How surely a signal is the event of a story, by its reports: the weighted log-odds of the best score and of their mean. By the
 * best alone a signal grows from report to report into several events. Where half of the reports rule the story out, no other
 * overrules them; results of the same quarter as those of any other report belong there.
 */
function linkScore(likenesses: readonly Likeness[], near: NearSignal): number {
  const scores = likenesses.map(({ score }) => score);
  const best = Math.max(0, ...scores);
  if (best === 0) return 0;
  const mean = scores.reduce((sum, score) => sum + logOdds(score), 0) / scores.length;
  const weight = isLarge(near) ? 0 : BEST;
  const link = 1 / (1 + Math.exp(-(weight * logOdds(best) + (1 - weight) * mean)));
  if (isRuledOut(likenesses)) return Math.min(link, MAX_VETOED);
  return likenesses.some(({ veto, certain }) => certain && !veto) ? Math.max(link, best) : link;
}

/** True where a veto keeps at least half of the pairs apart. */
const isRuledOut = (likenesses: readonly Likeness[]): boolean =>
  2 * likenesses.filter(({ veto }) => veto !== null).length >= likenesses.length;

/** Of two companies' reports nothing is compared: they are no follow-up either. */
const OTHER_COMPANIES: Likeness = { score: 0, numbers: [], veto: 'other companies', certain: false };

/** Two reports of about the same time. */
const likenessOf = (a: Features, b: Features, days?: number): Likeness =>
  areOtherBrands(a, b) ? OTHER_COMPANIES : scoreLikeness(a, b, days);

/**
 * Compares a story with the reports of a signal. Their time counts from their own dates or from when they were first seen,
 * whichever is closer: an item with an old date and a fresh report of the same event are near each other too.
 */
function compareWith(features: Features, near: NearSignal): Scored {
  const likenesses = recognisingReports(near).map((report) => {
    const days = daysBetween(report, features);
    if (days <= RESURFACED_DAYS) return likenessOf(report, features, days);
    return report.day <= features.day ? compareAcrossTime(report, features) : compareAcrossTime(features, report);
  });
  const [first, ...rest] = likenesses;
  const best = rest.reduce((one, other) => (other && one && one.score < other.score ? other : one), first);
  return { signal: near.id, score: linkScore(likenesses, near), numbers: best?.numbers ?? [], near };
}

/** How the reports of two signals of about the same time are alike, each with each. */
const compareSignals = (one: NearSignal, other: NearSignal): Likeness[] =>
  recognisingReports(one).flatMap((a) => recognisingReports(other).map((b) => likenessOf(a, b)));

/** True for the opening of a store that was planned in the same place. */
const isOpeningOfPlan = (earlier: Features, later: Features): boolean =>
  earlier.move === 'stores' &&
  later.move === 'stores' &&
  isTalk(earlier.stages) &&
  !isTalk(later.stages) &&
  earlier.cities.some((city) => later.cities.includes(city));

/**
 * True when a report takes a step further what another one reported: a stage, the next status of a deal, the figures themselves,
 * the next step of a legal matter, the opening of a planned store.
 */
const isStepFurther = (earlier: Features, later: Features): boolean =>
  isOpeningOfPlan(earlier, later) ||
  (isFurther(later.stages, earlier.stages) && (later.actions & earlier.actions) !== 0) ||
  isDealFurther(earlier, later) ||
  (earlier.outlook === 'expected' && later.outlook === 'reported' && earlier.period === later.period) ||
  (earlier.move === 'rules' && later.move === 'rules' && earlier.legal !== 0 && (later.legal & ~earlier.legal) !== 0);

/** True for a follow-up: the same brand, later than all that is known of the event, and a decisive step further. */
function isFollowUp(features: Features, { near, score }: Pick<Scored, 'near' | 'score'>): boolean {
  if (score < MIN_FOLLOW_SCORE || near.reports.some((report) => features.day < report.day)) return false;
  const about = near.reports.filter((report) => report.primary.some((brand) => features.primary.includes(brand)));
  return about.length > 0 && about.every((report) => isStepFurther(report, features));
}

const byScore = (a: Scored, b: Scored): number =>
  b.score - a.score || a.near.day - b.near.day || (a.signal < b.signal ? -1 : 1);

/** The signal that a report takes a step further, of several the one that it is most like; null for none. */
export const findStepBefore = (features: Features, near: readonly NearSignal[]): SignalId | null =>
  near
    .map((signal) => compareWith(features, signal))
    .sort(byScore)
    .find((one) => isFollowUp(features, one))?.signal ?? null;

/**
 * The reports of signals that take this new event a step further although they were detected before it, the earliest first.
 * @param earlier the signal of the new event
 */
export const findStepsAfter = (
  earlier: NearSignal,
  near: readonly NearSignal[],
): { readonly signal: SignalId; readonly report: Features }[] =>
  near
    .filter(({ id, resurfaced }) => id !== earlier.id && !resurfaced)
    .flatMap((later) => recognisingReports(later).map((report) => ({ signal: later.id, report })))
    .filter(({ report }) => isFollowUp(report, compareWith(report, earlier)))
    .sort((one, other) => one.report.day - other.report.day);

/**
 * Matches a story with the signals near it.
 * @param story the story; only its dates are read here
 * @param features its features
 * @param near candidates, in any order: the answer does not depend on it
 */
export function match(story: Story, features: Features, near: readonly NearSignal[]): Decision {
  const seenDay = Date.parse(story.item.first_seen_at) / DAY;
  const scored = near.map((signal) => compareWith(features, signal)).sort(byScore);
  const same = scored.filter(({ score }) => score >= THRESHOLD);
  const recent = same.filter(({ near }) => Math.abs(seenDay - near.day) <= RESURFACED_DAYS && !near.resurfaced);
  const plain = ({ signal, score, numbers }: Scored): Match => ({ signal, score, reasons: describeReasons(numbers) });

  const first = recent[0];
  if (isOldNews(story.item)) return { kind: 'resurfaced', match: same[0] ? plain(same[0]) : null };
  if (first) {
    // A digest adds a report to its lead story, and says nothing of whether two signals are one.
    const others = features.digest ? [] : recent.slice(1);
    const merge = others.filter((one) => !isRuledOut(compareSignals(first.near, one.near))).map(({ signal }) => signal);
    return { kind: 'same', match: plain(first), merge };
  }
  const old = same.find(({ near }) => near.resurfaced || seenDay - near.day > RESURFACED_DAYS);
  if (old) return { kind: 'resurfaced', match: plain(old) };
  return { kind: 'new', follows: scored.find((one) => isFollowUp(features, one))?.signal ?? null };
}

/** True when the decision about one of two stories can depend on the other, whatever their dates. */
export const canAffectEachOther = (a: Features, b: Features): boolean => likenessOf(a, b, 0).score >= MIN_FOLLOW_SCORE;

/**
 * Signals that repeat this event more than a week after it, but were detected before it: what a first poll brings comes
 * in any order. They are to be merged into the signal of this story.
 */
export const findRepeats = (features: Features, seenDay: number, near: readonly NearSignal[]): SignalId[] =>
  near
    .filter(({ day, resurfaced }) => !resurfaced && day - seenDay > RESURFACED_DAYS)
    .filter(({ reports }) => reports.some((later) => compareAcrossTime(features, later).score >= THRESHOLD))
    .map(({ id }) => id);
