/** Every entry of the site's navigation, in one list: a page adds its line here. */

/**
 * Where an entry stands: in the row of sections under the nameplate, beside the date (what belongs to a person), or in
 * the footer alone.
 */
export type NavigationPlace = 'sections' | 'personal' | 'footer';

export interface NavigationEntry {
  readonly path: string;
  readonly name: string;
  readonly place: NavigationPlace;
}

export const NAVIGATION: readonly NavigationEntry[] = [
  { path: '/', name: 'The feed', place: 'sections' },
  { path: '/brief', name: 'Brief', place: 'sections' },
  { path: '/ask', name: 'Ask', place: 'sections' },
  { path: '/watch', name: 'Watch', place: 'sections' },
  { path: '/map', name: 'Map', place: 'sections' },
  { path: '/people', name: 'People', place: 'sections' },
  { path: '/index', name: 'Index', place: 'sections' },
  { path: '/sources', name: 'Sources', place: 'sections' },
  { path: '/developers', name: 'Developers', place: 'sections' },
  { path: '/inbox', name: 'Inbox', place: 'personal' },
  { path: '/keys', name: 'Keys', place: 'personal' },
  { path: '/account', name: 'Account', place: 'personal' },
  { path: '/research', name: 'Briefings', place: 'footer' },
  { path: '/plans', name: 'Plans', place: 'footer' },
  { path: '/developers/changelog', name: 'Changes', place: 'footer' },
];

/** The entries of one place, in their order. */
export const entriesOf = (place: NavigationPlace): readonly NavigationEntry[] =>
  NAVIGATION.filter((entry) => entry.place === place);
