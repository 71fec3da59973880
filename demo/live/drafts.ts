/** What a draft of the live desk is: facts and a form that puts them into words. */
import type { Move } from '../../schemas/scalar.ts';
import type { Lots } from './lots.ts';
import type { Facts } from './tell.ts';

export interface Draft {
  readonly form: string;
  readonly move: Move;
  readonly brands: readonly string[];
  readonly also?: readonly string[];
  readonly cities?: readonly string[];
  readonly mall?: string;
  /** In neutral form, such as `[₹230cr]`. */
  readonly figure?: string;
  readonly person?: string;
  readonly facts: Facts;
}

/** Makes a draft of its kind from what a tick draws. */
export type Drafter = (lots: Lots) => Draft;

/** Rounded as people say it: to tens above 50, to fives above 20. */
export const roundly = (value: number): number => {
  const step = value > 50 ? 10 : value > 20 ? 5 : 1;
  return Math.round(value / step) * step;
};
