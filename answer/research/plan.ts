/** The sections of a briefing: what is searched for under each heading. */
import type { SearchFilter } from '../../projector/models/search/queries.ts';
import type { Preset } from '../../schemas/research.ts';
import type { Move } from '../../schemas/scalar.ts';

export interface Section {
  readonly title: string;
  readonly moves: readonly Move[];
}

const STANDARD: readonly Section[] = [
  { title: 'Stores', moves: ['stores'] },
  { title: 'Deals', moves: ['deals'] },
  { title: 'Results', moves: ['results'] },
  { title: 'Products and prices', moves: ['launches'] },
  { title: 'Strategy', moves: ['strategy', 'other'] },
  { title: 'People', moves: ['people'] },
  { title: 'Rules', moves: ['rules'] },
];

/** Signals of a section, and of the whole. */
const DEPTH: Readonly<Record<Preset, { readonly section: number; readonly timeline: number }>> = {
  standard: { section: 8, timeline: 20 },
  deep: { section: 20, timeline: 50 },
};

/** How far a briefing looks, by its preset. */
export const depthOf = (preset: Preset): (typeof DEPTH)[Preset] => DEPTH[preset];

/** The searches of a plan; a topic that names kinds of move keeps to them. */
export function sectionsOf(
  base: readonly Omit<SearchFilter, 'limit'>[],
  moves: readonly Move[],
): readonly (Section & { readonly searches: readonly Omit<SearchFilter, 'limit'>[] })[] {
  const wanted =
    moves.length > 0 ? STANDARD.filter((section) => section.moves.some((move) => moves.includes(move))) : STANDARD;
  return wanted.map((section) => ({
    ...section,
    searches: base.map((filter) => ({ ...filter, moves: section.moves })),
  }));
}
