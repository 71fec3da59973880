/** Answers that a model words: the port of the model, and the check that drops every sentence its quotations do not support. */
import { type Draft, escapeMarkdown, type Quoted, type Sentence } from './draft.ts';
import { type Refusal, refusal } from './entailment/entailment.ts';
import type { Evidence } from './evidence.ts';
import { spoken } from './question/calendar.ts';

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

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * A sentence without `On 20 November 2026, Daily Trade reported that`: the day and the outlet of a signal that it cites are
 * known from the record, not from its text.
 */
function withoutSource(text: string, { day, outlet }: GivenSignal): string {
  const dated = new RegExp(`^On ${escaped(day)},?\\s+`, 'i');
  const rest = text.replace(dated, '');
  if (outlet === null) return /\b(?:will|to|plans?|may|would)\b/i.test(rest) ? text : rest;
  const name = escaped(outlet);
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
  day: spoken(day),
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
