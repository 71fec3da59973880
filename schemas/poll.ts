/**
 * Polls and the items that they find. Items travel on the topic `items`, keyed by canonical URL; how each poll went,
 * on `polls`.
 */
import { z } from 'zod';
import { openEvents } from './personal.ts';
import { Instant, StoredWebAddress } from './scalar.ts';
import { SourceId } from './source.ts';

const POLL_OUTCOMES = ['changed', 'unchanged', 'failed'] as const;

/** What the last answers said about a source's address, in a row: counted from poll to poll until it is adopted. */
export const AddressChange = z.object({
  kind: z.enum(['moved', 'gone']),
  /** The new address of a permanent redirect; null for one that is gone. */
  to: z.string().nullable(),
  /** The first poll that said so. */
  since: Instant,
  /** Polls in a row that said so. */
  polls: z.int().positive(),
});
export type AddressChange = z.infer<typeof AddressChange>;

/** `schedule`: it was due; `operator`: `sources poll`; `hub` in polls of older versions only. */
const POLL_TRIGGERS = ['schedule', 'operator', 'hub'] as const;
export type PollTrigger = (typeof POLL_TRIGGERS)[number];

/** When the items of a source arrive: what its cadence is learnt from. Its size does not grow. */
export const ArrivalPattern = z.object({
  /** The beginning of what is known. */
  since: Instant,
  /** Counts of the time before this moment have faded; it moves by whole weeks. */
  as_of: Instant,
  last_item_at: Instant.nullable(),
  /** New items by hour of the week in IST, Monday 00:00 first. */
  counts: z.array(z.number().nonnegative()).length(168),
});
export type ArrivalPattern = z.infer<typeof ArrivalPattern>;

/** What a feed says about how often it may be read. Hours and days are those of UTC. */
export const PollingHints = z.object({
  /** The longer of `ttl` and the update period; 0 where the feed states neither. */
  minimum_seconds: z.int().nonnegative(),
  /** Hours of the day, 0 to 23, in which it should not be read. */
  skip_hours: z.array(z.int().min(0).max(23)).max(24),
  /** Days of the week, 0 for Sunday to 6, on which it should not be read. */
  skip_days: z.array(z.int().min(0).max(6)).max(7),
});
export type PollingHints = z.infer<typeof PollingHints>;
/** An item that is completed from its article as soon as that can be fetched. */
export const WaitingArticle = z.object({
  item_key: z.string().brand<'ItemKey'>(),
  url: z.string(),
  /** As the source lists it. */
  title: z.string(),
  summary: z.string().nullable(),
  published_at: Instant.nullable(),
  /** By a distance such as "2 hours ago", counted from when it was found. */
  approximate_at: Instant.nullable(),
  /** Fingerprint of the item as the source lists it. */
  listed_as: z.string(),
  first_seen_at: Instant,
  /** Found by the first poll of its source. */
  backlog: z.boolean(),
  /** Fingerprint that was published last; null where none was. */
  before: z.string().nullable(),
  /** The number that its next publication has among the item's edits; 0 for a new item. */
  edits: z.int().nonnegative(),
  /** Not published before its article was read or given up. */
  held: z.boolean(),
  /** Published as it is listed; the article makes an edit of it. */
  published: z.boolean(),
  found_at: Instant,
  next_try_at: Instant,
  tries: z.int().nonnegative(),
});
export type WaitingArticle = z.infer<typeof WaitingArticle>;

export const Poll = z.object({
  source_id: SourceId,
  started_at: Instant,
  duration_ms: z.int().nonnegative(),
  /** `changed`: new or edited items; `unchanged`: 304, the same bytes, or nothing new; `failed`: see `error`. */
  outcome: z.enum(POLL_OUTCOMES),
  http_status: z.int().nullable(),
  items_found: z.int().nonnegative(),
  items_new: z.int().nonnegative(),
  items_edited: z.int().nonnegative(),
  /** Entries of the feed that could not be read, each alone left out. */
  items_refused: z.int().nonnegative(),
  /** Items to which the source gave another id or date, and no other word; absent where there was none. */
  items_restated: z.int().positive().optional(),
  /** Bytes of the answers after unpacking, 0 after a 304; missing in polls of older versions. */
  bytes: z.int().nonnegative().optional(),
  /** Why the source was polled at this moment; missing in polls of older versions. */
  trigger: z.enum(POLL_TRIGGERS).optional(),
  /** The newest date among the items, as the outlet gives it. */
  newest_item_at: Instant.nullable(),
  /** For the next conditional GET. */
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  /** The address of the response that gave them: they are sent to it alone; absent in events of version 1.0. */
  validators_url: z.string().nullable().optional(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  cadence_seconds: z.int().positive(),
  next_poll_at: Instant,
  /** Keys and fingerprints of the entries that the source lists now, so that a restarted poller knows them. */
  listed: z.record(z.string(), z.string()).nullable(),
  /** Items that wait for their articles; absent where they are the same as before. */
  waiting: z.array(WaitingArticle).optional(),
  /** Articles that were fetched for items, and those that could not be. */
  articles_read: z.int().nonnegative().optional(),
  articles_failed: z.int().nonnegative().optional(),
  /** A permanent redirect or a 410 that has not been adopted yet; absent in events of version 1.0. */
  address_change: AddressChange.nullable().optional(),
  /** Null where the poll added nothing to what was known, absent in events of version 1.0. */
  arrival_pattern: ArrivalPattern.nullable().optional(),
  /** Null where no feed was read, so that those of the poll before hold; absent in events of version 1.0. */
  polling_hints: PollingHints.nullable().optional(),
  /** Polls of the source on the day of this one in IST, up to it; absent in events of version 1.0. */
  polls_today: z.int().positive().optional(),
});
export type Poll = z.infer<typeof Poll>;

export const PollEvents = openEvents({ PollCompleted: { 1: Poll } } as const);
export const POLLS = 'polls';

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
  url: StoredWebAddress,
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

export const ItemEvents = openEvents({ ItemFound: { 1: Item } } as const);
export const ITEMS = 'items';
