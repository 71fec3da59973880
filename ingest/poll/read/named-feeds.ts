/** The feeds that a web page names in its head. */
import { load } from 'cheerio/slim';
import type { SourceKind } from '../../../schemas/source.ts';
import { decodeBody } from '../fetch/decode.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { boundPage } from './bound-page.ts';

export interface NamedFeed {
  readonly url: string;
  readonly kind: SourceKind;
  /** What the site calls it, as it wrote it; null where it does not say. */
  readonly title: string | null;
}

const TYPES: Record<string, SourceKind> = {
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/feed+json': 'json_feed',
};
const MAX_NAMED = 20;

/**
 * Reads `<link rel="alternate">`.
 * @returns each address once, at most 20, in the order of the page
 * @throws PollError too_complex
 */
export function namedFeeds(page: Pick<Page, 'url' | 'headers' | 'body'>): NamedFeed[] {
  const { text } = decodeBody(page.body, page.headers['content-type']);
  boundPage(text);
  const site = load(text, { xml: { xmlMode: false, decodeEntities: true } });
  const links = site('link[rel~="alternate"][href]').toArray();
  const named = links.flatMap((element): NamedFeed[] => {
    const link = site(element);
    const kind = TYPES[link.attr('type')?.trim().toLowerCase() ?? ''];
    const url = URL.parse(link.attr('href') ?? '', page.url)?.href;
    return kind && url ? [{ url, kind, title: link.attr('title')?.trim() || null }] : [];
  });
  return [...new Map(named.map((feed) => [feed.url, feed])).values()].slice(0, MAX_NAMED);
}
