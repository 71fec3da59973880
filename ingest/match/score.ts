/** How likely two tellings tell one event: a small logistic model over `compare`, shipped as a file of weights. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { COMPARISONS, type Comparison, compare } from './compare.ts';
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

/** What rules one event out, however like the words are: stores elsewhere, results of other periods, other brands. */
const RULED_OUT = ['other_brand', 'other_opening', 'other_period'].map((name) =>
  COMPARISONS.indexOf(name as Comparison),
);
const HIGHEST_RULED_OUT = 0.3;

/** Scores two tellings; symmetric. */
export function likeness(a: Features, b: Features): Likeness {
  const numbers = compare(a, b);
  const sum = numbers.reduce((total, number, index) => total + number * (WEIGHTS[index] ?? 0), SHIPPED.bias);
  const score = 1 / (1 + Math.exp(-sum));
  return { score: RULED_OUT.some((index) => numbers[index]) ? Math.min(score, HIGHEST_RULED_OUT) : score, numbers };
}
