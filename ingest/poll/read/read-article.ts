/** What an article's own page says where its listing does not: date, address, a sentence. */
import { load } from 'cheerio/slim';
import { z } from 'zod';
import { boundPage } from './bound-page.ts';
import type { Entry } from './entry.ts';

const DATES = [
  'meta[property="article:published_time"]',
  'meta[name="article:published_time"]',
  'meta[itemprop="datePublished"]',
  'meta[name="publish-date"]',
  'meta[name="pubdate"]',
  'meta[name="date"]',
  'meta[name="DC.date.issued"]',
] as const;

/**
 * Reads an article.
 * @param html the page @param entry what the listing said
 * @returns the entry with its gaps filled
 * @throws PollError too_complex
 */
export function readArticle(html: string, url: string, entry: Entry): Entry {
  boundPage(html);
  const page = load(html, { xml: { xmlMode: false, decodeEntities: true } });
  const content = (selector: string): string | null => page(selector).first().attr('content')?.trim() || null;
  const structured = page('script[type="application/ld+json"]')
    .toArray()
    .flatMap((element) => datesIn(page(element).text()));
  const date =
    entry.date ??
    DATES.map(content).find((found) => found !== null) ??
    structured[0] ??
    page('time[datetime]').first().attr('datetime') ??
    null;
  const summary = entry.summary ?? content('meta[property="og:description"]') ?? content('meta[name="description"]');
  return {
    ...entry,
    link: canonicalOf(page('link[rel="canonical"]').first().attr('href'), url) ?? entry.link,
    date,
    summary,
  };
}

/** Only an address on the article's own site: a page must not pass itself off as another outlet's. */
function canonicalOf(href: string | undefined, url: string): string | null {
  const canonical = href ? URL.parse(href, url) : null;
  const site = (host: string): string => host.replace(/^(?:www|m|mobile|amp)\./, '');
  // Some pages name the front page as canonical of everything.
  if (!canonical || canonical.pathname === '/' || !/^https?:$/.test(canonical.protocol)) return null;
  return site(canonical.hostname) === site(URL.parse(url)?.hostname ?? '') ? canonical.href : null;
}

const Dated = z.looseObject({ datePublished: z.string() });
const Graph = z.looseObject({ '@graph': z.array(z.unknown()) });

/** `datePublished` of JSON-LD, at the top, in a list or in a graph. */
function datesIn(json: string): string[] {
  let content: unknown;
  try {
    content = JSON.parse(json);
  } catch {
    return [];
  }
  const graph = Graph.safeParse(content);
  const things = Array.isArray(content) ? content : graph.success ? graph.data['@graph'] : [content];
  return things.flatMap((thing) => Dated.safeParse(thing).data?.datePublished ?? []);
}
