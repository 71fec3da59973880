/** Brands side by side, a column each: stories by kind of move, with the window before. */
import { html } from 'hono/html';
import { MOVES, type Move } from '../../schemas/scalar.ts';
import type { Watch, WatchedBrand } from '../../schemas/watch.ts';
import { brandPath, cityPath } from '../links.ts';
import type { Markup } from '../markup.ts';
import { MOVE_NAMES } from '../moves.ts';
import { clip, neutralise } from '../text.ts';
import { shortDay, timeTag } from '../time.ts';

const MOST_CITIES = 5;
const shown = (text: string, most = 60): string => clip(neutralise(text), most);

/** `12` and how it stood before: `▲ from 9`. */
const cell = (now: number, before: number, most: number): Markup => {
  const turn = now > before ? '▲' : '▼';
  const width = most > 0 ? Math.round((now / most) * 100) : 0;
  return html`<td class="figure${now + before === 0 ? ' nothing' : ''}">${now}
    ${now === before ? null : html`<small>${turn} from ${before}</small>`}
    ${width > 0 ? html`<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="now" x="${100 - width}" width="${width}" height="4"></rect></svg>` : null}</td>`;
};

const row = (name: string, brands: readonly WatchedBrand[], of: (brand: WatchedBrand) => [number, number]): Markup => {
  const most = Math.max(...brands.map((brand) => of(brand)[0]));
  return html`<tr><th scope="row">${name}</th>${brands.map((brand) => cell(...of(brand), most))}</tr>`;
};

/** Kinds without a story about any of them are left out. */
export function watchTable({ brands, window_days }: Watch): Markup {
  const told = MOVES.filter((move) =>
    brands.some(({ by_move, prior_by_move }) => (by_move[move] ?? 0) + (prior_by_move[move] ?? 0) > 0),
  );
  const counts =
    (move: Move) =>
    (brand: WatchedBrand): [number, number] => [brand.by_move[move] ?? 0, brand.prior_by_move[move] ?? 0];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Brands side by side"><table class="watch">
    <caption>Stories about each brand in ${window_days} days, and in the ${window_days} days before</caption>
    <thead><tr><td></td>${brands.map(({ slug, name }) => html`<th scope="col" class="figure"><a href="${brandPath(slug)}">${shown(name)}</a></th>`)}</tr></thead>
    <tbody>${row('All', brands, ({ total, prior_total }) => [total, prior_total])}
      ${told.map((move) => row(MOVE_NAMES[move], brands, counts(move)))}</tbody>
  </table></div>`;
}

/** What each of them did last, and where. */
export const watchLatest = ({ brands }: Watch): Markup => html`<div class="columns part">
  ${brands.map(
    ({ name, slug, latest, cities }) => html`<section><h2><a href="${brandPath(slug)}">${shown(name)}</a></h2>
    ${
      latest.length === 0
        ? html`<p class="note">Nothing in this time.</p>`
        : html`<ul class="plain-list">${latest.map(
            ({ slug: entry, headline, published_at, delta }) =>
              html`<li><a href="/signal/${entry}">${shown(headline, 160)}</a> ${delta ? html`<b class="amount">${shown(delta, 40)}</b>` : null}<small>${timeTag(published_at, shortDay(published_at))}</small></li>`,
          )}</ul>`
    }
    ${cities.length > 0 ? html`<p class="note">In ${cities.slice(0, MOST_CITIES).map((city) => html`<a href="${cityPath(city)}">${shown(city, 40)}</a> `)}</p>` : null}</section>`,
  )}</div>`;
