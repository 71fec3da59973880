/** The weights that are shipped, written by `eval/train-understanding.ts`. */

import type { Weights } from './linear.ts';
import move from './move.json' with { type: 'json' };
import relevance from './relevance.json' with { type: 'json' };

export interface Models {
  /** Classes `noise` and `relevant`. */
  readonly relevance: Weights;
  /** One class per kind of move. */
  readonly move: Weights;
}

export const SHIPPED: Models = { relevance, move };
