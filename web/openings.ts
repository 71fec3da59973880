/** Store openings as pages show them: counted by category and place, and one by one with their reports. */
import { html } from 'hono/html';
import { brandPath, cityPath, type Markup, mallPath, timeTag } from '../presentation/markup.ts';
import { clip, formatCount, formatNumber, formatShortDay, labelToWords, neutralise } from '../presentation/text.ts';
import type { ExpansionMap, Pitch, ReportedOpening } from '../schemas/expansion.ts';
import { categoryName } from '../schemas/gazetteer.ts';

const shown = (text: string): string => clip(neutralise(text), 60);
const MAXIMUM_ROWS = 12;

const brandOf = ({ brand, brand_slug }: Pick<ReportedOpening, 'brand' | 'brand_slug'>): Markup =>
  brand_slug ? html`<a href="${brandPath(brand_slug)}">${shown(brand)}</a>` : html`${shown(brand)}`;

/** A category as a heading; "Other brands" without one. */
export const categoryOf = (category: ExpansionMap['category']): string => {
  const name = category === null ? 'other brands' : categoryName(category);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

interface Row {
  readonly name: Markup | string;
  readonly openings: number;
  readonly stores_opened: number;
  readonly stores_planned: number;
}

const countTable = (what: string, rows: readonly Row[]): Markup | null =>
  rows.length === 0
    ? null
    : html`<section class="part"><h2>By ${what}</h2><div class="scroll" tabindex="0" role="region" aria-label="Openings by ${what}"><table>
  <thead><tr><th scope="col">${what.charAt(0).toUpperCase() + what.slice(1)}</th><th scope="col" class="figure">Openings</th><th scope="col" class="figure">Stores opened</th><th scope="col" class="figure">Stores planned</th></tr></thead>
  <tbody>${rows
    .slice(0, MAXIMUM_ROWS)
    .map(
      ({ name, openings, stores_opened, stores_planned }) =>
        html`<tr><th scope="row">${name}</th><td class="figure">${openings}</td><td class="figure">${stores_opened}</td><td class="figure">${stores_planned}</td></tr>`,
    )}</tbody></table></div></section>`;

/** The name of a mall; a mall that the catalogue lacks has no page. */
const mallName = ({ mall, city }: ExpansionMap['by_mall'][number]): Markup =>
  city === null ? html`${shown(mall)}` : html`<a href="${mallPath(mall)}">${shown(mall)}</a>`;

/** Openings by category, city and mall, as tables side by side. Empty tables are omitted. */
export const openingCounts = (
  { by_category, by_city, by_mall }: ExpansionMap,
  { cities, malls = true }: { readonly cities: boolean; readonly malls?: boolean },
): Markup => html`<div class="columns">
  ${countTable(
    'category',
    by_category.map((row) => ({ ...row, name: categoryOf(row.category) })),
  )}
  ${
    cities
      ? countTable(
          'city',
          by_city.map((row) => ({ ...row, name: html`<a href="${cityPath(row.city)}">${shown(row.city)}</a>` })),
        )
      : null
  }
  ${
    malls
      ? countTable(
          'mall',
          by_mall.map((row) => ({
            ...row,
            name: html`${mallName(row)}${row.city && cities ? html`<small>${shown(row.city)}</small>` : null}`,
          })),
        )
      : null
  }
</div>`;

/** The totals: openings, stores opened, stores announced or planned, and closures. */
export const openingFigures = (
  { openings_total, stores_opened, stores_planned, closures_total }: ExpansionMap,
  days: number,
): Markup =>
  html`<dl class="figures"><div><dt>openings in ${days} days</dt><dd>${formatNumber(openings_total)}</dd></div>
  <div><dt>stores opened, at least</dt><dd>${formatNumber(stores_opened)}</dd></div>
  <div><dt>stores announced or planned, at least</dt><dd>${formatNumber(stores_planned)}</dd></div>
  <div><dt>${closures_total === 1 ? 'closure' : 'closures'}</dt><dd>${closures_total}</dd></div></dl>`;

const pitch = (one: Pitch): Markup => html`<li><b>${brandOf(one)}</b> ${neutralise(one.why)}
  <a href="/signal/${one.signal.slug}" aria-label="The newest report of ${shown(one.brand)}">Report</a></li>`;

/** Brands with announced or planned stores. */
export const pitchList = (pitches: readonly Pitch[]): Markup | null =>
  pitches.length === 0
    ? null
    : html`<section class="part"><h2>Announced and planned: who to pitch</h2><ul class="plain-list">${pitches.slice(0, MAXIMUM_ROWS).map(pitch)}</ul></section>`;

const where = ({ mall, locality, city }: ReportedOpening): string =>
  [mall, locality, city]
    .filter((place) => place !== null)
    .map(shown)
    .join(', ');

const openingRow = (opening: ReportedOpening): Markup => html`<tr>
  <th scope="row">${brandOf(opening)}</th>
  <td>${opening.stores === null ? null : `${formatCount(opening.stores, 'store')}, `}${labelToWords(opening.status)}${opening.date ? html`<small>${timeTag(opening.date, formatShortDay(opening.date))}</small>` : null}</td>
  <td>${where(opening)}</td>
  <td class="long"><a href="/signal/${opening.signal.slug}">${clip(neutralise(opening.signal.headline), 120)}</a></td>
</tr>`;

/** Every opening with the signal that reports it. */
export const openingList = (openings: readonly ReportedOpening[]): Markup =>
  html`<section class="part"><h2>All openings</h2>${
    openings.length === 0
      ? html`<p class="empty">No openings found here in this period.</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label="Openings"><table>
  <thead><tr><th scope="col">Brand</th><th scope="col">What</th><th scope="col">Where</th><th scope="col">Entry</th></tr></thead>
  <tbody>${openings.map(openingRow)}</tbody></table></div>`
  }</section>`;
