/** What narrows a feed: the kinds of move as links, and what is set now, each with a way out. */
import { html } from 'hono/html';
import { MOVES } from '../../schemas/scalar.ts';
import { address, type Filters } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { clip } from '../text.ts';

const kindLink = (path: string, filters: Filters, kind: string | undefined, name: string): Markup => {
  const current = filters.kind === kind ? html` aria-current="true"` : null;
  return html`<a href="${address(path, { ...filters, kind, cursor: undefined })}"${current}>${name}</a> `;
};

/** The eight kinds as links that keep every other filter. */
export const kindFilter = (
  path: string,
  filters: Filters,
): Markup => html`<nav class="kinds" aria-label="Kinds of move">
  ${kindLink(path, filters, undefined, 'All')}${MOVES.map((kind) => kindLink(path, filters, kind, MOVE_NAMES[kind]))}
</nav>`;

const NAMES = { q: 'search', brand: 'brand', theme: 'theme', city: 'city' } as const;

/** Filters that are set beside the kind, each with a link that takes it off. */
export const setFilters = (path: string, filters: Filters): Markup | null => {
  const set = (['q', 'brand', 'theme', 'city'] as const).filter((name) => filters[name] !== undefined);
  if (set.length === 0) return null;
  return html`<p class="set">Only ${set.map(
    (name) => html`<span>${NAMES[name]} <b>${clip(filters[name] ?? '', 60)}</b>
    <a href="${address(path, { ...filters, [name]: undefined, cursor: undefined })}" aria-label="Without this ${NAMES[name]}">✕</a></span> `,
  )}</p>`;
};
