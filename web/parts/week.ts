/** The week in figures: what was told most in the last seven days. */
import { html } from 'hono/html';
import { recentCounts, type Told } from '../../projector/models/signals-queries.ts';
import { MOVES } from '../../schemas/scalar.ts';
import { address, brandPath, cityPath } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { remember } from '../remember.ts';
import type { Site } from '../site.ts';
import { clip, neutralise, unslug } from '../text.ts';

const DAY = 86_400_000;
const MOST = 40;
const LISTED = 8;
const KEPT_SECONDS = 60;

interface Named {
  readonly key: string;
  readonly name: string;
  readonly stories: number;
}

export interface Week {
  readonly stories: number;
  readonly moves: readonly Named[];
  readonly themes: readonly Named[];
  readonly brands: readonly Named[];
  readonly cities: readonly Named[];
}

/** A loader of the week, kept for a minute. Brands that the catalogue lacks are named by their slugs. */
export const weekOf = ({ database, directory, now }: Site): (() => Promise<Week>) => {
  const load = async (): Promise<Week> => {
    const counts = await recentCounts(database, new Date(now().getTime() - 7 * DAY), MOST);
    const named = (told: readonly Told[], nameOf: (key: string) => string): Named[] =>
      told.map(({ key, stories }) => ({ key, stories, name: clip(neutralise(nameOf(key)), 50) }));
    return {
      stories: counts.stories,
      moves: MOVES.map((move) => ({ key: move, name: MOVE_NAMES[move], stories: counts.moves[move] })),
      themes: named(counts.themes, (slug) => directory.theme(slug)?.name ?? unslug(slug)),
      brands: named(counts.brands, (slug) => directory.brand(slug)?.name ?? unslug(slug)),
      cities: named(counts.cities, (city) => city),
    };
  };
  return remember(KEPT_SECONDS, now, load, ({ stories }) => stories > 0);
};

/** Names with their counts as links. */
export const countedList = (entries: readonly Named[], pathOf: (key: string) => string): Markup =>
  html`<ul class="counted">${entries.map(
    ({ key, name, stories }) => html`<li><a href="${pathOf(key)}">${name}</a> <span>${stories}</span></li>`,
  )}</ul>`;

const section = (heading: string, list: readonly Named[], pathOf: (key: string) => string): Markup | null =>
  list.length === 0 ? null : html`<section><h2>${heading}</h2>${countedList(list.slice(0, LISTED), pathOf)}</section>`;

/** The column beside the feed. */
export const weekColumn = ({ moves, brands, cities, themes }: Week): Markup => html`
  ${section('Seven days, by kind', moves, (kind) => address('/', { kind }))}
  ${section('Most told brands', brands, brandPath)}
  ${section('Themes', themes, (slug) => `/theme/${slug}`)}
  ${section('Cities', cities, cityPath)}`;
