/**
 * Parts of the page of a signal: what its reports state, as rows of a table, each with the words that it follows from
 * where these are known; and how it is cited: as a link, in Markdown and in BibTeX. Pure.
 */

import { html } from 'hono/html';
import { formatDay, istDay } from '../language/days.ts';
import { formatCount } from '../language/prose.ts';
import { type Markup, outwardLink } from '../presentation/markup.ts';
import { clip, labelToWords, neutralise } from '../presentation/text.ts';
import type { FoundSignal } from '../projector/models/search-queries.ts';
import type { SignalDetail } from '../schemas/resources.ts';

type Facts = FoundSignal['facts'];

interface FactRow {
  readonly name: string;
  readonly value: string;
  /** What a text has to contain for the fact to follow from it; the first of them decides, the others rank the texts. */
  readonly words: readonly string[];
}

/** Words that belong to a quotation, with the report that prints them; the text of the signal itself has none. */
interface Quote {
  readonly text: string;
  readonly outlet: string | null;
  readonly url: string | null;
}

const DIRECTIONS = { joined: 'joins', left: 'leaves', promoted: 'promoted' } as const;
const STATUSES = { opened: 'Opened', announced: 'Announced', planned: 'Planned', closed: 'Closed' } as const;
const DEALS = {
  funding: 'Funding',
  acquisition: 'Acquisition',
  stake_sale: 'Stake sale',
  ipo: 'Listing',
  jv: 'Joint venture',
  merger: 'Merger',
} as const;

const joined = (parts: readonly (string | null | undefined | false)[], by = ', '): string =>
  parts.filter(Boolean).join(by);
const present = (words: readonly (string | null | undefined)[]): string[] => words.flatMap((word) => word || []);

/** The rows of what is known; empty where nothing is. */
function rowsOf({ delta }: Pick<SignalDetail, 'delta'>, facts: Facts | null): FactRow[] {
  const figure: FactRow[] = delta ? [{ name: 'Figure', value: delta, words: [delta] }] : [];
  if (!facts) return figure;
  const { deal, result, openings, people } = facts;
  return [
    ...figure,
    ...openings.map(({ brand, city, mall, locality, stores, status, date }) => ({
      name: STATUSES[status],
      value: joined([
        brand,
        stores !== null && formatCount(stores, 'store'),
        joined([mall, locality, city]),
        date && formatDay(date),
      ]),
      words: present([stores === null ? null : String(stores), mall, city, brand]),
    })),
    ...people.map(({ person, role, company, direction, from, to, effective }) => ({
      name: 'Person',
      value: joined([
        `${person} ${DIRECTIONS[direction]}${company ? ` ${company}` : ''}`,
        role,
        from && `from ${from}`,
        to && `to ${to}`,
        effective && `effective ${formatDay(effective)}`,
      ]),
      words: present([person, role, company]),
    })),
    ...(deal
      ? [
          {
            name: DEALS[deal.type],
            value: joined([
              deal.amount,
              deal.target,
              deal.buyers.length > 0 && `by ${deal.buyers.join(', ')}`,
              deal.status,
            ]),
            words: present([deal.amount ?? deal.target, deal.target, ...deal.buyers]),
          },
        ]
      : []),
    ...(result
      ? [
          {
            name: 'Result',
            value: joined([
              result.company,
              joined([labelToWords(result.metric), result.value], ' '),
              result.growth_pct !== null && `${result.growth_pct > 0 ? '+' : '−'}${Math.abs(result.growth_pct)}%`,
              result.period,
            ]),
            words: present([
              result.value ?? (result.growth_pct === null ? null : `${Math.abs(result.growth_pct)}%`),
              result.company,
            ]),
          },
        ]
      : []),
  ].filter(({ value }) => value !== '');
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
function quoteOf({ words: [first, ...others] }: FactRow, texts: readonly Quote[]): Quote | null {
  if (first === undefined) return null;
  const rank = ({ text }: Quote): number => others.filter((word) => hasWords(text, word)).length;
  const fitting = texts.filter(({ text }) => hasWords(text, first));
  return fitting.toSorted((one, other) => rank(other) - rank(one))[0] ?? null;
}

/** More rows would make the page heavy. */
const MAXIMUM_ROWS = 16;

const quoteCell = (quote: Quote | null): Markup =>
  quote === null
    ? html`<td class="long said">No report is quoted.</td>`
    : html`<td class="long"><q>${clip(neutralise(quote.text), 240)}</q>${quote.outlet ? html` <small>${outwardLink(quote.url, clip(neutralise(quote.outlet), 60))}</small>` : null}</td>`;

/** The table of facts; null without any. @param facts what the reports state; null where that is not known */
export function factTable(signal: SignalDetail, facts: Facts | null): Markup | null {
  const rows = rowsOf(signal, facts).slice(0, MAXIMUM_ROWS);
  if (rows.length === 0) return null;
  const texts = quotable(signal);
  return html`<section class="stated"><h2>Facts</h2><div class="scroll" tabindex="0" role="region" aria-label="Facts"><table>
  <thead><tr><th scope="col">Fact</th><th scope="col">Value</th><th scope="col">As printed</th></tr></thead>
  <tbody>${rows.map((row) => html`<tr><th scope="row">${row.name}</th><td>${clip(neutralise(row.value), 160)}</td>${quoteCell(quoteOf(row, texts))}</tr>`)}</tbody>
</table></div></section>`;
}

type Cited = Pick<SignalDetail, 'id' | 'url' | 'headline' | 'published_at'>;

const MARKDOWN = /[\\`*_[\]<>]/g;

/** `[headline](url), Clarity, 21 November 2026` */
export const markdownCitation = ({ url, headline, published_at }: Cited): string =>
  `[${headline.replace(MARKDOWN, '\\$&')}](${url}), Clarity, ${formatDay(published_at)}`;

/** The characters that TeX would take for commands. */
const TEX: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};
const tex = (text: string): string =>
  text.replace(/[\\~^{}&%$#_]/g, (character) => TEX[character] ?? `\\${character}`).replace(/₹/g, 'Rs~');

/** An entry `@misc` whose key is the id of the signal. */
export function bibtexCitation({ id, url, headline, published_at }: Cited): string {
  const day = istDay(published_at);
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
