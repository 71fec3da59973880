/** What a search finds: pages whose name is meant, then signals, the best first. */
import { html } from 'hono/html';
import { findNames, type Named } from '../../projector/models/names-queries.ts';
import { searchBox } from '../../projector/models/search-queries.ts';
import { SignalItem } from '../../schemas/resources.ts';
import type { FeedQuery } from '../feed-query.ts';
import { brandPath, cityPath } from '../links.ts';
import type { Markup } from '../markup.ts';
import type { Site } from '../site.ts';
import { clip, neutralise, readDocument } from '../text.ts';
import { shortDay } from '../time.ts';
import { kindFilter, setFilters } from './filters.ts';
import { signalEntry } from './signal-entry.ts';

const MOST = 20;
const MOST_NAMES = 4;
/** Names less alike than this are not what was typed. */
const ALIKE = 0.5;

const pathOf = ({ type, slug, name }: Named): string => {
  if (type === 'brand') return brandPath(slug);
  return type === 'theme' ? `/theme/${slug}` : cityPath(name);
};

const named = (names: readonly Named[]): Markup | null =>
  names.length === 0
    ? null
    : html`<p class="note">Pages: ${names.map(
        (name) => html`<a href="${pathOf(name)}">${clip(neutralise(name.name), 50)}</a> (${name.type}) `,
      )}</p>`;

/** Not by day, as the feed is: the best first, each with its date. */
const ranked = (signals: readonly SignalItem[]): Markup => html`<div class="feed"><section class="day">
  <header class="day-head"><h2>Best first</h2></header>
  <div class="entries">${signals.map((signal) => signalEntry(signal, ({ published_at }) => shortDay(published_at)))}</div>
</section></div>`;

/** @param shown with its words */
export async function searchResults({ database, directory }: Site, shown: FeedQuery): Promise<Markup> {
  const { q = '', kind, brand, theme, city } = shown;
  const one = (value: string | undefined): string[] => (value === undefined ? [] : [value]);
  const [names, found] = await Promise.all([
    findNames(database, q, { limit: MOST_NAMES, directory }),
    searchBox(database, {
      text: q,
      brands: brand === undefined ? [] : directory.slugsOf(brand),
      themes: one(theme),
      cities: one(city),
      moves: kind ? [kind] : [],
      limit: MOST,
    }),
  ]);
  const signals = found.map(({ signal }) => readDocument(JSON.stringify(signal), SignalItem));
  return html`${kindFilter('/', shown)}${setFilters('/', shown)}
    ${named(names.filter(({ score }) => score >= ALIKE))}
    ${
      signals.length === 0
        ? html`<p class="empty">Nothing in the record has these words. Fewer or other words may find it; <a href="/index">the index</a> lists every name.</p>`
        : ranked(signals)
    }`;
}
