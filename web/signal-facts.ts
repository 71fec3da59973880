/**
 * Parts of the page of a signal: what its reports state, as rows of a table, each with the words that it follows from
 * where these are known; and how it is cited: as a link, in Markdown and in BibTeX. Pure.
 */

import { html } from 'hono/html';
import { FACTS } from '../facts/all-facts.ts';
import type { FactLine } from '../facts/fact.ts';
import { formatDay, istDay } from '../language/days.ts';
import { type Markup, outwardLink } from '../presentation/markup.ts';
import type { FoundSignal } from '../projector/models/search-queries.ts';
import { statedFacts } from '../schemas/facts.ts';
import { reportedAt, type SignalDetail } from '../schemas/resources.ts';
import { excerpt } from './parts.ts';

type Facts = FoundSignal['facts'];

/** Words that belong to a quotation, with the report that prints them; the text of the signal itself has none. */
interface Quote {
  readonly text: string;
  readonly outlet: string | null;
  readonly url: string | null;
}

/** The rows of what is known; empty where nothing is. */
function rowsOf({ delta }: Pick<SignalDetail, 'delta'>, facts: Facts | null): FactLine[] {
  const stated = FACTS.flatMap(({ kind, ask }) => statedFacts(facts ?? {}, kind).map((fact) => ask.line(fact)));
  return [...(delta ? [{ name: 'Figure', value: delta, words: [delta] }] : []), ...stated].filter(
    ({ value }) => value !== '',
  );
}

const folded = (text: string): string => text.toLowerCase().replace(/(?<=\d),(?=\d)/g, '');
const NAMED = /^[\p{L}\p{N}]/u;

/** Whether a text has words as whole words: "4" is not in "40". */
function hasWords(text: string, words: string): boolean {
  const at = folded(text).indexOf(folded(words));
  if (at < 0) return false;
  const [before, after] = [folded(text)[at - 1] ?? ' ', folded(text)[at + folded(words).length] ?? ' '];
  return !(NAMED.test(before) && NAMED.test(words)) && !(NAMED.test(after) && /[\p{L}\p{N}]$/u.test(words));
}

/** The texts of a signal that can be quoted: headlines as printed, then the sentences of its summary. */
const quotable = ({ reports, summary, deck, key_facts }: SignalDetail): Quote[] => [
  ...reports.map(({ headline, outlet, url }) => ({ text: headline, outlet, url })),
  ...[summary, deck, ...key_facts]
    .flatMap((text) => text?.match(/[^.!?]+(?:[.!?](?=\S)[^.!?]*)*[.!?]*/g) ?? [])
    .map((text) => ({ text: text.trim(), outlet: null, url: null })),
];

/** The text that has most words of a fact, its first word included; null where none has. */
function quoteOf({ words }: FactLine, texts: readonly Quote[]): Quote | null {
  const [first, ...others] = words.filter((word) => word !== null);
  if (first === undefined) return null;
  const rank = ({ text }: Quote): number => others.filter((word) => hasWords(text, word)).length;
  const fitting = texts.filter(({ text }) => hasWords(text, first));
  return fitting.toSorted((one, other) => rank(other) - rank(one))[0] ?? null;
}

/** More rows would make the page heavy. */
const MAXIMUM_ROWS = 16;

/** The quotation of a row; rows of one quotation next to each other share its cell. @param span how many rows share it */
const quoteCell = (quote: Quote | null, span: number): Markup =>
  quote === null
    ? html`<td class="long said">No report is quoted.</td>`
    : html`<td class="long"${span > 1 ? html` rowspan="${span}"` : null}><q>${excerpt(quote.text, 240)}</q>${quote.outlet ? html` <small>${outwardLink(quote.url, excerpt(quote.outlet))}</small>` : null}</td>`;

/** The table of facts; null without any. @param facts what the reports state; null where that is not known */
export function factTable(signal: SignalDetail, facts: Facts | null): Markup | null {
  const rows = rowsOf(signal, facts).slice(0, MAXIMUM_ROWS);
  if (rows.length === 0) return null;
  const texts = quotable(signal);
  const quotes = rows.map((row) => quoteOf(row, texts));
  const cellAt = (at: number): Markup | null => {
    const quote = quotes[at] ?? null;
    const isSame = (one: Quote | null | undefined): boolean => quote !== null && one?.text === quote.text;
    if (at > 0 && isSame(quotes[at - 1])) return null;
    const end = quotes.findIndex((one, index) => index > at && !isSame(one));
    return quoteCell(quote, (end < 0 ? quotes.length : end) - at);
  };
  return html`<section class="stated"><h2>Facts</h2><div class="scroll" tabindex="0" role="region" aria-label="Facts"><table>
  <thead><tr><th scope="col">Fact</th><th scope="col">Value</th><th scope="col">As printed</th></tr></thead>
  <tbody>${rows.map((row, at) => html`<tr><th scope="row">${row.name}</th><td>${excerpt(row.value, 160)}</td>${cellAt(at)}</tr>`)}</tbody>
</table></div></section>`;
}

type Cited = Pick<SignalDetail, 'id' | 'url' | 'headline' | 'published_at' | 'reported_at'>;

const MARKDOWN = /[\\`*_[\]<>]/g;

/** `[headline](url), Clarity, 21 November 2026` */
export const markdownCitation = ({ url, headline, ...dates }: Cited): string =>
  `[${headline.replace(MARKDOWN, '\\$&')}](${url}), Clarity, ${formatDay(reportedAt(dates))}`;

/** The characters that TeX would take for commands. */
const TEX: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};
const tex = (text: string): string =>
  text.replace(/[\\~^{}&%$#_]/g, (character) => TEX[character] ?? `\\${character}`).replace(/₹/g, 'Rs~');

/** An entry `@misc` whose key is the id of the signal. */
export function bibtexCitation({ id, url, headline, ...dates }: Cited): string {
  const day = istDay(reportedAt(dates));
  return [
    `@misc{${id},`,
    '  author = {{Clarity}},',
    `  title = {{${tex(headline)}}},`,
    `  year = {${day.slice(0, 4)}},`,
    `  date = {${day}},`,
    `  url = {${url}}`,
    '}',
  ].join('\n');
}
