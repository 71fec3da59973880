/** The last thirty days in words, for pages and cards. */
import { MOVES } from '../schemas/scalar.ts';
import { MOVE_NAMES } from './moves.ts';
import { counted } from './text.ts';

/** `12 stories in 30 days: Stores 8, Deals 4.` */
export function monthInWords({ total, by_move }: { total: number; by_move: Readonly<Record<string, number>> }): string {
  const kinds = MOVES.filter((move) => (by_move[move] ?? 0) > 0).map((move) => `${MOVE_NAMES[move]} ${by_move[move]}`);
  return `${counted(total, 'story', 'stories')} in 30 days${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}.`;
}
