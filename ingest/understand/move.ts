/** The kind of move, by the move model. */
import { MOVES, type Move } from '../../schemas/scalar.ts';
import { type Scored, strongest, type Weights } from './model/linear.ts';

const isMove = (name: string): name is Move => (MOVES as readonly string[]).includes(name);

/** @returns the kind, and the features that spoke for it */
export function moveOf(
  weights: Weights,
  scored: Scored,
  features: ReadonlyMap<string, number>,
): { move: Move; words: () => string[] } {
  return {
    move: isMove(scored.best) ? scored.best : 'other',
    words: () => strongest(weights, features, scored.best),
  };
}
