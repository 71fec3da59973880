/** What home, brand, theme and city pages share: a page of the feed with its filters. */
import { html } from 'hono/html';
import { listPage } from '../api/list-page.ts';
import { SignalItem } from '../schemas/resources.ts';
import type { FeedQuery } from './feed-query.ts';
import { address } from './links.ts';
import type { Markup } from './markup.ts';
import { type FeedStyle, feed, pager } from './parts/feed.ts';
import { kindFilter, setFilters } from './parts/filters.ts';
import type { Site } from './site.ts';
import { readDocument } from './text.ts';

/** With the longest texts that are shown, so many keep a page under 60 KB. */
const ENTRIES = 20;

export interface FeedPage {
  readonly signals: readonly SignalItem[];
  /** Address of the next older page, null at the end. */
  readonly older: string | null;
  /** Address of the first page, null on it. */
  readonly newest: string | null;
}

/**
 * Loads one page.
 * @param shown the filters that stand in the address
 * @param fixed what the page itself narrows to, such as its brand
 */
export async function loadFeedPage(
  site: Site,
  path: string,
  { q: _, ...shown }: FeedQuery,
  fixed: { brand?: string | readonly string[]; theme?: string; city?: string; mentions?: boolean } = {},
): Promise<FeedPage> {
  const page = await listPage(site.database, { ...shown, ...fixed, limit: ENTRIES });
  return {
    signals: page.documents.map((document) => readDocument(document, SignalItem)),
    older: page.next_cursor === null ? null : address(path, { ...shown, cursor: page.next_cursor }),
    newest: shown.cursor === undefined ? null : address(path, { ...shown, cursor: undefined }),
  };
}

/** The feed with the filters over it and the pager under it. */
export const feedBody = (
  path: string,
  shown: FeedQuery,
  page: FeedPage,
  empty: Markup,
  style: FeedStyle = {},
): Markup => html`
${kindFilter(path, shown)}${setFilters(path, shown)}
${page.signals.length === 0 ? empty : feed(page.signals, style)}
${pager(page.newest, page.older)}`;

/** For a page whose filters leave nothing. */
export const nothingFits = (path: string): Markup => html`<p class="empty">
  Nothing in the record fits this choice. <a href="${path}">Take the filters off</a>.
</p>`;
