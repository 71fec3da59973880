/** The filters of a list: what is set as chips, what can be added or left out with counts, the orders, and the files. */

import { html } from 'hono/html';
import { formatNumber } from '../language/prose.ts';
import {
  daysText,
  facetValueName,
  filterChips,
  first,
  GROUP_NAMES,
  toggled,
  usualSort,
  without,
} from '../presentation/filters.ts';
import type { Markup } from '../presentation/markup.ts';
import { provisionalBrands } from '../presentation/public-records.ts';
import {
  FACET_GROUPS,
  type FacetCount,
  type FacetCounts,
  type FacetGroup,
} from '../projector/models/signal-filter-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { StoredBrandSlug } from '../schemas/scalar.ts';
import {
  boundFilter,
  type Chosen,
  EVERY_SIGNAL,
  FACETS,
  type Facet,
  FILE_SIGNALS,
  filterAddress,
  isFacetValue,
  narrows,
  parametersOfFilter,
  type SignalQuery,
  type Sort,
} from '../schemas/signal-filter.ts';
import { dayField, hidden } from './forms.ts';
import { chipLinks, counted, linkRow, part } from './parts.ts';
import type { Site } from './site.ts';

/** What pages count: the most frequent values of each facet, of the newest signals that fit. */
export const COUNTED = { values: 10, maximum: 5_000 } as const;
/** Values of a facet that are listed; forms take any other. */
const LISTED = 6;
/** Counts of so many signals or more are kept for a minute; fewer are counted in a few milliseconds. */
const KEPT_FROM = 1_000;
const KEPT_SECONDS = 60;
const KEPT_FILTERS = 300;

/** What a list is, apart from what its readers choose. */
export interface ListPlace {
  /** The path of its page. */
  readonly path: string;
  /** The facets that the page fixes, such as its brand. */
  readonly fixed: Chosen;
}

/** The filter of a list: what the reader chose and what the page fixes. */
export const filterOfPlace = (shown: SignalQuery, { fixed }: Pick<ListPlace, 'fixed'>): SignalQuery => ({
  ...shown,
  only: { ...shown.only, ...fixed },
});

/** What a reader can choose on a page: the facets that it fixes are not. */
export function choosable(shown: SignalQuery, { fixed }: Pick<ListPlace, 'fixed'>): SignalQuery {
  const only = Object.fromEntries(Object.entries(shown.only).filter(([facet]) => !(facet in fixed)));
  return { ...shown, only };
}

const groupsOf = ({ fixed }: Pick<ListPlace, 'fixed'>): FacetGroup[] =>
  FACET_GROUPS.filter((group) => !(group in fixed));

/** Counts of values that pages can name: brands with a page, under their current slugs. */
async function withPossibleValues(site: Site, counts: FacetCounts): Promise<FacetCounts> {
  const slugs = counts.groups.brand.map(({ value }) => StoredBrandSlug.parse(value));
  const provisional = await provisionalBrands(site, slugs);
  const brands = new Map<string, number>();
  for (const { value, signals } of counts.groups.brand) {
    if (provisional.has(value)) continue;
    const slug = site.directory.currentSlug(StoredBrandSlug.parse(value));
    brands.set(slug, (brands.get(slug) ?? 0) + signals);
  }
  const possible = Object.fromEntries(
    FACETS.map((facet) => [facet, counts.groups[facet].filter(({ value }) => isFacetValue(facet, value))]),
  );
  const brand = [...brands]
    .map(([value, signals]) => ({ value, signals }))
    .toSorted((one, other) => other.signals - one.signals);
  return { ...counts, groups: { ...counts.groups, ...possible, brand } };
}

