/** How often answers are right, by how they came about: measured, see the reliability table in docs/ask.md. */
import type { Basis, Draft } from './sentence.ts';

/** Shares of right answers on the evaluation set, smoothed by one right and one wrong answer. */
export const RELIABILITY: Readonly<Record<Basis, number>> = {
  counted: 0.97,
  fact: 0.95,
  named: 0.93,
  worded: 0.96,
  partly: 0.67,
  none: 0,
};

/** The confidence of an answer, 0 to 1. */
export const confidenceOf = ({ basis }: Pick<Draft, 'basis'>): number => RELIABILITY[basis];
