/** Compares two reports: numbers, a score from 0 to 1 by a logistic model over these numbers, and the reasons in words. Pure and symmetric. */

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { bytesOf, nearness } from '../../signal/meaning.ts';
import { bestAgreement, type Figure, isMoney } from './comparable-figures.ts';
import { isFurther, isTalk, JOINT_ACTS } from './headline-signs.ts';
import type { Features } from './report-features.ts';
import { areOfOneQuarter, daysBetween, NAME, shareBrand, type Veto, vetoBetween } from './vetoes.ts';
import { contained, cosine, overlap, share } from './weighted-terms.ts';

/** Names of the numbers, in the order in which `compare` gives them and the weights file lists them. */
export const COMPARISONS = [
  'title_words',
  'title_found',
  'title_found_least',
  'rare_words',
  'rarest_word',
  'subject_found',
  'subject_lost',
  'figures_agree',
  'money_agrees',
  'figures_conflict',
  'name_and_act',
  'brand_and_act',
  'acts_conflict',
  'days_apart',
  'names_of_each',
  'direction_conflict',
  'further_later',
  'angle_and_name',
  'digest_and_name',
  'same_brand',
  'same_move',
  'other_move',
  'same_person',
  'other_city',
  'other_place',
  'meaning',
  'same_outlet',
  'same_quarter',
] as const;
export type Comparison = (typeof COMPARISONS)[number];

const meets = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => b.includes(one));
const lacks = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => !b.includes(one));
const apart = (a: readonly number[], b: readonly number[]): boolean => a.length > 0 && b.length > 0 && !meets(a, b);
const flag = (is: boolean): number => (is ? 1 : 0);
const bits = (set: number): number => {
  let count = 0;
  for (let rest = set; rest; rest &= rest - 1) count++;
  return count;
};

const isPercent = (figure: Figure): boolean => figure.unit === '%';
const isCount = (figure: Figure): boolean => figure.unit === '';
const KINDS = [isMoney, isPercent, isCount];
function conflicts(a: Features, b: Features): boolean {
  const [one, other] = [a.titleFigures, b.titleFigures];
  for (const kind of KINDS)
    if (one.some(kind) && other.some(kind))
      return bestAgreement(one.filter(kind), b.figures) === 0 && bestAgreement(other.filter(kind), a.figures) === 0;
  return false;
}

/** How many names, by their weight, a headline has that the other report knows nothing of. */
function countOwnNames(a: Features, b: Features): number {
  let sum = 0;
  for (const [index, id] of a.title.ids.entries()) {
    const weight = a.title.weights[index] ?? 0;
    if (weight >= NAME && !b.all.ids.includes(id)) sum += weight;
  }
  return sum;
}

/** A decisive stage that only the later report mentions; higher, the more days are between them. */
function scoreFurtherLater(a: Features, b: Features): number {
  const [earlier, later] = a.day <= b.day ? [a, b] : [b, a];
  return isFurther(later.stages, earlier.stages) ? daysApart(later.day - earlier.day) : 0;
}

/** Days as `compare` gives them: a week or more is 1. */
const daysApart = (days: number): number => Math.min(1, days / 7);

/**
 * The cosine of the encoder's vectors of two items, moved from -1..1 to 0..1; 0 where one encoder did not compute both. The
 * vectors are whole numbers from -127 to 127, so the result is the same on every machine.
 */
function compareMeanings(a: Features['vector'], b: Features['vector']): number {
  if (!a || !b || a.by !== b.by) return 0;
  const near = nearness(bytesOf(a.values), bytesOf(b.values));
  return near === null ? 0 : (1 + near) / 2;
}

const haveOtherActs = (a: Features, b: Features): boolean =>
  a.actions !== 0 &&
  b.actions !== 0 &&
  (a.actions & b.actions) === 0 &&
  !((a.actions & JOINT_ACTS) !== 0 && (b.actions & JOINT_ACTS) !== 0);

