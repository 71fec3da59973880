/** The parts that pages are made of: heads, sections, tables, lists of stories, figures, rows of links. */
import { html } from 'hono/html';
import { formatDay } from '../language/days.ts';
import { type Markup, timeTag } from '../presentation/markup.ts';
import { clip, neutralise } from '../presentation/text.ts';
import { reportedAt, type SignalReference } from '../schemas/resources.ts';

type Content = Markup | string | number | readonly (Markup | null)[] | null;

/** A text of the record as pages show it: without invisible characters, and cut. */
export const excerpt = (text: string, maximum = 60): string => clip(neutralise(text), maximum);

/** The day of an instant: `21 November 2026`. */
export const dayTag = (instant: string): Markup => timeTag(instant, formatDay(instant));

/**
 * The head of a page.
 * @param kicker the kind of page; none when null
 * @param more one line below the heading
 * @param actions buttons at the right
 */
export const subject = (
  kicker: Content,
  heading: Content,
  more: Content = null,
  actions: Content = null,
): Markup => html`<header class="subject"><div class="title">
  ${kicker === null ? null : html`<p class="kicker">${kicker}</p>`}
  <h1>${heading}</h1> ${more}</div>${actions === null ? null : html`<div class="do">${actions}</div>`}</header>`;

/** The body of a page that says one thing, such as an error. */
export const notice = (kicker: Content, heading: string, body: Content): Markup =>
  html`<article class="notice"><p class="kicker">${kicker}</p> <h1>${heading}</h1> ${body}</article>`;

/** A section of a page. @param style its class; none when null */
export const part = (heading: Content, body: Content, style: string | null = 'part'): Markup =>
  html`<section${style === null ? null : html` class="${style}"`}><h2>${heading}</h2>${body}</section>`;

/** A section with a list; null when the list is empty. */
export const listPart = <Entry>(
  heading: Content,
  entries: readonly Entry[],
  body: (entries: readonly Entry[]) => Content,
  style: string | null = 'part',
): Markup | null => (entries.length === 0 ? null : part(heading, body(entries), style));

/** A list without marks. */
export const plainList = (items: readonly Markup[]): Markup => html`<ul class="plain-list">${items}</ul>`;

/** A list of names in a narrow column, each with its count. */
export const counted = (items: readonly Markup[]): Markup => html`<ul class="counted">${items}</ul>`;

/** The same under a heading; null when there are none. */
export const countedPart = (heading: Content, items: readonly Markup[]): Markup | null =>
  listPart(heading, items, counted, null);

/** A signal as an item of a list: its headline and its day. */
export const storyItem = (
  { slug, headline, ...dates }: Pick<SignalReference, 'slug' | 'headline' | 'published_at' | 'reported_at'>,
  maximum = 140,
): Markup =>
  html`<li><a href="/signal/${slug}">${excerpt(headline, maximum)}</a><small>${dayTag(reportedAt(dates))}</small></li>`;

/** A region that scrolls where a table is wider than the window. */
export const scrolled = (label: string, content: Markup): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${content}</div>`;

/** The heading of a column; null for one without. Figures are aligned to the right. */
export type Column = string | { readonly figure: string } | null;

/** The head of a table. */
export const tableHead = (columns: readonly Column[], more: Content = null): Markup =>
  html`<thead><tr>${columns.map((column) => {
    if (column === null) return html`<td></td>`;
    if (typeof column === 'string') return html`<th scope="col">${column}</th>`;
    return html`<th scope="col" class="figure">${column.figure}</th>`;
  })}${more}</tr></thead>`;

const ARROWS = { ascending: '▲', descending: '▼' } as const;

/** The heading of a column that sorts by it. @param direction in which the table is sorted by it now; null for another */
export const sortableHead = ({
  name,
  path,
  direction,
  isFigure = false,
}: {
  readonly name: string;
  readonly path: string;
  readonly direction: keyof typeof ARROWS | null;
  readonly isFigure?: boolean;
}): Markup =>
  html`<th scope="col"${isFigure ? html` class="figure"` : null}${direction ? html` aria-sort="${direction}"` : null}><a href="${path}">${name}${direction ? html` <span aria-hidden="true">${ARROWS[direction]}</span>` : null}</a></th>`;

/** A table of rows. @param label says what it lists, for screen readers */
export const table = (label: string, columns: readonly Column[], rows: readonly Markup[]): Markup =>
  scrolled(label, html`<table>${tableHead(columns)}<tbody>${rows}</tbody></table>`);

/** Figures with their names. */
export const figures = (entries: readonly (readonly [name: string, value: Content])[]): Markup =>
  html`<dl class="figures">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

interface BoardCard {
  readonly path: string;
  readonly count: string;
  readonly name: string;
  /** In small letters, such as the age of the oldest. */
  readonly note?: string | null;
  readonly isUrgent?: boolean;
}

/** Cards with counts, each a link to what it counts. */
export const board = (cards: readonly BoardCard[]): Markup =>
  html`<ul class="board">${cards.map(
    ({ path, count, name, note, isUrgent }) =>
      html`<li><a class="card${isUrgent ? ' urgent' : ''}" href="${path}"><b>${count}</b> ${name}${note ? html` <small>${note}</small>` : null}</a></li>`,
  )}</ul>`;

interface RowLink {
  readonly path: string;
  readonly name: string;
  readonly isCurrent?: boolean;
  /** The address shows nothing that search engines lack. */
  readonly isUnlisted?: boolean;
}

/** Links next to each other, such as the kinds of move. */
export const linkRow = (label: string, links: readonly RowLink[]): Markup =>
  html`<nav class="kinds" aria-label="${label}">${links.map(
    ({ path, name, isCurrent, isUnlisted }) =>
      html`<a href="${path}"${isUnlisted ? html` rel="nofollow"` : null}${isCurrent ? html` aria-current="true"` : null}>${name}</a> `,
  )}</nav>`;

/** A filter that is set. */
interface ChipLink {
  readonly text: string;
  /** Address of the list without the filter. */
  readonly without: string;
}

/** The filters that are set as links that remove them; null without any. @param none address without all of them */
export const chipLinks = (chips: readonly ChipLink[], none: string): Markup | null =>
  chips.length === 0
    ? null
    : html`<ul class="chips" aria-label="Filters that are set">${chips.map(
        ({ text, without }) =>
          html`<li><a class="chip" href="${without}" aria-label="Remove the filter ${clip(text, 80)}">${clip(text, 80)} <span aria-hidden="true">✕</span></a></li> `,
      )}${chips.length > 1 ? html`<li><a class="chip" href="${none}">Remove all</a></li>` : null}</ul>`;

/** The link to the next page of a list; null on the last page. */
export const olderPager = (path: string | null): Markup | null =>
  path === null
    ? null
    : html`<nav class="pager" aria-label="Pages"><a href="${path}" rel="next">Older entries</a></nav>`;
