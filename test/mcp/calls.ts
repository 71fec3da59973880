/** A call of each tool that finds something in the small record. */
import { ID } from './small-record.ts';

export const CALLS: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[] = [
  ['latest_moves', { limit: 3 }],
  ['get_signal', { id_or_slug: ID.opened }],
  ['brand_profile', { brand: 'Kiri Foods' }],
  ['compare_brands', { brands: ['Kiri Foods', 'Vastra Bazaar'], days: 30 }],
  ['daily_brief', { hours: 72 }],
  ['get_expansion_map', { city: 'Pune' }],
  ['get_group', { group: 'value retail' }],
  ['get_leadership_moves', { days: 30 }],
  ['search', { query: 'Kiri Foods stores' }],
  ['fetch', { id: ID.opened }],
];
