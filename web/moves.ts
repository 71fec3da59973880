/** The kinds of move in readers' words, in the order in which pages list them. */
import type { Move } from '../schemas/scalar.ts';

export const MOVE_NAMES: Readonly<Record<Move, string>> = {
  stores: 'Stores',
  deals: 'Deals',
  people: 'People',
  results: 'Results',
  launches: 'Launches',
  strategy: 'Strategy',
  rules: 'Rules',
  other: 'Other',
};
