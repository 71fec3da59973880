/** What each event of a signal does to what it is found by. */
import type { KnownEvent } from '../../../schemas/events.ts';
import type { Understanding } from '../../../schemas/story.ts';
import type { Before } from '../../model.ts';
import { isSignalEvent, withStatus } from '../status.ts';
import type { SearchRow } from './row.ts';

/** Titles that are kept: more would say the same in other words. */
const MOST_TITLES = 12;

const withTitles = (row: SearchRow, titles: readonly string[]): SearchRow => {
  const all = [...new Set([...row.titles, ...titles])].slice(0, MOST_TITLES);
  return all.length === row.titles.length ? row : { ...row, titles: all };
};

/** Applies an event to the row of one of the signals that it touches. */
export function evolveSearch(
  row: SearchRow | null,
  event: KnownEvent,
  key: string,
  before: Before<SearchRow>,
): SearchRow | null {
  if (!isSignalEvent(event)) return row;
  if (event.type === 'SignalDetected') {
    if (row) return row;
    const { status, published_at, understanding, report } = event.data;
    const { first_seen_at, title } = report;
    return { status, published_at, first_seen_at, titles: [title], ...wordsOf(understanding) };
  }
  if (!row) throw new Error(`${event.type} speaks of ${key}, of which no SignalDetected is known`);
  if (event.type === 'SignalMerged' && key !== event.data.signal_id)
    return withTitles(row, before(event.data.signal_id)?.titles ?? []);
  if (event.type === 'SignalReported') return event.data.resurfaced ? row : withTitles(row, [event.data.report.title]);
  if (event.type === 'SignalRevised') return { ...row, ...wordsOf(event.data.after) };
  return withStatus(row, event);
}

/** Text as it is searched: without accents, so that "cafe" finds "café". */
export const withoutAccents = (text: string): string => text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');

const joined = (texts: readonly (string | null | undefined)[]): string =>
  withoutAccents([...new Set(texts.filter(Boolean))].join(' . '));

function wordsOf(
  understanding: Understanding,
): Omit<SearchRow, 'status' | 'published_at' | 'first_seen_at' | 'titles'> {
  const { headline, deck, summary, key_facts, delta, kind, theme, brands, cities, mall, people } = understanding;
  const { deal, result, openings, move, event_at } = understanding;
  const slugs = (role?: 'primary'): string[] => [
    ...new Set(brands.filter((brand) => !role || brand.role === role).map(({ slug }) => slug)),
  ];
  return {
    ...{ event_at, move, theme: theme?.slug ?? null, brands: slugs(), about: slugs('primary') },
    cities: [...new Set(cities)],
    headline: withoutAccents(headline),
    names: joined([
      ...brands.map(({ name }) => name),
      ...cities,
      mall,
      ...people.flatMap(({ person, role, company }) => [person, role, company]),
      ...openings.map(({ mall: place }) => place),
      deal?.target,
      ...(deal?.buyers ?? []),
    ]),
    body: joined([summary, deck, ...key_facts, delta, kind, theme?.name]),
    facts: { deal, result, openings, people },
  };
}
