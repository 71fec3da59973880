/** One entry of a feed or page, as the outlet wrote it. */
import { parseDate } from '../normalise/parse-date.ts';

export interface Entry {
  /** guid, Atom id, JSON Feed id. */
  readonly id: string | null;
  /** As written, relative ones resolved. */
  readonly link: string | null;
  /** May hold markup and entities. */
  readonly title: string | null;
  readonly summary: string | null;
  readonly date: string | null;
  /** Further dates in the order of preference, used where the first cannot be parsed. */
  readonly other_dates?: readonly string[];
}

/** An entry's dates as its fields: the first, and the others where there are any. @param texts in order of preference */
export function collectDates(texts: readonly (string | null | undefined)[]): Pick<Entry, 'date' | 'other_dates'> {
  const [date = null, ...others] = new Set(texts.flatMap((text) => text?.trim() || []));
  return others.length > 0 ? { date, other_dates: others } : { date };
}

export interface Reading {
  readonly entries: readonly Entry[];
  /** Further pages that hold the entries, for a sitemap index. */
  readonly parts?: readonly string[];
  /** True where a limit of structure ended the reading: further entries may be missing. */
  readonly isCutOff?: true;
  /** Who read a feed: rss-parser, or the tolerant reader where the feed is malformed or unusual. */
  readonly reader?: 'rss-parser' | 'tolerant';
  /** The character set that the page was read in. */
  readonly encoding?: string;
}

/** A poll must fit into an event. */
export const MAX_ENTRIES = 2_000;

/**
 * The newest entries of a page, at most `MAX_ENTRIES`, in the order of the page. Entries without a date that can be
 * read come last; among themselves, and among those of one moment, the first on the page count as the newest.
 */
export const takeNewestEntries = (entries: readonly Entry[]): readonly Entry[] => takeNewest(entries, entryTime);

/** The same of anything that is to become entries. @param time milliseconds since 1970, 0 where it is not known */
export function takeNewest<One>(all: readonly One[], time: (one: One) => number): readonly One[] {
  if (all.length <= MAX_ENTRIES) return all;
  const dated = all.map((one, place) => ({ one, place, time: time(one) }));
  dated.sort((a, b) => b.time - a.time || a.place - b.place);
  const kept = dated.slice(0, MAX_ENTRIES).sort((a, b) => a.place - b.place);
  return kept.map(({ one }) => one);
}

/** The first of its dates that can be read, in milliseconds since 1970; 0 for none. */
export function entryTime({ date, other_dates = [] }: Pick<Entry, 'date' | 'other_dates'>): number {
  for (const text of date ? [date, ...other_dates] : []) {
    const moment = parseDate(text);
    if (moment) return moment.getTime();
  }
  return 0;
}

/** An absolute address, or null where there is none; a wrong one is kept for the check of items to refuse. */
export function resolveAddress(link: string | null | undefined, base: string): string | null {
  const trimmed = link?.trim();
  if (!trimmed) return null;
  return URL.parse(trimmed, base)?.href ?? trimmed;
}

/**
 * What relative addresses of a feed are resolved against: the site that it names, since outlets write them for its pages
 * and feeds are often served by another host.
 * @param site the address of the site as the feed has it, if any
 * @param url where the feed came from
 */
export function siteBase(site: string | null | undefined, url: string): string {
  const address = URL.parse(resolveAddress(site, url) ?? url);
  return address?.protocol === 'http:' || address?.protocol === 'https:' ? address.href : url;
}

/** The same for Atom, which knows no base but the address of the feed (RFC 4287, 2): its site only on another host. */
export function atomBase(site: string | null | undefined, url: string): string {
  const base = siteBase(site, url);
  return URL.parse(base)?.host === URL.parse(url)?.host ? url : base;
}