/** Makes the counter of a process: counts next to the filters, those of many signals kept for a minute. */
export function facetCounter(site: Site): (shown: SignalQuery, place: ListPlace) => Promise<FacetCounts> {
  const kept = new Map<string, { readonly until: number; readonly counts: FacetCounts }>();
  return async (shown, place) => {
    const { sort: _, cursor: __, ...filter } = filterOfPlace(shown, place);
    const key = JSON.stringify([filter, Object.keys(place.fixed)]);
    const now = site.now();
    const entry = kept.get(key);
    if (entry && entry.until > now.getTime()) return entry.counts;
    const bound = { ...boundFilter(filter, { now, directory: site.directory }), dated: 'reported_at' } as const;
    const counted = await site.search.facets(bound, { ...COUNTED, now, groups: groupsOf(place) });
    const counts = await withPossibleValues(site, counted);
    if (counts.total < KEPT_FROM) return counts;
    if (kept.size >= KEPT_FILTERS) kept.clear();
    kept.set(key, { until: now.getTime() + KEPT_SECONDS * 1_000, counts });
    return counts;
  };
}

/** The filters that are set as links that remove them; null without any. */
export function chipList(shown: SignalQuery, { path }: Pick<ListPlace, 'path'>, directory: Directory): Markup | null {
  const { sort } = shown;
  const none = { ...EVERY_SIGNAL, ...(sort && sort !== 'relevance' && { sort }) };
  return chipLinks(
    filterChips(shown, directory).map(({ text, left }) => ({ text, without: filterAddress(path, left) })),
    filterAddress(path, none),
  );
}

const ORDER_NAMES: Readonly<Record<Sort, string>> = {
  time: 'Newest',
  salience: 'Top',
  relevance: 'Best match',
};

const orders = (shown: SignalQuery, { path }: ListPlace): Markup => {
  const usual = usualSort(shown);
  const current = shown.sort ?? usual;
  const possible = (['time', 'salience', 'relevance'] as const).filter(
    (sort) => sort !== 'relevance' || shown.words !== undefined,
  );
  const links = possible.map((sort) => {
    const filter = sort === usual ? without(shown, 'sort') : { ...first(shown), sort };
    return { path: filterAddress(path, filter), name: ORDER_NAMES[sort], isCurrent: sort === current };
  });
  return part('Order', linkRow('Order', links), null);
};

const files = (shown: SignalQuery, place: ListPlace): Markup => {
  const filter = { ...first(filterOfPlace(shown, place)), sort: shown.sort ?? usualSort(shown) };
  const { sort, ...rest } = filter;
  const listed = sort === 'time' ? rest : filter;
  const file = (ending: string, name: string, full: boolean): Markup => {
    const address = filterAddress(`/feed.${ending}`, listed);
    const limited = full ? `${address}${address.includes('?') ? '&' : '?'}limit=${FILE_SIGNALS}` : address;
    return html`<a href="${limited}"${ending === 'atom' ? null : html` download="clarity-signals.${ending}"`} rel="nofollow" aria-label="These entries as ${name}">${name}</a> `;
  };
  return html`<section><h2>As a file</h2><nav class="kinds" aria-label="These entries as a file">${file('csv', 'CSV', true)}${file('json', 'JSON', true)}${file('atom', 'Atom', false)}</nav>${narrows(filter) ? html`<p><a href="${filterAddress('/searches/new', rest)}" rel="nofollow">Save this search</a></p>` : null}</section>`;
};

const count = (signals: number): Markup => html`<span>${formatNumber(signals)}</span>`;

/** Values of a facet: each can be added, or left out. */
function values(
  facet: Facet,
  counts: readonly FacetCount[],
  shown: SignalQuery,
  place: ListPlace,
  directory: Directory,
) {
  const listed = counts.filter(({ value }) => !shown.without[facet]?.includes(value));
  if (listed.length === 0) return null;
  const maximum = facet === 'kind' ? COUNTED.values : LISTED;
  const items = listed.slice(0, maximum).map(({ value, signals }) => {
    const name = facetValueName(facet, value, directory);
    const isSet = shown.only[facet]?.includes(value) ?? false;
    const add = filterAddress(place.path, toggled(shown, 'only', facet, value));
    const leave = filterAddress(place.path, toggled(shown, 'without', facet, value));
    return html`<li><a href="${add}" rel="nofollow"${isSet ? html` aria-current="true"` : null}>${name}</a>${count(signals)}<a class="leave" href="${leave}" rel="nofollow" aria-label="Leave out ${name}" title="Leave out">−</a></li>`;
  });
  return part(GROUP_NAMES[facet], counted(items), null);
}

