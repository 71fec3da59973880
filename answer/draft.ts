/**
 * A draft of an answer: its sentences, their Markdown, its confidence, and the check of its quotations against stored
 * text. And drafts that a model words: the port of the model, and the check that drops every sentence its quotations
 * do not support.
 */
import { dayInWords } from '../language/days.ts';
import type { Citation, Quote } from '../schemas/ask.ts';
import { type Refusal, refusal } from './entailment/entailment.ts';
import { type Evidence, reportOf } from './evidence.ts';

/** A quotation of the stored text of a signal. */
interface Quoted {
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
 * Shares of right answers by basis: over the questions about a recorded month (`npm run eval -- ask`), which have been read by
 * the ones who improved the answers, and over 219 other questions at first sight, judged by reading. Each is put together with
 * ten answers of which seven were right; the counts are in docs/ask.md.
 */
export const RELIABILITY: Readonly<Record<Basis, number>> = {
  counted: 0.75,
  fact: 0.86,
  named: 0.91,
  worded: 0.9,
  partly: 0.86,
  loosely: 0.74,
  meant: 0.74,
  nearest: 0.73,
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
      const { slug, url, headline, published_at } = found.signal;
      const report = reportOf(found, [...own.keys()][0] ?? headline);
      const cited = {
        id,
        slug,
        url,
        headline,
        outlet: report.outlet,
        source_url: report.url,
        published_at: report.published_at ?? published_at,
      };
      return [{ ...cited, quotes: [...own.values()] }];
    });
  }
}

/** The port of a model that words answers. */
export interface GivenSignal {
  readonly id: string;
  /** IST day on which it moved, as readers see it. */
  readonly day: string;
  readonly outlet: string | null;
  readonly text: string;
}

interface WrittenSentence {
  readonly text: string;
  /** What supports the sentence: quotations of the signals given, word for word. */
  readonly quotes: readonly Quoted[];
}

export interface Written {
  readonly sentences: readonly WrittenSentence[];
  readonly cost_usd: number;
}

export interface Writer {
  /** Sentences that answer a question from the signals given; null when the provider fails, is slow or over budget. */
  write(question: string, signals: readonly GivenSignal[]): Promise<Written | null>;
}

const MAX_QUOTES = 8;
/** Sentences of a model that are read; further ones are dropped. */
const MAX_SENTENCES = 12;
/** Less than this is no quotation of a statement. */
const SHORTEST_QUOTE = 8;

/**
 * A sentence without `On 20 November 2026, Daily Trade reported that`: the day and the outlet of a signal that it cites are
 * known from the record, not from its text.
 */
function withoutSource(text: string, { day, outlet }: GivenSignal): string {
  const dated = new RegExp(`^On ${RegExp.escape(day)},?\\s+`, 'i');
  const rest = text.replace(dated, '');
  if (outlet === null) return /\b(?:will|to|plans?|may|would)\b/i.test(rest) ? text : rest;
  const name = RegExp.escape(outlet);
  const attributed = [
    new RegExp(`^(?:the )?${name} (?:said|says|reported|reports|wrote)(?: that)?\\s+`, 'i'),
    new RegExp(`^According to (?:the )?${name},\\s+`, 'i'),
    new RegExp(`, (?:according to (?:the )?${name}|(?:the )?${name} (?:said|reported))(?=\\.?$)`, 'i'),
  ].reduce((done, form) => done.replace(form, ''), rest);
  // Without an outlet, the day is that of the move itself: a plan has another one.
  return attributed === rest && rest !== text && /\b(?:will|to|plans?|may|would)\b/i.test(rest) ? text : attributed;
}

/**
 * Checks a sentence of a model: every quotation is of a signal that the model was given, word for word, and what the
 * sentence states follows from the quoted sentences.
 * @returns null for a sentence that may be shown; else why it may not
 */
export function sentenceRefusal(
  { text, quotes }: WrittenSentence,
  given: readonly GivenSignal[],
): Refusal | 'quote' | null {
  if (quotes.length === 0 || quotes.length > MAX_QUOTES) return 'quote';
  const cited = new Map<GivenSignal, { start: number; end: number }[]>();
  for (const quote of quotes) {
    const signal = given.find(({ id }) => id === quote.id);
    const start = signal && quote.text.trim().length >= SHORTEST_QUOTE ? signal.text.indexOf(quote.text) : -1;
    if (!signal || start < 0) return 'quote';
    cited.set(signal, [...(cited.get(signal) ?? []), { start, end: start + quote.text.length }]);
  }
  const passages = [...cited].map(([signal, quoted]) => ({ text: signal.text, quoted }));
  const refused = refusal(text, passages);
  if (refused === null || refused === 'form' || refused === 'advice') return refused;
  const bare = [...cited.keys()].map((signal) => withoutSource(text.trim(), signal)).find((one) => one !== text.trim());
  return bare === undefined ? refused : refusal(bare, passages);
}

/** Signals that a model is given. */
const GIVEN = 12;

const givenOf = ({ signal, stored, day }: Evidence): GivenSignal => ({
  id: signal.id,
  day: dayInWords(day),
  outlet: signal.source.outlet,
  text: stored,
});

const sentenceOf = ({ text, quotes }: WrittenSentence): Sentence => ({
  markdown: escapeMarkdown(text.trim()),
  ids: [...new Set(quotes.map(({ id }) => id))],
  quotes,
});

/** What a model wrote from evidence, and what the check left of it. */
interface Checked {
  /** Sentences that may be shown, in the order of the model. */
  readonly kept: readonly Sentence[];
  /** The share of sentences that the check dropped. */
  readonly dropped: number;
  readonly cost_usd: number;
}

/**
 * Lets a model write about evidence, of which it is given the first signals.
 * @returns its sentences without those that fail the check; none when the model fails
 */
export async function writtenSentences(
  writer: Writer,
  question: string,
  evidence: readonly Evidence[],
): Promise<Checked> {
  const given = evidence.slice(0, GIVEN).map(givenOf);
  const written = await writer.write(question, given);
  if (!written) return { kept: [], dropped: 0, cost_usd: 0 };
  const { sentences, cost_usd } = written;
  const kept = sentences.slice(0, MAX_SENTENCES).filter((one) => sentenceRefusal(one, given) === null);
  return {
    kept: kept.map(sentenceOf),
    dropped: sentences.length === 0 ? 0 : 1 - kept.length / sentences.length,
    cost_usd,
  };
}

/**
 * Lets a model word an answer. Sentences that fail the check are dropped, and the confidence falls with their share.
 * @param question as it was asked
 * @param own the answer without a model. It is returned when the answer was counted or nothing was found, and when the
 *   model fails or none of its sentences passes the check
 */
export async function writtenDraft(
  writer: Writer | null,
  question: string,
  own: Draft,
  evidence: readonly Evidence[],
): Promise<{ readonly draft: Draft; readonly cost_usd: number }> {
  if (!writer || own.basis === 'none' || own.basis === 'counted') return { draft: own, cost_usd: 0 };
  const { kept: lead, dropped, cost_usd } = await writtenSentences(writer, question, evidence);
  if (lead.length === 0) return { draft: own, cost_usd };
  const cited = new Set(lead.flatMap(({ ids }) => ids));
  // Evidence that the model left out is listed below its sentences, as quotations.
  const items = own.items.filter(({ ids }) => !ids.some((id) => cited.has(id)));
  return { draft: { ...own, lead, items, dropped }, cost_usd };
}
