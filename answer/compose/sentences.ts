/** The sentences of answers: a signal as a bullet, the scope of a question in words, and notes on what was left out. */

import { dayInWords, istDay } from '../../language/days.ts';
import { joinNames } from '../../language/prose.ts';
import type { Move } from '../../schemas/scalar.ts';
import { escapeMarkdown, quotation, type Sentence } from '../draft.ts';
import { dayOf, type Evidence, hasWord, reportOf, stemsOf } from '../evidence.ts';
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

/** A sentence that is counted from signals and quotes none. */
export const counted = (markdown: string, evidence: readonly Evidence[]): Sentence => ({
  markdown,
  ids: idsOf(evidence),
  quotes: [],
});

/** `Mint and 2 more`: who reported the text that is quoted. */
function reporters(evidence: Evidence, text: string): string {
  const others = evidence.signal.outlets - 1;
  return `${escapeMarkdown(reportOf(evidence, text).outlet)}${others > 0 ? ` and ${others} more` : ''}`;
}

const dayIn = (evidence: Evidence, text: string): string => dayInWords(dayOf(reportOf(evidence, text), evidence));

const LONGEST_ADDED = 400;
/**
 * The sentence that a signal's reports add to its headline: the one with most words of the question that the headline lacks,
 * else the first that follows the headline, when it says more; empty otherwise.
 */
export function summaryOf(
  { headline, signal: { summary }, reports }: Evidence,
  words: readonly string[] = [],
): string[] {
  const headlineStems = stemsOf(headline);
  const missing = words.filter((word) => !hasWord(headlineStems, word));
  const lines = [...new Set(reports.flatMap((report) => report.lines))].filter(
    (line) => line.length <= LONGEST_ADDED && !headline.includes(line.replace(/[.!?…]+$/, '')),
  );
  // A signal without a summary has the first sentence of its first report: what it adds is quoted, not summed up.
  const first = reports.flatMap((report) => report.lines.slice(1, 2)).find((line) => lines.includes(line));
  const own = summary !== null && lines.includes(summary) ? summary : (first ?? null);
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

/** Quotations one after the other; one of another report than the first names its outlet and day. */
function quotations(evidence: Evidence, texts: readonly string[]): Pick<Sentence, 'ids' | 'quotes'> & { text: string } {
  const { id } = evidence.signal;
  const [first = evidence.headline] = texts;
  const parts = texts.map((text) => {
    const { outlet } = reportOf(evidence, text);
    const isSame = reportOf(evidence, first).url === reportOf(evidence, text).url;
    return isSame ? quotation(text) : `${escapeMarkdown(outlet)}, ${dayIn(evidence, text)}: ${quotation(text)}`;
  });
  return { text: parts.join(' — '), ids: [id], quotes: texts.map((text) => ({ id, text })) };
}

/** Quotes lines of a signal's reports, with the report of the first: `claim: “…” (Mint, 12 July 2026).` */
export function quoted(evidence: Evidence, texts: readonly string[], claim = ''): Sentence {
  const [first = evidence.headline] = texts;
  const { text, ...cited } = quotations(evidence, texts);
  const attribution = `${reporters(evidence, first)}, ${dayIn(evidence, first)}`;
  return { ...cited, markdown: `${claim && `${claim}: `}${text} (${attribution}).` };
}

/** A day, a month, a year or a time from now, as reports write them. */
export const TIME =
  /\b(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|(?:january|february|march|april|june|july|august|september|october|november|december)\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|20\d\d\b|FY ?\d\d|Q[1-4]\b|(?:next|this|coming) (?:week|month|quarter|year|fiscal|season)\b|(?:with)?in (?:the next )?\w+ (?:days|weeks|months|years)\b|today\b|tomorrow\b|yesterday\b|Diwali\b|festive season\b)/i;

/** Lines that are added to an answer about one signal, and words that each has at least that no line before it has. */
const MAX_ADDED = 2;
const NEW_WORDS = 6;

/**
 * What else the reports of a signal say: the lines with the most that the answer does not have, those with words of the question
 * first.
 * @param said the answer so far
 * @returns the lines in one sentence; empty where the reports say nothing more
 */
export function statedBesides(words: readonly string[], said: string, evidence: Evidence): Sentence[] {
  const added: string[] = [];
  const lines = [...new Set(evidence.reports.flatMap((report) => report.lines))].filter(
    (line) => line.length <= LONGEST_ADDED,
  );
  while (added.length < MAX_ADDED) {
    const known = stemsOf([said, ...added].join('\n'));
    const missing = words.filter((word) => !hasWord(known, word));
    const worth = (line: string): number => {
      const stems = stemsOf(line);
      const fresh = [...stems].filter((one) => !known.has(one)).length;
      return fresh < NEW_WORDS ? 0 : fresh + NEW_WORDS * missing.filter((word) => hasWord(stems, word)).length;
    };
    const [best] = lines.toSorted((one, other) => worth(other) - worth(one));
    if (best === undefined || worth(best) === 0) break;
    added.push(best);
  }
  return added.length > 0 ? [quoted(evidence, added, 'Also reported')] : [];
}

/** A report that corrects an earlier one. */
const CORRECTS = /^(?:correction|clarification|corrigendum|erratum)\b/i;

/** `Mint and 2 more reported on 9 November 2026: “…” — “…”.`, with the line that has the words of the question, or what was corrected. */
export function leadSentence(evidence: Evidence, words: readonly string[] = []): Sentence {
  const { headline } = evidence;
  const corrections = evidence.reports.flatMap(({ title }) =>
    CORRECTS.test(title) && title !== headline ? [title] : [],
  );
  const texts = [headline, ...(corrections.length > 0 ? corrections : summaryOf(evidence, words))];
  const { text, ...cited } = quotations(evidence, texts);
  const by = `${reporters(evidence, headline)} reported on ${dayIn(evidence, headline)}`;
  return { ...cited, markdown: ended(`${by}: ${text}`) };
}

/**
 * A bullet: `**9 November 2026** (Mint): “headline” — “summary”`, with a figure before it where one is given.
 * @param isDetailed whether the summary is quoted; by default it is where no figure is given
 */
export function bullet(evidence: Evidence, figure: string | null = null, isDetailed = figure === null): Sentence {
  const { headline } = evidence;
  const { text, ...cited } = quotations(evidence, [headline, ...(isDetailed ? summaryOf(evidence) : [])]);
  const before = figure === null ? '' : `**${escapeMarkdown(figure)}** · `;
  return { ...cited, markdown: `${before}${dayIn(evidence, headline)} (${reporters(evidence, headline)}): ${text}` };
}

/** The report of a signal that has most of some words as a bullet, with its sentence that has most of them. */
export function reportBullet(evidence: Evidence, words: readonly string[]): Sentence {
  const met = (text: string): number => words.filter((word) => hasWord(stemsOf(text), word)).length;
  const [report = reportOf(evidence)] = evidence.reports.toSorted((one, other) => met(other.text) - met(one.text));
  const [title = report.title, ...others] = report.lines;
  const more = others
    .filter((line) => line.length <= LONGEST_ADDED && met(line) > 0)
    .toSorted((one, other) => met(other) - met(one))
    .slice(0, 1);
  const { id } = evidence.signal;
  const texts = [title, ...more];
  const by = `${dayInWords(dayOf(report, evidence))} (${escapeMarkdown(report.outlet)})`;
  return {
    markdown: `${by}: ${texts.map(quotation).join(' — ')}`,
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
