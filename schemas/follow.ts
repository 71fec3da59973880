/** Follows and the inbox. Stream `follows-<account>`. */
import { z } from 'zod';
import type { AccountId } from './access.ts';
import { SignalItem } from './resources.ts';
import { Instant, SignalId, SignalIdText, Slug } from './scalar.ts';

export const FOLLOW_TYPES = ['brand', 'theme', 'signal', 'source'] as const;
export const FollowType = z.enum(FOLLOW_TYPES);
export type FollowType = z.infer<typeof FollowType>;

export const FollowId = z.string().regex(/^fol_[0-9a-f]{16}$/, 'must be fol_ and 16 hexadecimal characters');

/** Most targets that one account follows at a time. */
export const MAXIMUM_FOLLOWS = 500;

const Added = z.object({
  account: z.string().min(1).brand<'AccountId'>(),
  follow_id: FollowId,
  type: FollowType,
  /** The slug of the target on that day; of a source its id. */
  slug: z.string().min(1),
  name: z.string(),
  /** The signal behind the slug, for a follow of a signal. */
  signal_id: SignalId.nullable(),
});

export const FollowEvents = {
  FollowAdded: { 1: Added },
  FollowRemoved: { 1: z.object({ account: z.string().min(1).brand<'AccountId'>(), follow_id: FollowId }) },
  InboxRead: {
    1: z.object({
      account: z.string().min(1).brand<'AccountId'>(),
      signal_ids: z.array(SignalId),
      /** Everything delivered up to this item is read; null when only the ids are. */
      up_to: z.object({ delivered_at: Instant, signal_id: SignalId }).nullable(),
    }),
  },
} as const;

export const followsStream = (account: AccountId): string => `follows-${account}`;
export const FOLLOWS_PREFIX = 'follows-';

/** What a follow waits for, as signals carry it: `brand:zudio`, `theme:funding`, `source:mint`, `signal:sig_…`. */
export const targetKey = (type: FollowType, of: string): string => `${type}:${of}`;

export const Follow = z.object({
  id: FollowId,
  type: FollowType,
  slug: z.string(),
  name: z.string(),
  url: z.string().describe('Page of the target on the service'),
  channel: z.literal('inbox'),
  created_at: Instant,
});
export type Follow = z.infer<typeof Follow>;

const unread = z.int().nonnegative().describe('Items of the inbox that are not read');

export const FollowAnswer = z.object({ follow: Follow });
export const FollowList = z.object({ follows: z.array(Follow), unread });
export const InboxItem = z.object({
  id: SignalIdText.describe('Id of the item: that of its signal'),
  signal: SignalItem,
  follows: z.array(FollowId).describe('The follows that it was delivered for'),
  delivered_at: Instant,
  read_at: Instant.nullable(),
});
export const InboxPage = z.object({ items: z.array(InboxItem), unread, next_cursor: z.string().nullable() });
export type InboxPage = z.infer<typeof InboxPage>;
export const Unread = z.object({ unread });

/** Body of `POST /follow`. The channel is checked by its route, which says when others come. */
export const FollowBody = z.strictObject({
  target: z
    .strictObject({ type: FollowType, slug: Slug })
    .describe(`an object {"type", "slug"} with type one of ${FOLLOW_TYPES.join(', ')} and the slug of the target`),
  channel: z
    .string()
    .meta({ enum: ['inbox'] })
    .default('inbox')
    .describe('"inbox"'),
});

/** Body of `POST /follow/inbox/read`: one of the two. */
export const ReadBody = z
  .strictObject({
    ids: z.array(SignalIdText).min(1).max(500).optional().describe('1 to 500 ids of items of the inbox'),
    up_to: SignalIdText.optional().describe('the id of an item of the inbox: it and all delivered before it are read'),
  })
  .meta({ minProperties: 1, maxProperties: 1 });
