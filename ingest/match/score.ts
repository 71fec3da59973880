/** How likely two tellings tell one event: a small logistic model over `compare`, shipped as a file of weights. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { goesFurther } from './actions.ts';
import { COMPARISONS, type Comparison, compare, daysApart } from './compare.ts';
import type { Features } from './features.ts';

export const MatchingModel = z.object({
  bias: z.number(),
  /** A comparison that it lacks weighs nothing. */
  weights: z.partialRecord(z.enum(COMPARISONS), z.number()),
  /** From this score on two tellings count as one event. */
  threshold: z.number().min(0).max(1),
});
export type MatchingModel = z.infer<typeof MatchingModel>;

const SHIPPED = MatchingModel.parse(JSON.parse(readFileSync(new URL('./model/weights.json', import.meta.url), 'utf8')));
const WEIGHTS = COMPARISONS.map((name) => SHIPPED.weights[name]);

/** From this score on two tellings count as one event. */
export const THRESHOLD = SHIPPED.threshold;

export interface Likeness {
  /** 0 to 1. */
  readonly score: number;
  /** The numbers of `compare`, for reasons. */
  readonly numbers: readonly number[];
}

/**
 * What rules one event out, however like the words are: stores elsewhere, results of other periods, other
 * brands, one event against the tally of a week. */
const RULED_OUT = ['other_brand', 'other_opening', 'other_period', 'tally'].map((name) =>
  COMPARISONS.indexOf(name as Comparison),
);
const HIGHEST_RULED_OUT = 0.3;
const DAYS_APART = COMPARISONS.indexOf('days_apart');

/** True when the numbers rule one event out, whatever the score. */
export const isRuledOut = (numbers: readonly number[]): boolean => RULED_OUT.some((index) => numbers[index]);

function scoreOf(numbers: readonly number[]): number {
  const sum = numbers.reduce((total, number, index) => total + number * (WEIGHTS[index] ?? 0), SHIPPED.bias);
  const score = 1 / (1 + Math.exp(-sum));
  return isRuledOut(numbers) ? Math.min(score, HIGHEST_RULED_OUT) : score;
}

/**
 * Scores two tellings of about the same time; symmetric.
 * @param days how far apart they count, where that is not what their own dates say
 */
export function likeness(a: Features, b: Features, days?: number): Likeness {
  const numbers = compare(a, b);
  if (days !== undefined) numbers[DAYS_APART] = daysApart(days);
  return { score: scoreOf(numbers), numbers };
}

/** So sure must it be that old news is told again: what recurs (results, prices, openings) is worded alike each time. */
const RETOLD_FROM = 0.95;
/** So much of either headline must stand in the other telling, and so little of what it is about be missing there. */
const LEAST_FOUND = 0.5;
const MOST_LOST = 0.38;
/** So much of it is enough where the two were even taken for different kinds of move. */
const NEARLY_ALL_FOUND = 0.7;
const at = (numbers: readonly number[], name: Comparison): number => numbers[COMPARISONS.indexOf(name)] ?? 0;
const lacks = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => !b.includes(one));

/** Beside the score: the same sum of money, or the same subject in much the same words. */
function toldAgain(earlier: Features, later: Features, numbers: readonly number[]): boolean {
  if (at(numbers, 'figures_conflict') || at(numbers, 'other_city') || goesFurther(later.stages, earlier.stages))
    return false;
  if (at(numbers, 'money_agrees') === 1) return true;
  if (lacks(earlier.brands, later.brands) && lacks(later.brands, earlier.brands)) return false;
  const found = at(numbers, 'title_found_least');
  if (found < LEAST_FOUND || at(numbers, 'subject_lost') > MOST_LOST) return false;
  return !at(numbers, 'other_move') || found >= NEARLY_ALL_FOUND || at(numbers, 'figures_agree') === 1;
}

/**
 * Scores two tellings that lie more than a week apart as if time did not count, more strictly for that: from
 * `THRESHOLD` on the later one tells the old event again. A company's next store, round or result is a new event.
 */
export function retelling(earlier: Features, later: Features): Likeness {
  const { score, numbers } = likeness(earlier, later, 0);
  const again = score >= RETOLD_FROM && toldAgain(earlier, later, numbers);
  return { score: again ? score : Math.min(score, HIGHEST_RULED_OUT), numbers };
}
