/** One signal in a list: what moved, by how much, who says so. */
import { html } from 'hono/html';
import type { SignalItem } from '../../schemas/resources.ts';
import { City } from '../feed-query.ts';
import { address, outwardLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { clip, counted } from '../text.ts';
import { clock, timeTag } from '../time.ts';

const MOST_BRANDS = 5;
const MOST_CITIES = 4;

/** Brands as links, the ones that the story is about first and stronger. */
export const brandLinks = (brands: SignalItem['brands'], most = Number.POSITIVE_INFINITY): Markup[] =>
  brands
    .toSorted((one, other) => one.role.localeCompare(other.role))
    .slice(0, most)
    .map(({ slug, name, role }) => html`<a class="brand ${role}" href="/brand/${slug}">${clip(name, 60)}</a> `);

/** Cities as links to their feed; what no address can name stays text. */
export const cityLinks = (cities: readonly string[], most = Number.POSITIVE_INFINITY): Markup[] =>
  cities
    .slice(0, most)
    .map((city) =>
      City.safeParse(city).success
        ? html`<a class="city" href="${address('/', { city })}">${clip(city, 40)}</a> `
        : html`<span class="city">${clip(city, 40)}</span> `,
    );

const others = (outlets: number): Markup | null =>
  outlets > 1 ? html`<span class="others">and ${counted(outlets - 1, 'more outlet')}</span>` : null;

const kicker = ({ move, kind, theme }: SignalItem): Markup => html`<p class="kicker">
  <a href="${address('/', { kind: move })}">${MOVE_NAMES[move]}</a>
  ${kind && kind.toLowerCase() !== move ? html`<span>${clip(unkebab(kind), 40)}</span>` : null}
  ${theme ? html`<a class="theme" href="/theme/${theme.slug}">${clip(theme.name, 40)}</a>` : null}
</p>`;

/** An editorial label as words: `store_opening` reads "store opening". */
export const unkebab = (label: string): string => label.replaceAll(/[_-]/g, ' ');

/** The entry as an article of the feed. */
export const signalEntry = (signal: SignalItem): Markup => html`<article class="entry">
  ${kicker(signal)}
  <h3><a href="/signal/${signal.slug}">${clip(signal.headline, 240)}</a></h3>
  ${signal.delta ? html`<p class="delta">${clip(signal.delta, 40)}</p>` : null}
  ${signal.summary && signal.summary !== signal.headline ? html`<p class="summary">${clip(signal.summary, 320)}</p>` : null}
  <p class="about">${brandLinks(signal.brands, MOST_BRANDS)}${cityLinks(signal.cities, MOST_CITIES)}</p>
  <p class="byline">${timeTag(signal.published_at, `${clock(signal.published_at)} IST`)}
    <span>${outwardLink(signal.source.url, clip(signal.source.outlet ?? 'Original report', 60))} ${others(signal.outlets)}</span>
  </p>
</article>
`;
