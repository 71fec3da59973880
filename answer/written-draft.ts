/** Answers that a model words: the port of the model, and the check that drops every sentence its cited signals do not support. */
import { isCommon } from '../ingest/understand/model/words.ts';
import { tokenise } from '../ingest/understand/tokens.ts';
import { type Draft, escapeMarkdown, type Sentence } from './draft.ts';
import { spoken } from './question/calendar.ts';
import type { Question } from './question/read-question.ts';
import type { Evidence } from './retrieve-evidence.ts';

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
  /** Ids of the signals that support the sentence. */
  readonly ids: readonly string[];
}

export interface Written {
  readonly sentences: readonly WrittenSentence[];
  readonly cost_usd: number;
}

export interface Writer {
  /** Sentences that answer a question from the signals given; null when the provider fails, is slow or over budget. */
  write(question: string, signals: readonly GivenSignal[]): Promise<Written | null>;
}

const MAX_CITED = 8;
const MAX_SENTENCE_LENGTH = 600;
/** Numbers with their signs and points, months, and times. */
const NUMBER = /\d+(?:[.,]\d+)*/g;
const SCALES: readonly RegExp[] = [
  /\bcrores?\b|\bcr\b/i,
  /\blakhs?\b/i,
  /\bmillion\b|\bmn\b/i,
  /\bbillion\b|\bbn\b/i,
  /%|\bper ?cent\b|\bpc\b/i,
];
const NUMBER_WORDS =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|twenty|thirty|forty|fifty|hundred|thousand|half|double[ds]?|triple[ds]?|twice)\b/gi;
const MONTHS =
  /\b(?:january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/gi;
/** Words that negate a claim. A sentence may have one only where its signal has one too. */
const NOT = /\b(?:not|never|no longer|denie[ds]|without|n't|except|failed|refuse[ds]?)\b/i;

const plain = (text: string): string => text.replace(/(\d),(?=\d)/g, '$1').toLowerCase();
const all = (text: string, form: RegExp): string[] => [...plain(text).matchAll(form)].map(([found]) => found);

/** Capitalised words that are not ordinary words: names of people, brands and places. */
function namesIn(text: string): string[] {
  const { tokens } = tokenise(text);
  return tokens
    .filter(
      ({ text: word, capital, fold, index }) =>
        capital && /\p{L}/u.test(word) && fold.length > 1 && !(index === 0 && isCommon(fold)),
    )
    .map(({ fold }) => fold);
}

/**
 * True when the model was given the ids, and the cited texts contain everything in the sentence that it could have
 * invented: numbers with their scale, names, months, and negations.
 */
export function isSupported({ text, ids }: WrittenSentence, given: readonly GivenSignal[]): boolean {
  if (ids.length === 0 || ids.length > MAX_CITED || text.trim() === '' || text.length > MAX_SENTENCE_LENGTH)
    return false;
  if (/\bsig_|https?:|[[\]<>]/i.test(text)) return false;
  const cited = ids.map((id) => given.find((one) => one.id === id));
  if (cited.some((one) => one === undefined)) return false;
  const source = cited.flatMap((one) => (one ? [one.text, one.day, one.outlet ?? ''] : [])).join('\n');
  const numbers = new Set(all(source, NUMBER));
  if (!all(text, NUMBER).every((number) => numbers.has(number))) return false;
  if (!SCALES.every((scale) => !scale.test(text) || scale.test(source))) return false;
  const words = new Set([...all(source, NUMBER_WORDS), ...all(source, MONTHS)]);
  if (![...all(text, NUMBER_WORDS), ...all(text, MONTHS)].every((word) => words.has(word))) return false;
  if (NOT.test(text) && !NOT.test(source)) return false;
  const known = new Set(tokenise(source).tokens.map(({ fold }) => fold));
  return namesIn(text).every((name) => known.has(name));
}

/** Signals that a model is given. */
const GIVEN = 12;

const givenOf = ({ signal, stored, day }: Evidence): GivenSignal => ({
  id: signal.id,
  day: spoken(day),
  outlet: signal.source.outlet,
  text: stored,
});

const sentenceOf = ({ text, ids }: WrittenSentence): Sentence => ({
  markdown: escapeMarkdown(text.trim()),
  ids: [...new Set(ids)],
  quotes: [],
});

/**
 * Lets a model word an answer. Sentences that fail the check are dropped.
 * @param own the answer without a model. It is returned when the answer was counted or nothing was found, and when the
 *   model fails or none of its sentences passes the check
 */
export async function writtenDraft(
  writer: Writer | null,
  question: Question,
  own: Draft,
  evidence: readonly Evidence[],
): Promise<{ readonly draft: Draft; readonly cost_usd: number }> {
  if (!writer || own.basis === 'none' || own.basis === 'counted') return { draft: own, cost_usd: 0 };
  const given = evidence.slice(0, GIVEN).map(givenOf);
  const written = await writer.write(question.text, given);
  if (!written) return { draft: own, cost_usd: 0 };
  const kept = written.sentences.filter((sentence) => isSupported(sentence, given));
  if (kept.length === 0) return { draft: own, cost_usd: written.cost_usd };
  const cited = new Set(kept.flatMap(({ ids }) => ids));
  // Evidence that the model left out is listed below its sentences, as quotations.
  const items = own.items.filter(({ ids }) => !ids.some((id) => cited.has(id)));
  return { draft: { ...own, lead: kept.map(sentenceOf), items }, cost_usd: written.cost_usd };
}
