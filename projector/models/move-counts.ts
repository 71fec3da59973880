/** Counts by kind of move, as queries give them and as answers show them. */
import { z } from 'zod';
import { MOVES, Move, type MoveCounts } from '../../schemas/scalar.ts';

export const MoveCount = z.object({ move: Move, stories: z.int() });

/** All eight kinds, zeros included; counts of one kind are added up. */
export function countsByMove(counts: readonly z.infer<typeof MoveCount>[]): MoveCounts {
  const all = Object.fromEntries(MOVES.map((move) => [move, 0])) as MoveCounts;
  for (const { move, stories } of counts) all[move] += stories;
  return all;
}