/** Compares two reports; see `COMPARISONS` for what each number is. All lie between 0 and about 1. */
export function compare(a: Features, b: Features): number[] {
  const both = a.actions & b.actions;
  const either = a.actions | b.actions;
  const titles = overlap(a.title, b.title);
  const [aInB, bInA] = [overlap(a.title, b.all), overlap(b.title, a.all)];
  const [inB, inA] = [share(a.title, aInB), share(b.title, bInA)];
  const name = Math.max(aInB.rarest, bInA.rarest);
  const figures = bestAgreement(a.figures, b.figures);
  const money = figures === 0 ? 0 : bestAgreement(a.money, b.money);
  const acts = either ? bits(both) / bits(either) : 0;
  const subjectA = contained(a.subject, b.all);
  const subjectB = contained(b.subject, a.all);
  return [
    cosine(a.title, b.title, titles),
    Math.max(inA, inB),
    Math.min(inA, inB),
    Math.min(1, titles.weight / 4),
    name,
    Math.max(subjectA, subjectB),
    1 - Math.min(subjectA, subjectB),
    figures,
    money,
    flag(conflicts(a, b)),
    acts * name,
    acts * flag(shareBrand(a, b)),
    flag(haveOtherActs(a, b)),
    daysApart(daysBetween(a, b)),
    Math.min(1, Math.min(countOwnNames(a, b), countOwnNames(b, a)) / 3),
    flag((a.directions | b.directions) === 3 && a.directions !== 3 && b.directions !== 3),
    scoreFurtherLater(a, b),
    flag(a.angle || b.angle) * name,
    flag(a.digest || b.digest) * name,
    flag(shareBrand(a, b)),
    flag(a.move !== '' && a.move === b.move),
    flag(a.move !== '' && b.move !== '' && a.move !== b.move),
    flag(meets(a.people, b.people)),
    flag(apart(a.cities, b.cities)),
    flag(apart(a.places, b.places)),
    compareMeanings(a.vector, b.vector),
    flag(a.outlet !== 0 && a.outlet === b.outlet),
    flag(areOfOneQuarter(a, b)),
  ];
}

const WORDS: Partial<Record<Comparison, (number: number) => string | null>> = {
  same_brand: () => 'same brand',
  same_move: () => 'same kind of move',
  same_person: () => 'same person',
  figures_agree: (number) => (number >= 1 ? 'a figure agrees' : 'a figure agrees in another currency'),
  title_words: (number) => `headline words agree by ${Math.round(number * 100)}%`,
  rare_words: (number) => (number >= 0.2 ? 'rare words in common' : null),
  name_and_act: () => 'same act',
  days_apart: (number) => (number < 1 ? `${Math.round(number * 7)} days apart` : 'a week or more apart'),
  figures_conflict: () => 'figures differ',
  acts_conflict: () => 'acts differ',
  other_move: () => 'another kind of move',
  other_city: () => 'other cities',
  other_place: () => 'other places in the city',
  meaning: (number) => (number >= 0.8 ? `meanings agree by ${Math.round((2 * number - 1) * 100)}%` : null),
  same_outlet: () => 'same outlet',
  same_quarter: () => 'results of the same quarter',
};

/** Reasons for and against, in a fixed order. */
export const describeReasons = (numbers: readonly number[]): string[] =>
  COMPARISONS.flatMap((name, index) => {
    const number = numbers[index] ?? 0;
    if (number === 0 && name !== 'days_apart') return [];
    return WORDS[name]?.(number) ?? [];
  });

// The score: how likely two reports are one event, by a small logistic model over `compare`. Its weights are in a file.

const MatchingModel = z.object({
  bias: z.number(),
  /** A comparison that it lacks weighs nothing. */
  weights: z.partialRecord(z.enum(COMPARISONS), z.number()),
  /** Where the encoder read both reports: weights of the log-odds of the score above, of `meaning` and `same_outlet`. */
  with_meaning: z.object({ bias: z.number(), score: z.number(), meaning: z.number(), same_outlet: z.number() }),
  /** From this score on two reports count as one event. */
  threshold: z.number().min(0).max(1),
});

const SHIPPED = MatchingModel.parse(JSON.parse(readFileSync(new URL('./model/weights.json', import.meta.url), 'utf8')));
const WEIGHTS = COMPARISONS.map((name) => SHIPPED.weights[name]);

/** From this score on two reports count as one event. */
export const THRESHOLD = SHIPPED.threshold;

export interface Likeness {
  /** 0 to 1. */
  readonly score: number;
  /** The numbers of `compare`, for reasons. */
  readonly numbers: readonly number[];
  /** Why they cannot be of one event, whatever the score. */
  readonly veto: Veto | null;
  /** True for what is one event however unlike the words are: results of one company for one quarter. */
  readonly certain: boolean;
}

/** Maximum score of two reports that a veto keeps apart, however like the words are. */
const MAX_RULED_OUT = 0.3;
/** Minimum score of what is one event, however unlike the words are: results of one company for one quarter. */
const MIN_RULED_IN = 0.9;
const DAYS_APART = COMPARISONS.indexOf('days_apart');
const MEANING = COMPARISONS.indexOf('meaning');
const SAME_OUTLET = COMPARISONS.indexOf('same_outlet');
const SAME_QUARTER = COMPARISONS.indexOf('same_quarter');
/** Of the score by words, before the meaning is added: neither is ever so sure that the other does not count. */
const MAX_LOG_ODDS = 9.2;

