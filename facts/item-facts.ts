/** What is known of an item when its facts are read, and how the facts of a kind are read from it. */

import type { Move } from '../schemas/scalar.ts';
import type { BrandMention } from '../schemas/story.ts';
import type { Proposed } from './confidence.ts';
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
  /** The summary as the story shows it. */
  readonly summary: string | null;
  readonly brands: readonly WrittenBrand[];
  /** The brands that it is about. */
  readonly primary: readonly (BrandMention & WrittenBrand)[];
  /** Where it happens. */
  readonly cities: readonly string[];
}

/** How the facts of a kind are read. */
export interface FactReading<Fact> {
  read(item: ItemFacts): Proposed<Fact>[];
  /** The least confidence with which a fact is published; null where every fact is. Chosen on weeks left out. */
  readonly leastConfidence: number | null;
  /** Facts that are a move also where the models doubt that the item is one. */
  areCertain?(facts: readonly Fact[]): boolean;
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