/** Values of which one is set at a time. */
const steps = (
  group: 'days' | 'outlets',
  counts: readonly FacetCount[],
  shown: SignalQuery,
  { path }: ListPlace,
): Markup | null =>
  counts.every(({ signals }) => signals === 0)
    ? null
    : html`<section><h2>${GROUP_NAMES[group]}</h2><ul class="counted">${counts.map(({ value, signals }) => {
        const number = Number(value);
        const isSet = shown[group] === number;
        const cleared = group === 'days' ? without(shown, 'days', 'from', 'to') : without(shown, 'outlets');
        const filter = isSet ? cleared : { ...cleared, [group]: number };
        const name = group === 'days' ? daysText(number) : `At least ${number} outlets`;
        return html`<li><a href="${filterAddress(path, filter)}" rel="nofollow"${isSet ? html` aria-current="true"` : null}>${name}</a>${count(signals)}</li>`;
      })}</ul></section>`;

const typed = (name: string, label: string, example: string): Markup =>
  html`<div class="field"><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" maxlength="120" autocomplete="off" placeholder="${example}"></div>`;

const EXAMPLES: readonly (readonly [Facet, string])[] = [
  ['brand', 'Zudio'],
  ['theme', 'quick-commerce'],
  ['city', 'Gurugram'],
  ['outlet', 'Mint'],
];

/** The form for names that are not listed. What is typed is added to what is set; the chips take away. */
function form(shown: SignalQuery, { path, fixed }: ListPlace): Markup {
  const own = new Set(['from', 'to', 'outlets', 'cursor']);
  const kept = parametersOfFilter(shown).filter(([name]) => !own.has(name));
  const free = EXAMPLES.filter(([facet]) => !(facet in fixed));
  return html`<details class="more-filters"><summary>Other names and dates</summary>
  <form class="finder" action="${path}" method="get" aria-label="Filter">
  ${kept.map(([name, value]) => hidden({ [name]: value }))}
  ${free.map(([facet, example]) => typed(facet, GROUP_NAMES[facet], example))}
  ${dayField('from', 'From', shown.from)}${dayField('to', 'Until', shown.to)}
  <div class="field"><label for="f-outlets">Reported by at least (outlets)</label><input id="f-outlets" name="outlets" type="number" min="1" max="1000" value="${shown.outlets ?? ''}"></div>
  <fieldset><legend>Leave out</legend>${free.map(([facet, example]) => typed(`not_${facet}`, GROUP_NAMES[facet], example))}</fieldset>
  <button type="submit">Filter</button></form></details>`;
}

/** What the counts are of, where that is not all. */
const cut = ({ isCut }: FacetCounts): Markup | null =>
  isCut ? html`<p class="note">Counts are of the newest ${formatNumber(COUNTED.maximum)} entries that fit.</p>` : null;

/** How many signals fit, in words. */
export const totalText = ({ total }: FacetCounts): string =>
  total >= COUNTED.maximum
    ? `${formatNumber(COUNTED.maximum)} entries or more`
    : `${formatNumber(total)} ${total === 1 ? 'entry' : 'entries'}`;

/** All filters of a list. On a narrow window it is one line that opens. */
export function facetPanel(shown: SignalQuery, place: ListPlace, counts: FacetCounts, directory: Directory): Markup {
  const { groups } = counts;
  const set = filterChips(shown, directory).length;
  return html`<details class="facets"><summary>Filters${set > 0 ? html` (${set})` : null}</summary>
<div class="groups" role="group" aria-label="Filters"><a class="skip" href="#stories">Skip the filters</a>
${orders(shown, place)}${narrows(filterOfPlace(shown, place)) ? html`<p class="note">${totalText(counts)} fit.</p>` : null}${cut(counts)}
${groupsOf(place).map((group) =>
  group === 'days' || group === 'outlets'
    ? steps(group, groups[group], shown, place)
    : values(group, groups[group], shown, place, directory),
)}
${form(shown, place)}${files(shown, place)}</div></details>`;
}
