/** The weights that are shipped, written by `eval/train-understanding.ts`. */

import type { Weights } from './linear.ts';
import move from './move.json' with { type: 'json' };
import relevance from './relevance.json' with { type: 'json' };

/** Classes `noise` and `relevant`. */
export const RELEVANCE_WEIGHTS: Weights = relevance;
/** One class per kind of move. */
export const MOVE_WEIGHTS: Weights = move;
