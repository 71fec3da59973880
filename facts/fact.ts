/**
 * A kind of fact as one value: how it is stored in a story, read from texts, kept as rows, shown as a table, corrected by
 * operators and used in answers. Everything that the service does with facts is derived from these values.
 */
import type { z } from 'zod';
import type { FactField, FactKindName } from '../schemas/facts.ts';
import type { Move } from '../schemas/scalar.ts';
import type { StoredFact } from '../schemas/stored-fact.ts';
import type { FactReading } from './item-facts.ts';
import type { FactTable } from './rows.ts';

/** A column of the table on pages. */
export interface PageColumn {
  readonly name: string;
  /** The column of the table that it shows, and that it is sorted by. */
  readonly shows: string;
  /** The column with the slug of the brand that it links to, or `city`. */
  readonly link?: string;
  /** Written as words: `stake sale`. */
  readonly isLabel?: true;
  /** A text that is a figure; numbers are anyway. */
  readonly isFigure?: true;
  /** Sorted from high to low at first. */
  readonly highFirst?: true;
  /** Shown in small letters below it, each with words before it. */
  readonly below?: readonly (readonly [words: string, column: string])[];
  /** Longest text; 60 characters by default. */
  readonly longest?: number;
}

/** The table of a kind as pages show it. */
export interface FactPage {
  readonly title: string;
  readonly about: string;
  readonly columns: readonly PageColumn[];
  /** What the totals count, by their names, in order. */
  readonly totals: readonly (readonly [sum: string, what: string])[];
  /** What a row is. `{rows}` is the number of rows, `{sum}` that of a total. */
  readonly note: string;
}

/** How operators write a fact: a line, its parts between bars. */
export interface FactForm<Name extends string> {
  /** What the field is called on the review desk, and in a sentence. */
  readonly title: string;
  readonly phrase: string;
  /** Parts of a line in order, by the names of the schema; each with what it is called where that is not its name. */
  readonly parts: readonly (Name | readonly [name: Name, what: string])[];
}

/** A fact in a line: what it is called, what it says, and what a quotation has to contain for the fact to follow from it. */
export interface FactLine {
  readonly name: string;
  readonly value: string;
  /** The first of them decides, the others rank the quotations. */
  readonly words: readonly (string | null)[];
}

/** How answers word a fact. */
export interface FactAnswers<Fact> {
  /** The kind of move that facts of this kind belong to. */
  readonly move: Move;
  line(fact: Fact): FactLine;
  /** The table of a briefing: its columns, and the cells of a fact. */
  readonly columns: readonly string[];
  cells(fact: Fact): readonly (string | null)[];
  /** Which facts the table lists; all by default. */
  isListed?(fact: Fact): boolean;
  /** The order of the table; that of the signals by default. */
  compare?(one: Fact, other: Fact): number;
}

export interface FactKind<Fact = unknown, Name extends string = string> {
  /** In addresses and on the command line. */
  readonly kind: FactKindName;
  readonly stored: Pick<StoredFact<z.ZodObject, z.ZodRawShape, FactField>, 'schema' | 'fields' | 'field'>;
  readonly read: FactReading<Fact>;
  readonly table: FactTable;
  readonly page: FactPage;
  readonly form: FactForm<Name>;
  readonly ask: FactAnswers<Fact>;
  /** A fact of a brand called Kiri Foods, for the description of the API. */
  readonly example: Fact;
}

/** Declares a kind of fact. */
export const defineFact = <Schema extends z.ZodObject>(
  fact: Omit<FactKind<z.output<Schema>, keyof z.output<Schema> & string>, 'stored'> & {
    readonly stored: { readonly schema: Schema; readonly fields: z.ZodRawShape; readonly field: FactField };
    readonly table: FactTable;
  },
): FactKind => fact as unknown as FactKind;
