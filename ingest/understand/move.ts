/** The kind of move, by the move model. */
import { MOVES, type Move } from '../../schemas/scalar.ts';
import { type Scored, score, strongest, type Weights } from './model/linear.ts';

const isMove = (name: string): name is Move => (MOVES as readonly string[]).includes(name);

/** @returns the kind, and the features that spoke for it */
export function moveOf(
  weights: Weights,
  features: ReadonlyMap<string, number>,
): { move: Move; scored: Scored; words: () => string[] } {
  const scored = score(weights, features);
  return {
    move: isMove(scored.best) ? scored.best : 'other',
    scored,
    words: () => strongest(weights, features, scored.best),
  };
}
