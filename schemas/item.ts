/** Items: what a poll finds. They travel on the topic `items`, keyed by canonical URL. */
import { z } from 'zod';
import { Instant, WebAddress } from './scalar.ts';
import { SourceId } from './source.ts';

/** What makes it the same item at the next poll: guid, else canonical URL, else title. Unique within its source. */
export const ItemKey = z.string().min(1).brand<'ItemKey'>();
export type ItemKey = z.infer<typeof ItemKey>;

export const Item = z.object({
  source_id: SourceId,
  outlet: z.string(),
  role: z.enum(['news', 'oracle']),
  authority: z.number().min(0).max(1),
  item_key: ItemKey,
  /** Canonical: tracking parameters, fragment, AMP and mobile twins removed. */
  url: WebAddress,
  title: z.string().min(1),
  summary: z.string().nullable(),
  /** When its outlet says that it was published; null where the outlet does not say. Never the time of a poll. */
  published_at: Instant.nullable(),
  /** When a poll first found it; for the backlog of a source's first poll, its own date. */
  first_seen_at: Instant,
  /** Fingerprint of title, summary and date: another one under the same key is an edit. */
  fingerprint: z.string(),
  language: z.string(),
  /** How many edits of it were found, this one included; 0 for the first. Unset in items of version 1.0. */
  edits: z.int().nonnegative().optional(),
  /** True when its address is on the site that its source is on: the page is the outlet's own. Unset in version 1.0. */
  on_own_site: z.boolean().optional(),
});
export type Item = z.infer<typeof Item>;

export const ItemEvents = { ItemFound: { 1: Item } } as const;
export const ITEMS = 'items';
