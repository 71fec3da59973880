/** A draft of an answer: its sentences, their Markdown, its confidence, and the check of its quotations against stored text. */
import type { Citation, Quote } from '../schemas/ask.ts';
import type { Evidence } from './evidence.ts';

/** A quotation of the stored text of a signal. */
export interface Quoted {
  readonly id: string;
  readonly text: string;
}

/** One sentence, with the ids of the signals that it cites. */
export interface Sentence {
  /** Markdown without citations. */
  readonly markdown: string;
  readonly ids: readonly string[];
  readonly quotes: readonly Quoted[];
}

/** An answer before it is rendered. */
export interface Draft {
  /** The direct answer. */
  readonly lead: readonly Sentence[];
  /** The evidence, one bullet each. */
  readonly items: readonly Sentence[];
  /** A table under the lead, as Markdown lines; the lead cites what it is made from. */
  readonly table: readonly string[];
  /** Notes on how the question was read; they make no claim about the record. */
  readonly notes: readonly string[];
  /** How the answer was found; its confidence follows from it. */
  readonly basis: Basis;
  /** Share of a model's sentences that were dropped, 0 to 1; unset where no model worded the draft. */
  readonly dropped?: number;
}

/** From the surest to none; `docs/ask.md` has how often each is right. */
export const BASES = ['counted', 'fact', 'named', 'worded', 'partly', 'loosely', 'meant', 'nearest', 'none'] as const;
export type Basis = (typeof BASES)[number];

/** A draft that answers nothing. */
export const nothing = (lead: string, notes: readonly string[] = [], items: readonly Sentence[] = []): Draft => ({
  lead: [{ markdown: lead, ids: [], quotes: [] }],
  items,
  table: [],
  notes,
  basis: 'none',
});

/**
 * Shares of right answers by basis over the questions about a recorded month (`npm run eval -- ask`), each put together with
 * ten answers of which seven were right, as at the first run over questions that nobody had seen; see docs/ask.md.
 */
export const RELIABILITY: Readonly<Record<Basis, number>> = {
  counted: 0.82,
  fact: 0.85,
  named: 0.86,
  worded: 0.83,
  partly: 0.79,
  loosely: 0.78,
  meant: 0.67,
  nearest: 0.63,
  none: 0,
};

/** How much of the confidence is left when nearly all sentences of a model were dropped. */
const LEAST_LEFT = 0.5;

/**
 * The confidence of an answer, 0 to 1: how often answers of its basis are right, less where sentences of a model were
 * dropped, since one that invents some sentences is trusted less for the others.
 */
export const confidenceOf = ({ basis, dropped = 0 }: Pick<Draft, 'basis' | 'dropped'>): number =>
  Number((RELIABILITY[basis] * (1 - dropped * (1 - LEAST_LEFT))).toFixed(4));

/** Escapes all characters with a meaning in Markdown, so that the text is shown unchanged. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>|#~]/g, '\\$&').replace(/\n/g, ' ');

/** A quotation of stored text. */
export const quotation = (text: string): string => `“${escapeMarkdown(text)}”`;

/** `a`, `a and b`, `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** `1 store`, `2 stores`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-IN')} ${number === 1 ? one : many}`;

/** A piece of the answer, and the ids that it cites. */
export interface Piece {
  readonly text: string;
  readonly ids: readonly string[];
}

/** A sentence with its citations after it. */
const cited = ({ markdown, ids }: Sentence): string => [markdown, ...ids.map((id) => `[${id}]`)].join(' ');

/** The pieces of a draft; joined they are its content. */
export function pieces({ lead, items, table, notes }: Draft): Piece[] {
  const blocks: Piece[][] = [
    lead.map((sentence, index) => ({ text: `${index > 0 ? ' ' : ''}${cited(sentence)}`, ids: sentence.ids })),
    table.length > 0 ? [{ text: table.join('\n'), ids: [] }] : [],
    items.map((sentence, index) => ({ text: `${index > 0 ? '\n' : ''}- ${cited(sentence)}`, ids: sentence.ids })),
    notes.length > 0 ? [{ text: notes.join(' '), ids: [] }] : [],
  ];
  const [first = [], ...others] = blocks.filter((block) => block.length > 0);
  return [...first, ...others.flatMap((block) => [{ text: '\n\n', ids: [] }, ...block])];
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

/** The place of a quote in the stored text; null unless the text contains it byte for byte. */
function placeOf(stored: string, text: string): Quote | null {
  const start = stored.indexOf(text);
  if (text === '' || start < 0) return null;
  const end = start + text.length;
  return bytes(stored.slice(start, end)).equals(bytes(text)) ? { text, start, end } : null;
}

/** Checks sentences against the evidence: every id was found, and every quote is in its signal byte for byte. */
export class Verifier {
  readonly #evidence: ReadonlyMap<string, Evidence>;
  constructor(evidence: readonly Evidence[]) {
    this.#evidence = new Map(evidence.map((one) => [one.signal.id, one]));
  }

  /** Whether each id was found and each quote is in its signal. */
  holds({ ids, quotes }: Sentence): boolean {
    const known = ids.every((id) => this.#evidence.has(id));
    return known && quotes.every((quote) => ids.includes(quote.id) && this.quote(quote) !== null);
  }

  quote({ id, text }: Quoted): Quote | null {
    const found = this.#evidence.get(id);
    return found ? placeOf(found.stored, text) : null;
  }

  /** The draft without the sentences that do not hold; null when its direct answer is among them. */
  check(draft: Draft): Draft | null {
    const lead = draft.lead.filter((sentence) => this.holds(sentence));
    if (lead.length < draft.lead.length) return null;
    return { ...draft, lead, items: draft.items.filter((sentence) => this.holds(sentence)) };
  }

  /** Citations of sentences in order of first citation, each with its quotes. */
  citations(sentences: readonly Sentence[]): Citation[] {
    const quotes = new Map<string, Map<string, Quote>>();
    for (const sentence of sentences) {
      for (const id of sentence.ids) if (!quotes.has(id)) quotes.set(id, new Map());
      for (const quoted of sentence.quotes) {
        const place = this.quote(quoted);
        if (place) quotes.get(quoted.id)?.set(quoted.text, place);
      }
    }
    return [...quotes].flatMap(([id, own]) => {
      const found = this.#evidence.get(id);
      if (!found) return [];
      const { slug, url, headline, source, published_at } = found.signal;
      const cited = { id, slug, url, headline, outlet: source.outlet, source_url: source.url, published_at };
      return [{ ...cited, quotes: [...own.values()] }];
    });
  }
}
