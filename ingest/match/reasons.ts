/** The evidence of a match in words, from the numbers of `compare`. */
import { COMPARISONS, type Comparison } from './compare.ts';

const WORDS: Partial<Record<Comparison, (number: number) => string | null>> = {
  same_brand: () => 'same brand',
  same_move: () => 'same kind of move',
  same_person: () => 'same person',
  figures_agree: (number) => (number >= 1 ? 'a figure agrees' : 'a figure agrees in another currency'),
  title_words: (number) => `headline words agree by ${Math.round(number * 100)}%`,
  all_words: (number) => `all words agree by ${Math.round(number * 100)}%`,
  rare_words: (number) => (number >= 0.2 ? 'rare words in common' : null),
  acts_agree: () => 'same act',
  days_apart: (number) => (number < 1 ? `${Math.round(number * 7)} days apart` : 'a week or more apart'),
  figures_conflict: () => 'figures differ',
  acts_conflict: () => 'acts differ',
  stage_conflict: () => 'another stage of the thread',
  other_brand: () => 'other brands',
  other_move: () => 'another kind of move',
  other_person: () => 'other people',
  other_city: () => 'other cities',
  other_place: () => 'other places in the city',
  other_period: () => 'another period',
  tally: () => 'one is a tally of many events',
  other_opening: () => 'stores in other places',
};

/** Reasons for and against, in a fixed order. */
export const reasonsOf = (numbers: readonly number[]): string[] =>
  COMPARISONS.flatMap((name, index) => {
    const number = numbers[index] ?? 0;
    if (number === 0 && name !== 'days_apart') return [];
    return WORDS[name]?.(number) ?? [];
  });
