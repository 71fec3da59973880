/** One signal as a line of the ledger: when, what moved, by how much, who says so. */
import { html } from 'hono/html';
import type { SignalItem } from '../../schemas/resources.ts';
import { address, brandPath, cityPath, outwardLink } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { clip, counted } from '../text.ts';
import { clock, timeTag } from '../time.ts';

const MOST_BRANDS = 4;
const MOST_CITIES = 3;
/** A longer address of a report is left to the signal's own page, so that no list grows heavy. */
const LONGEST_ADDRESS = 400;

/** Brands as links, the ones that the story is about first and stronger. */
export const brandLinks = (brands: SignalItem['brands'], most = Number.POSITIVE_INFINITY): Markup[] =>
  brands
    .toSorted((one, other) => one.role.localeCompare(other.role))
    .slice(0, most)
    .map(({ slug, name, role }) => html`<a class="brand ${role}" href="${brandPath(slug)}">${clip(name, 50)}</a> `);

/** Cities as links to their pages. */
export const cityLinks = (cities: readonly string[], most = Number.POSITIVE_INFINITY): Markup[] =>
  cities.slice(0, most).map((city) => html`<a class="city" href="${cityPath(city)}">${clip(city, 40)}</a> `);

/** An editorial label as words: `store_opening` reads "store opening". */
export const unkebab = (label: string): string => label.replaceAll(/[_-]/g, ' ');

/** The kind of move with what stands beside it. */
export const kicker = ({ move, kind, theme }: SignalItem): Markup => html`<p class="kicker">
  <a href="${address('/', { kind: move })}">${MOVE_NAMES[move]}</a>
  ${kind && kind.toLowerCase() !== move ? html`<span>${clip(unkebab(kind), 40)}</span>` : null}
  ${theme ? html`<a class="theme" href="/theme/${theme.slug}">${clip(theme.name, 40)}</a>` : null}
</p>`;

/** The outlet whose words are shown, with its report, and how many others told it. */
const teller = ({ source, outlets }: SignalItem): Markup => {
  const outlet = clip(source.outlet ?? 'Original report', 50);
  const link =
    (source.url?.length ?? 0) > LONGEST_ADDRESS ? html`<span>${outlet}</span>` : outwardLink(source.url, outlet);
  return html`${link}${outlets > 1 ? html` <span class="others">and ${counted(outlets - 1, 'more outlet')}</span>` : null}`;
};

const told = ({ summary, headline }: SignalItem): Markup | null =>
  summary && summary !== headline ? html`<p class="summary">${clip(summary, 260)}</p>` : null;

/** The hour, for a list that stands under its day. */
const hourOf = ({ published_at }: SignalItem): string => `${clock(published_at)} IST`;

/** The entry as an article of the feed. @param when what stands for its time */
export const signalEntry = (signal: SignalItem, when = hourOf): Markup => html`<article class="entry">
  <p class="hour">${timeTag(signal.published_at, when(signal))}</p>
  <div class="particulars">${kicker(signal)}
    <h3><a href="/signal/${signal.slug}">${clip(signal.headline, 200)}</a></h3>
    ${told(signal)}
    <p class="about">${brandLinks(signal.brands, MOST_BRANDS)}${cityLinks(signal.cities, MOST_CITIES)}</p>
    <p class="byline">${teller(signal)}</p>
  </div>
  ${signal.delta ? html`<p class="delta">${clip(signal.delta, 40)}</p>` : null}
</article>
`;
