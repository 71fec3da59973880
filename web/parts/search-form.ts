/** The form that searches and narrows the feed. It needs no script: it is an address. */
import { html } from 'hono/html';
import type { Entry } from '../../schemas/directory.ts';
import type { FeedQuery } from '../feed-query.ts';
import type { Markup } from '../markup.ts';

export interface SearchChoices {
  /** Names that are offered while typing. */
  readonly brands: readonly string[];
  readonly cities: readonly string[];
  readonly themes: readonly Entry[];
}

const suggested = (id: string, names: readonly string[]): Markup =>
  html`<datalist id="${id}">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;

/** @param shown what the address holds now */
export const searchForm = (
  shown: FeedQuery,
  { brands, cities, themes }: SearchChoices,
): Markup => html`<form class="narrow" action="/" method="get" role="search">
  ${shown.kind ? html`<input type="hidden" name="kind" value="${shown.kind}">` : null}
  <div class="row">
    <div class="field"><label for="q">Search the record</label>
      <input id="q" type="search" name="q" value="${shown.q ?? ''}" maxlength="200" placeholder="mall, funding, chief executive"></div>
    <button type="submit">Search</button>
  </div>
  <details${shown.brand || shown.theme || shown.city ? html` open` : null}>
    <summary>By brand, theme or city</summary>
    <div class="narrow">
      <div class="field"><label for="brand">Brand</label>
        <input id="brand" name="brand" list="brands" value="${shown.brand ?? ''}" maxlength="80" autocomplete="off">${suggested('brands', brands)}</div>
      <div class="field"><label for="theme">Theme</label>
        <select id="theme" name="theme"><option value="">Every theme</option>${themes.map(
          ({ slug, name }) =>
            html`<option value="${slug}"${shown.theme === slug ? html` selected` : null}>${name}</option>`,
        )}</select></div>
      <div class="field"><label for="city">City</label>
        <input id="city" name="city" list="cities" value="${shown.city ?? ''}" maxlength="80" autocomplete="off">${suggested('cities', cities)}</div>
      <button type="submit">Narrow</button>
    </div>
  </details>
</form>`;
