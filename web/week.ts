/** The counts of the last seven days: the column next to the feed, and examples where a page has no entries. */

import { html } from 'hono/html';
import { DAY } from '../language/days.ts';
import { addressWith, brandPath, cityPath, type Markup } from '../presentation/markup.ts';
import { provisionalBrands } from '../presentation/public-records.ts';
import { MOVE_NAMES, slugToWords } from '../presentation/text.ts';
import { type NameCount, recentCounts } from '../projector/models/signals-queries.ts';
import { MOVES, StoredBrandSlug } from '../schemas/scalar.ts';
import { cacheFor } from './names.ts';
import { countedPart, excerpt } from './parts.ts';
import type { Site } from './site.ts';

const MAXIMUM_COUNTS = 40;
const LISTED = 8;
const WEEK_SECONDS = 60;

interface NamedCount {
  readonly key: string;
  readonly name: string;
  readonly stories: number;
}

export interface Week {
  readonly stories: number;
  readonly moves: readonly NamedCount[];
  readonly themes: readonly NamedCount[];
  readonly brands: readonly NamedCount[];
  readonly cities: readonly NamedCount[];
}

/** Makes a loader of the counts of the last seven days, cached for a minute. Brands outside the catalogue are named by slug. */
export const weekLoader = ({ database, directory, now }: Site): (() => Promise<Week>) => {
  const load = async (): Promise<Week> => {
    const catalogued = directory.brands.flatMap(({ slug }) => directory.slugsOf(slug));
    const since = new Date(now().getTime() - 7 * DAY);
    const counts = await recentCounts(database, since, MAXIMUM_COUNTS, catalogued);
    const slugs = counts.brands.map(({ key }) => StoredBrandSlug.parse(key));
    const provisional = await provisionalBrands({ database, directory }, slugs);
    const named = (list: readonly NameCount[], nameOf: (key: string) => string): NamedCount[] =>
      list.map(({ key, stories }) => ({ key, stories, name: excerpt(nameOf(key), 50) }));
    return {
      stories: counts.stories,
      moves: MOVES.map((move) => ({ key: move, name: MOVE_NAMES[move], stories: counts.moves[move] })),
      themes: named(counts.themes, (slug) => directory.theme(slug)?.name ?? slugToWords(slug)),
      brands: named(
        counts.brands.filter(({ key }) => !provisional.has(key)),
        (slug) => directory.brand(StoredBrandSlug.parse(slug))?.name ?? slugToWords(slug),
      ),
      cities: named(counts.cities, (city) => city),
    };
  };
  return cacheFor(WEEK_SECONDS, now, load, ({ stories }) => stories > 0);
};

const themePath = (slug: string): string => `/theme/${slug}`;

/** Links with counts under a heading; null without any. */
export const countedNames = (heading: string, entries: readonly NamedCount[], pathOf: (key: string) => string) =>
  countedPart(
    heading,
    entries.map(
      ({ key, name, stories }) => html`<li><a href="${pathOf(key)}">${name}</a> <span>${stories}</span></li>`,
    ),
  );

/** The column next to the feed. */
export const weekColumn = ({ moves, brands, cities, themes }: Week): Markup => html`
  ${countedNames('Seven days, by kind', moves.slice(0, LISTED), (kind) => addressWith('/', { kind }))}
  ${countedNames('Brands with most stories', brands.slice(0, LISTED), brandPath)}
  ${countedNames('Themes', themes.slice(0, LISTED), themePath)}
  ${countedNames('Cities', cities.slice(0, LISTED), cityPath)}`;

const EXAMPLES = 3;

/** A page without entries: what there is none of, and names of the last seven days with their stories. */
export function emptyPage(message: Markup, { brands, cities, themes }: Week): Markup {
  const links = (list: readonly NamedCount[], pathOf: (key: string) => string): Markup[] =>
    list.slice(0, EXAMPLES).map(({ key, name, stories }) => html` <a href="${pathOf(key)}">${name}</a> (${stories})`);
  const examples = [...links(brands, brandPath), ...links(cities, cityPath), ...links(themes, themePath)];
  return html`<div class="empty"><p>${message}</p>${examples.length === 0 ? null : html`<p class="note">On record this week:${examples}.</p>`}</div>`;
}
