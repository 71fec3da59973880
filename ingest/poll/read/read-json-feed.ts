/** JSON Feed 1.0 and 1.1. */
import { z } from 'zod';
import { firstSummary } from '../normalise/clean-text.ts';
import { PollError } from '../poll-error.ts';
import { collectDates, type Reading, resolveAddress, siteBase, takeNewestEntries } from './entry.ts';

/** Text with something in it; white space alone counts as none. */
const Text = z
  .union([z.string(), z.number().transform(String)])
  .transform((text) => text.trim() || null)
  .nullish()
  .catch(null);
const JsonItem = z.looseObject({
  id: Text,
  url: Text,
  external_url: Text,
  title: Text,
  summary: Text,
  content_text: Text,
  content_html: Text,
  date_published: Text,
  date_modified: Text,
});
const JsonFeed = z.looseObject({ items: z.array(z.unknown()), home_page_url: Text });

/**
 * Reads a JSON Feed.
 * @throws PollError not_a_feed
 */
export function readJsonFeed(text: string, url: string): Reading {
  const feed = JsonFeed.safeParse(parsed(text));
  if (!feed.success)
    throw new PollError('not_a_feed', 'the response is JSON, but no JSON Feed: it has no list "items"');
  const base = siteBase(feed.data.home_page_url, url);
  const entries = feed.data.items.map((found) => {
    const item = JsonItem.safeParse(found).data ?? {};
    return {
      id: item.id || null,
      link: resolveAddress(item.url || item.external_url, base),
      title: item.title || null,
      summary: firstSummary([item.summary, item.content_text, item.content_html], item.title ?? null),
      ...collectDates([item.date_published, item.date_modified]),
    };
  });
  return { entries: takeNewestEntries(entries) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Of a JSON.parse error only the fact matters: its message quotes the outlet.
    throw new PollError('not_a_feed', 'the response is not JSON');
  }
}
