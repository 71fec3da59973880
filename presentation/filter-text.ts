/** Filters of signals in words, and the filters that one step leads to: a value added, left out, or taken away. */
import type { FacetGroup } from '../projector/models/signal-filter-queries.ts';
import type { Directory } from '../schemas/directory.ts';
import { Move, StoredBrandSlug } from '../schemas/scalar.ts';
import {
  type Chosen,
  FACETS,
  type Facet,
  type SignalFilter,
  type SignalQuery,
  type Sort,
} from '../schemas/signal-filter.ts';
import { clip, formatShortDay, MOVE_NAMES, neutralise, slugToWords } from './text.ts';

/** Names of what is filtered by. */
export const GROUP_NAMES: Readonly<Record<FacetGroup, string>> = {
  kind: 'Kind of move',
  days: 'Published',
  brand: 'Brand',
  theme: 'Theme',
  city: 'City',
  outlet: 'Outlet',
  outlets: 'Reported by',
};

/** The name of a value, as readers know it. */
export function facetValueName(facet: Facet, value: string, directory: Directory): string {
  if (facet === 'kind') return MOVE_NAMES[Move.parse(value)];
  const known =
    facet === 'brand'
      ? directory.brand(StoredBrandSlug.parse(value))?.name
      : facet === 'theme'
        ? directory.theme(value)?.name
        : value;
  return clip(neutralise(known ?? slugToWords(value)), 50);
}

// Changes of a filter; each starts the list from its first page.

/** The filter at its first page. */
export const first = (shown: SignalQuery): SignalQuery => {
  const { cursor: _, ...others } = shown;
  return others;
};

const withValues = (chosen: Chosen, facet: Facet, values: readonly string[]): Chosen => {
  const { [facet]: _, ...others } = chosen;
  return values.length > 0 ? { ...others, [facet]: values } : others;
};

/** The filter with a value added, or without it where it is set. */
export function toggled(shown: SignalQuery, side: 'only' | 'without', facet: Facet, value: string): SignalQuery {
  const set = shown[side][facet] ?? [];
  const values = set.includes(value) ? set.filter((one) => one !== value) : [...set, value];
  const other = side === 'only' ? 'without' : 'only';
  const left = (shown[other][facet] ?? []).filter((one) => one !== value);
  return {
    ...first(shown),
    [side]: withValues(shown[side], facet, values),
    [other]: withValues(shown[other], facet, left),
  };
}

/** The filter without some of its fields. */
export function without(shown: SignalQuery, ...fields: readonly (keyof SignalQuery)[]): SignalQuery {
  const left = Object.entries(first(shown)).filter(([field]) => !(fields as readonly string[]).includes(field));
  const narrowed = Object.fromEntries(left) as unknown as SignalQuery;
  // Without words there is no best match.
  return narrowed.words === undefined && narrowed.sort === 'relevance' ? without(narrowed, 'sort') : narrowed;
}

/** A filter that is set, in words, with the filter that is left without it. */
export interface FilterChip {
  readonly text: string;
  readonly left: SignalQuery;
}

/** The filters that are set, in the order of the address. */
export function filterChips(shown: SignalQuery, directory: Directory): FilterChip[] {
  const listed = (side: 'only' | 'without'): FilterChip[] =>
    FACETS.flatMap((facet) =>
      (shown[side][facet] ?? []).map((value) => {
        const name = `${GROUP_NAMES[facet]}: ${facetValueName(facet, value, directory)}`;
        return { text: side === 'only' ? name : `Not ${name}`, left: toggled(shown, side, facet, value) };
      }),
    );
  const { words, about, days, from, to, outlets } = shown;
  const isDay = from !== undefined && from === to;
  return [
    ...(words === undefined ? [] : [{ text: `Words: ${words}`, left: without(shown, 'words') }]),
    ...listed('only'),
    ...listed('without'),
    ...(about ? [{ text: 'Only about the brands', left: without(shown, 'about') }] : []),
    ...(days === undefined ? [] : [{ text: daysText(days), left: without(shown, 'days') }]),
    ...(isDay ? [{ text: `On ${formatShortDay(from)}`, left: without(shown, 'from', 'to') }] : []),
    ...(from && !isDay ? [{ text: `From ${formatShortDay(from)}`, left: without(shown, 'from') }] : []),
    ...(to && !isDay ? [{ text: `Until ${formatShortDay(to)}`, left: without(shown, 'to') }] : []),
    ...(outlets === undefined ? [] : [{ text: outletsText(outlets), left: without(shown, 'outlets') }]),
  ];
}

/** `Last 30 days`. */
export const daysText = (days: number): string => {
  if (days === 365) return 'Last year';
  return days === 1 ? 'Last 24 hours' : `Last ${days} days`;
};
const outletsText = (outlets: number): string => `Reported by at least ${outlets} outlets`;

/** A filter in words, such as `Kind of move: Stores, Last 30 days`; empty without any. */
export const describeFilter = (filter: SignalFilter, directory: Directory): string =>
  filterChips(filter, directory)
    .map(({ text }) => text)
    .join(', ');

/** The order of a list where its address has none. */
export const usualSort = ({ words }: SignalFilter): Sort => (words === undefined ? 'time' : 'relevance');
