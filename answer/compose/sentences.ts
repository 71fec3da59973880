/** The sentences of answers: a signal as a bullet, the scope of a question in words, and notes on what was left out. */

import { dayInWords, istDay } from '../../language/days.ts';
import { joinNames } from '../../language/prose.ts';
import type { Move } from '../../schemas/scalar.ts';
import { escapeMarkdown, quotation, type Sentence } from '../draft.ts';
import { type Evidence, hasWord, reportOf, stemsOf } from '../evidence.ts';
import type { Found, GivenUp } from '../find-evidence.ts';
import type { TypedQuery } from '../question/typed-query.ts';

/** One and several of a kind of move. */
export const NOUNS: Readonly<Record<Move, readonly [one: string, many: string]>> = {
  stores: ['store move', 'store moves'],
  deals: ['deal', 'deals'],
  people: ['people move', 'people moves'],
  results: ['result', 'results'],
  launches: ['launch', 'launches'],
  strategy: ['strategy move', 'strategy moves'],
  rules: ['regulatory or legal move', 'regulatory or legal moves'],
  other: ['other move', 'other moves'],
};

export const idsOf = (evidence: readonly Evidence[]): string[] => [...new Set(evidence.map(({ signal }) => signal.id))];

/** `Mint and 2 more`: who reported the text that is quoted. */
function reporters(evidence: Evidence, text: string): string {
  const others = evidence.signal.outlets - 1;
  return `${escapeMarkdown(reportOf(evidence, text).outlet)}${others > 0 ? ` and ${others} more` : ''}`;
}

/** `Mint and 2 more, 12 July 2026`: who reported a text, and when; the day of the move where the report has no date. */
function attribution(evidence: Evidence, text: string): string {
  const { published_at } = reportOf(evidence, text);
  return `${reporters(evidence, text)}, ${dayInWords(published_at ? istDay(new Date(published_at)) : evidence.day)}`;
}

const LONGEST_ADDED = 400;
/**
 * The sentence that a signal adds to its headline: the one with most words of the question that the headline lacks, else its
 * summary, when that says more; empty otherwise.
 */
export function summaryOf(
  { signal: { headline, summary }, stored }: Evidence,
  words: readonly string[] = [],
): string[] {
  const known = stemsOf(headline);
  const missing = words.filter((word) => !hasWord(known, word));
  const lines = stored
    .split('\n')
    .filter((line) => line.length <= LONGEST_ADDED && !headline.includes(line) && line !== headline);
  const own = summary !== null && lines.includes(summary) ? summary : null;
  let [best, most] = [own ?? '', 0];
  if (missing.length > 0)
    for (const line of own === null ? lines : [own, ...lines]) {
      const stems = stemsOf(line);
      const met = missing.filter((word) => hasWord(stems, word)).length;
      if (met > most) [best, most] = [line, met];
    }
  return best === '' ? [] : [best];
}

/** Ends a sentence that ends with a quotation, unless the quotation does. */
const ended = (text: string): string => (/[.!?…]”$/.test(text) ? text : `${text}.`);

/** Quotes lines of a signal's stored text, with the report that they are from: `claim: “…” (Mint, 12 July 2026).` */
export function quoted(evidence: Evidence, texts: readonly string[], claim = ''): Sentence {
  const { id } = evidence.signal;
  const [first = evidence.signal.headline] = texts;
  const quotes = texts.map(quotation).join(' — ');
  return {
    markdown: `${claim && `${claim}: `}${quotes} (${attribution(evidence, first)}).`,
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}

/** `Mint and 2 more reported on 9 November 2026: “…” — “…”.`, with the line that has the words of the question. */
export function leadSentence(evidence: Evidence, words: readonly string[] = []): Sentence {
  const { id, headline } = evidence.signal;
  const texts = [headline, ...summaryOf(evidence, words)];
  const { published_at } = reportOf(evidence, headline);
  const day = dayInWords(published_at ? istDay(new Date(published_at)) : evidence.day);
  return {
    markdown: ended(`${reporters(evidence, headline)} reported on ${day}: ${texts.map(quotation).join(' — ')}`),
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}

/**
 * A bullet: `**9 November 2026** (Mint): “headline” — “summary”`, with a figure before it where one is given.
 * @param isDetailed whether the summary is quoted; by default it is where no figure is given
 */
export function bullet(evidence: Evidence, figure: string | null = null, isDetailed = figure === null): Sentence {
  const { id, headline } = evidence.signal;
  const texts = [headline, ...(isDetailed ? summaryOf(evidence) : [])];
  const { published_at } = reportOf(evidence, headline);
  const day = dayInWords(published_at ? istDay(new Date(published_at)) : evidence.day);
  const before = figure === null ? '' : `**${escapeMarkdown(figure)}** · `;
  return {
    markdown: `${before}${day} (${reporters(evidence, headline)}): ${texts.map(quotation).join(' — ')}`,
    ids: [id],
    quotes: texts.map((text) => ({ id, text })),
  };
}

const plain = (text: string): string => text.replaceAll('_', ' ');

/** What a query is about, in words: `Trent and jewellery`; empty where nothing is named. */
export const subjectOf = ({ brands, unknown_names, mentions, categories, themes }: TypedQuery): string =>
  joinNames([
    ...brands.map(({ name }) => escapeMarkdown(name)),
    ...unknown_names.map((name) => quotation(name)),
    ...mentions.map(({ name }) => escapeMarkdown(name)),
    ...categories.map(plain),
    ...themes.map(({ name }) => escapeMarkdown(name)),
  ]);

/** Where and when, in words: `in Pune in June 2026`; empty for a query without both. */
export const scopeOf = ({ places, period }: TypedQuery): string =>
  [places.length > 0 ? `in ${joinNames(places.map(({ name }) => escapeMarkdown(name)))}` : '', period?.label ?? '']
    .filter(Boolean)
    .join(' ');

/** Since when the record is kept, for answers that count: `in the record, which begins on 27 May 2026`. */
export const recordOf = ({ began }: Pick<Found, 'began'>): string =>
  began ? `in the record, which begins on ${dayInWords(istDay(began))}` : 'in the record';

const OTHERWISE: Readonly<Record<GivenUp, string>> = {
  period: 'at any time',
  mentions: 'without the name',
  places: 'anywhere',
  kinds: 'of any kind',
  brands: 'of any brand',
  categories: 'of any category',
  store_status: 'whether opened, planned or closed',
  person: 'about anybody',
  deal: 'of any type of deal',
};

/** `at any time, of any kind`: how the nearest signals differ from what was asked. */
export const differenceOf = (givenUp: readonly GivenUp[]): string => givenUp.map((part) => OTHERWISE[part]).join(', ');

/** A period that begins before the record does, said. */
export function youngRecord({ period }: TypedQuery, { began }: Pick<Found, 'began'>): string[] {
  if (!period || !began || new Date(period.since) >= began) return [];
  return [`The record begins on ${dayInWords(istDay(began))}; nothing earlier is counted.`];
}
