/** What answers are made of. */

/** Words that stand in the stored text of a signal, exactly so. */
export interface Quoted {
  readonly id: string;
  readonly text: string;
}

/** One sentence, with the ids of the signals that it stands on. */
export interface Sentence {
  /** Markdown without citations. */
  readonly markdown: string;
  readonly ids: readonly string[];
  readonly quotes: readonly Quoted[];
}

/** An answer before it is written down. */
export interface Draft {
  /** The direct answer. */
  readonly lead: readonly Sentence[];
  /** The evidence, one bullet each. */
  readonly items: readonly Sentence[];
  /** A table under the lead, as Markdown lines; the lead cites what it is made from. */
  readonly table: readonly string[];
  /** What the reader should know of how the question was read; it claims nothing of the record. */
  readonly notes: readonly string[];
  /** How the answer came about, by which its confidence is known. */
  readonly basis: Basis;
}

/** From the surest to none; `docs/ask.md` has how often each is right. */
export const BASES = ['counted', 'fact', 'named', 'worded', 'partly', 'none'] as const;
export type Basis = (typeof BASES)[number];

/** A draft that answers nothing. */
export const nothing = (lead: string, notes: readonly string[] = [], items: readonly Sentence[] = []): Draft => ({
  lead: [{ markdown: lead, ids: [], quotes: [] }],
  items,
  table: [],
  notes,
  basis: 'none',
});
