/** What a reader of feeds or pages takes from one entry, as the outlet wrote it. */
export interface Entry {
  /** guid, Atom id, JSON Feed id. */
  readonly id: string | null;
  /** As written, relative ones resolved. */
  readonly link: string | null;
  /** May hold markup and entities. */
  readonly title: string | null;
  readonly summary: string | null;
  readonly date: string | null;
}

export interface Reading {
  readonly entries: readonly Entry[];
  /** Further pages that hold the entries, for a sitemap index. */
  readonly parts?: readonly string[];
  /** Who read a feed: rss-parser, or the tolerant reader where the feed had to be repaired or is out of the common. */
  readonly reader?: 'rss-parser' | 'tolerant';
  /** The character set that the page was read in. */
  readonly encoding?: string;
}

/** More entries of one page are left out: the newest stand first, and a poll must fit into an event. */
export const MOST_ENTRIES = 2_000;

/** An absolute address, or null where there is none; a wrong one is kept for the check of items to refuse. */
export function resolved(link: string | null | undefined, base: string): string | null {
  const trimmed = link?.trim();
  if (!trimmed) return null;
  return URL.parse(trimmed, base)?.href ?? trimmed;
}