const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

function scoreOf(numbers: readonly number[], veto: Veto | null): number {
  const score = modelScoreOf(numbers);
  if (veto) return Math.min(score, MAX_RULED_OUT);
  return numbers[SAME_QUARTER] ? Math.max(score, MIN_RULED_IN) : score;
}

/** The log-odds by words, figures and names alone, as the meaning is added to them. */
export function logOddsByWords(numbers: readonly number[]): number {
  const logOdds = numbers.reduce((total, number, index) => total + number * (WEIGHTS[index] ?? 0), SHIPPED.bias);
  return Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, logOdds));
}

/** The score by words, figures and names, with the meaning added where there is one (0 is none). */
function modelScoreOf(numbers: readonly number[]): number {
  const { with_meaning: model } = SHIPPED;
  const words = logOddsByWords(numbers);
  const meaning = numbers[MEANING] ?? 0;
  if (meaning === 0) return logistic(words);
  return logistic(
    model.bias + model.score * words + model.meaning * meaning + model.same_outlet * (numbers[SAME_OUTLET] ?? 0),
  );
}

/**
 * Scores two reports of about the same time; symmetric.
 * @param days how far apart they count, where that is not what their own dates say
 */
export function scoreLikeness(a: Features, b: Features, days?: number): Likeness {
  const numbers = compare(a, b);
  if (days !== undefined) numbers[DAYS_APART] = daysApart(days);
  const veto = vetoBetween(a, b);
  return { score: scoreOf(numbers, veto), numbers, veto, certain: numbers[SAME_QUARTER] === 1 };
}

/** Minimum score of repeated old news. High, since recurring events (results, prices, openings) have similar wordings. */
const MIN_REPEAT_SCORE = 0.95;
/** Minimum share of either headline in the other report, and maximum share of its subject that is missing there. */
const MIN_TITLE_FOUND = 0.5;
const MAX_SUBJECT_LOST = 0.38;
/** The minimum where the two were understood as different kinds of move. */
const MIN_TITLE_FOUND_ELSEWHERE = 0.7;
const at = (numbers: readonly number[], name: Comparison): number => numbers[COMPARISONS.indexOf(name)] ?? 0;

/** How far a deal is, by its status. */
const PROGRESS = { '': 0, rumoured: 1, agreed: 2, completed: 3 } as const;

/**
 * True when the later report has a fact that the earlier one cannot have: a step further, what was only planned then, a
 * figure in its headline, another status of the deal.
 */
export function hasNewFact(earlier: Features, later: Features): boolean {
  if (isFurther(later.stages, earlier.stages) || (isTalk(earlier.stages) && !isTalk(later.stages))) return true;
  if (isDealFurther(earlier, later)) return true;
  return later.titleFigures.some((figure) => bestAgreement([figure], earlier.figures) === 0);
}

/** True when the later report says that a deal has gone on. */
export const isDealFurther = (earlier: Features, later: Features): boolean =>
  earlier.deal !== '' && PROGRESS[later.deal] > PROGRESS[earlier.deal];

/** In addition to the score: no new fact, and the same sum of money, or the same subject in much the same words. */
function isRepeat(earlier: Features, later: Features, numbers: readonly number[]): boolean {
  if (at(numbers, 'figures_conflict') || at(numbers, 'other_city') || hasNewFact(earlier, later)) return false;
  if (lacks(earlier.brands, later.brands) && lacks(later.brands, earlier.brands)) return false;
  if (at(numbers, 'money_agrees') === 1) return true;
  const share = at(numbers, 'title_found_least');
  if (share < MIN_TITLE_FOUND || at(numbers, 'subject_lost') > MAX_SUBJECT_LOST) return false;
  return !at(numbers, 'other_move') || share >= MIN_TITLE_FOUND_ELSEWHERE || at(numbers, 'figures_agree') === 1;
}

/**
 * Scores two reports that lie more than a week apart as if time did not count, more strictly for that: from
 * `THRESHOLD` on the later one repeats the old event. A company's next store, round or result is a new event.
 */
export function compareAcrossTime(earlier: Features, later: Features): Likeness {
  const { score, numbers, veto } = scoreLikeness(earlier, later, 0);
  const again = score >= MIN_REPEAT_SCORE && isRepeat(earlier, later, numbers);
  return { score: again ? score : Math.min(score, MAX_RULED_OUT), numbers, veto, certain: false };
}
