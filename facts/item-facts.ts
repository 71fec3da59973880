/** What is known of an item when its facts are read, and how the facts of a kind are read from it. */

import { sliceOf } from '../language/tokens.ts';
import type { Move } from '../schemas/scalar.ts';
import type { BrandMention } from '../schemas/story.ts';
import type { Proposed } from './confidence.ts';
import type { TaggedText } from './tagged-text.ts';
import type { PreparedCatalogue } from './text/catalogue.ts';
import type { Reading, WrittenBrand } from './text/item-reading.ts';

export interface ItemFacts {
  readonly reading: Reading;
  readonly catalogue: PreparedCatalogue;
  /** The kind of move, and the label of a kind that does not follow from its facts. */
  readonly move: Move;
  readonly label: string | null;
  /** Whether the models give another kind of move at least this probability: a plan of stores may be strategy. */
  mayBe(move: Move, minimum?: number): boolean;
  /** The words of the headline say that something was done. */
  readonly isDeed: boolean;
  readonly headline: string;
  /** The first sentence of the summary. */
  readonly summary: string | null;
  readonly brands: readonly WrittenBrand[];
  /** The brands that it is about. */
  readonly primary: readonly (BrandMention & WrittenBrand)[];
  /** Where it happens. */
  readonly cities: readonly string[];
  /** What a second reader says of its facts; null where none reads. */
  readonly tagged: TaggedText | null;
}

/** A probability for each cell of a fact that tables show, by a second reader; null for a cell of which it says nothing. */
export type Agreement = readonly (number | null)[];

/** How the facts of a kind are read. */
export interface FactReading<Fact> {
  read(item: ItemFacts): Proposed<Fact>[];
  /** How far a second reader agrees with a fact. */
  agreement?(fact: Fact, tagged: TaggedText, item: ItemFacts): Agreement;
  /** The least confidence with which a fact is published; null where every fact is. Chosen on headlines that no reader had seen. */
  readonly leastConfidence: number | null;
  /** Facts that are a move also where the models doubt that the item is one. */
  areCertain?(facts: readonly Fact[]): boolean;
  /** Whether the headline states a fact in so plain a form that no second reader is asked. */
  isPlain?(fact: Fact, item: ItemFacts): boolean;
  /** Facts that are held back, however sure the readers are: only an operator publishes them. */
  isForOperators?(fact: Fact, item: Pick<ItemFacts, 'brands' | 'catalogue'>): boolean;
  /** Further facts stand or fall with the first, which the headline leads with. */
  readonly followsFirst?: true;
  /** The parts that are names of brands. */
  readonly names: readonly (keyof Fact & string)[];
  /**
   * Parts of a fact that another reader's words decide by a rule, and not as it wrote them: undefined where the words do not
   * say them. All others have to be in the text.
   */
  readonly settles?: Readonly<
    Record<string, (value: unknown, words: string, day: string | null) => string | null | undefined>
  >;
  /** Why a fact is there, as `--explain` says it: the rule and the words. */
  why(fact: Fact): readonly [rule: string, words: string];
}

/** Facts without signs of their own. */
export const proposed = <Fact>(facts: readonly Fact[]): Proposed<Fact>[] => facts.map((fact) => ({ fact, signs: {} }));

/** Declares how the facts of a kind are read. */
export const factReading = <Fact>(reading: FactReading<Fact>): FactReading<Fact> => reading;

/** How the texts of an item write a name of its catalogue or a brand; the name itself is among them. */
export const spellingsOf = ({ brands, reading }: ItemFacts, name: string): string[] => [
  name,
  ...brands.flatMap((brand) => (brand.name === name ? [brand.written] : [])),
  ...[reading.title, reading.summary].flatMap((part) =>
    part.mentions.flatMap(({ brand, city, first, last }) =>
      brand?.name === name || city?.name === name ? [sliceOf(part, first, last)] : [],
    ),
  ),
];

/** How the texts of an item write a figure, which facts have in one uniform form. */
export const spellingsOfFigure = ({ reading }: ItemFacts, figure: string): string[] =>
  [reading.title, reading.summary].flatMap(({ text, figures }) =>
    figures.flatMap((one) => (one.text === figure ? [text.slice(one.start, one.end)] : [])),
  );
