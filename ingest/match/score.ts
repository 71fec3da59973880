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
const FIGURES_CONFLICT = COMPARISONS.indexOf('figures_conflict');
const MONEY_AGREES = COMPARISONS.indexOf('money_agrees');
const OTHER_MOVE = COMPARISONS.indexOf('other_move');

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
const lacks = (a: readonly number[], b: readonly number[]): boolean => a.some((one) => !b.includes(one));

/**
 * Scores two tellings that lie more than a week apart as if time did not count, more strictly for that: from
 * `THRESHOLD` on the later one tells the old event again. Other figures or a stage further make it a new event
 * of the same company; so do another kind of move, or each a brand of its own, unless the sum of money is the same.
 */
export function retelling(earlier: Features, later: Features): Likeness {
  const { score, numbers } = likeness(earlier, later, 0);
  const sameMoney = numbers[MONEY_AGREES] === 1;
  const isNew =
    numbers[FIGURES_CONFLICT] ||
    goesFurther(later.stages, earlier.stages) ||
    (!sameMoney && numbers[OTHER_MOVE]) ||
    (!sameMoney && lacks(earlier.brands, later.brands) && lacks(later.brands, earlier.brands));
  return { score: score >= RETOLD_FROM && !isNew ? score : Math.min(score, HIGHEST_RULED_OUT), numbers };
}
