/**
 * What accounts are kept informed of: follows and the inbox (stream `follows-<account>`); saved searches, which are
 * filters of signals under a name, and their digests by mail (stream `searches-<account>`); and the brief, the moves
 * of a day that matter most, and who has it mailed (stream `briefmail-<account>`).
 */
import { z } from 'zod';
import { AccountId, StoredAccountId } from './access.ts';
import { ERASED, ERASED_EMAIL, open, personal } from './personal.ts';
import { SignalItem, SourceRef } from './resources.ts';
import { Instant, IstDay, SignalId, SignalIdText, Slug, StoredBrandSlug, trimmedText } from './scalar.ts';

export const FOLLOW_TYPES = ['brand', 'theme', 'signal', 'source'] as const;
export const FollowType = z.enum(FOLLOW_TYPES);
export type FollowType = z.infer<typeof FollowType>;

export const FollowId = z.string().regex(/^fol_[0-9a-f]{16}$/, 'must be fol_ and 16 hexadecimal characters');

/** Most targets that one account follows at a time. */
export const MAXIMUM_FOLLOWS = 500;

const Follower = open(z.string().min(1).brand<'AccountId'>());

const Added = z.object({
  account: Follower,
  follow_id: FollowId,
  type: FollowType,
  /** The slug of the target on that day; of a source its id. */
  slug: open(z.string().min(1)),
  name: open(z.string()),
  /** The signal behind the slug, for a follow of a signal. */
  signal_id: SignalId.nullable(),
});

export const FollowEvents = {
  FollowAdded: { 1: Added },
  FollowRemoved: { 1: z.object({ account: Follower, follow_id: FollowId }) },
  InboxRead: {
    1: z.object({
      account: Follower,
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

export const SavedSearchId = z.string().regex(/^sch_[0-9a-f]{16}$/, 'must be sch_ and 16 hexadecimal characters');

/** Most saved searches of one account. */
export const MAXIMUM_SEARCHES = 50;
export const SearchName = trimmedText(1, 80).describe('a name of 1 to 80 characters');
/** Longest filter, as the parameters of an address. */
export const LONGEST_QUERY = 4_000;

/** How often new stories of a search are mailed. */
export const DIGESTS = ['at_once', 'daily', 'weekly'] as const;
export const Digest = z.enum(DIGESTS);
export type Digest = z.infer<typeof Digest>;

/** How a digest ended: on a page, by the API, by the mail program (RFC 8058), or because its mails cannot be delivered. */
export const DigestEnd = z.enum(['page', 'api', 'one_click', 'undeliverable']);
export type DigestEnd = z.infer<typeof DigestEnd>;

const Named = { account_id: StoredAccountId, search_id: SavedSearchId };
const Search = {
  name: personal(z.string(), 'account_id', ERASED),
  /** The filter as the parameters of an address, in their one order. */
  query: personal(z.string(), 'account_id', ''),
};

export const SavedSearchEvents = {
  SearchSaved: {
    1: z.object({
      ...Named,
      ...Search,
    }),
  },
  /** Another name, another filter, or both. */
  SearchChanged: { 1: z.object({ ...Named, ...Search }) },
  SearchRemoved: { 1: z.object(Named) },
  /** All that was published up to a moment is read. */
  SearchRead: { 1: z.object({ ...Named, up_to: Instant }) },
  /** The search has a feed; a feed that it had before answers no more. */
  SearchFeedIssued: { 1: z.object({ ...Named, token_hash: open(z.string()) }) },
  SearchFeedRevoked: { 1: z.object(Named) },
  SearchDigestChosen: {
    1: z.object({
      ...Named,
      /** As the issuer vouches for it. */
      email: personal(z.email(), 'account_id', ERASED_EMAIL),
      every: Digest,
      /** Ends the digest without sign-in: every mail contains it, and it allows nothing else. */
      token: open(z.string().min(20)),
    }),
  },
  SearchDigestEnded: { 1: z.object({ ...Named, by: DigestEnd }) },
} as const;

export const SAVED_SEARCH_TYPES = [
  'SearchSaved',
  'SearchChanged',
  'SearchRemoved',
  'SearchRead',
  'SearchFeedIssued',
  'SearchFeedRevoked',
  'SearchDigestChosen',
  'SearchDigestEnded',
] as const satisfies readonly (keyof typeof SavedSearchEvents)[];

export const searchesStream = (account: AccountId): string => `searches-${account}`;
export const SEARCHES_PREFIX = 'searches-';

// What the API answers.

const DigestDocument = z.object({
  every: Digest,
  email: z.string().describe('Address that it is mailed to'),
  status: z
    .enum(['active', 'paused'])
    .describe('`paused`: the mail server refused the address for good; choosing the digest again resumes it'),
});

export const SearchDocument = z.object({
  id: SavedSearchId,
  name: z.string(),
  query: z.string().describe('The filter, as the parameters of an address of the feed'),
  description: z.string().describe('The filter in words'),
  url: z.string().describe('Page of the search, for its owner'),
  unread: z.int().nonnegative().describe('Signals published since it was read; counted up to 100'),
  read_until: Instant,
  saved_at: Instant,
  feed: z.boolean().describe('Whether it has a feed whose address is a token'),
  digest: DigestDocument.nullable(),
});
export type SearchDocument = z.infer<typeof SearchDocument>;

export const SearchAnswer = z.object({ search: SearchDocument });
export const SearchList = z.object({ searches: z.array(SearchDocument) });
export const SearchSignals = z.object({
  items: z.array(SignalItem),
  unread: z.int().nonnegative(),
  read_until: Instant.describe('What was published after it is unread'),
  next_cursor: z.string().nullable(),
});
/** The addresses of a feed, which are answered once. */
export const SearchFeed = z.object({
  token: z.string(),
  urls: z.object({ atom: z.string(), json: z.string(), csv: z.string() }),
});
export type SearchFeed = z.infer<typeof SearchFeed>;

const filter = z
  .string()
  .max(LONGEST_QUERY)
  .describe('a filter as the parameters of an address of the feed, such as "kind=deals&city=Surat"');

/** Body of `POST /searches`. */
export const SearchBody = z.strictObject({ name: SearchName, query: filter });
/** Body of `PATCH /searches/{id}`: what it names is changed. */
export const SearchPatch = z
  .strictObject({
    name: SearchName.optional(),
    query: filter.optional(),
    digest: Digest.nullable()
      .optional()
      .describe(`one of ${DIGESTS.join(', ')}, or null for no mails`),
  })
  .meta({ minProperties: 1 });
/** Body of `POST /searches/{id}/read`. */
export const SearchReadBody = z.strictObject({
  up_to: Instant.optional().describe(
    'an RFC 3339 time up to which all is read, such as 2026-11-21T04:30:00Z; now by default',
  ),
});

/** Most items of a brief. */
export const BRIEF_ITEMS = 12;

export const BriefItem = z.object({
  id: SignalIdText,
  headline: z.string(),
  url: z.string().describe('Page on the service; to be cited'),
  delta: z.string().nullable(),
  why_it_matters: z.string().nullable(),
  what_to_watch: z.string().nullable(),
  brand: z.string().nullable().describe('Name of the brand that the story is about'),
  source: SourceRef,
  other_outlets: z.int().nonnegative().describe('Other publishers that reported it'),
  published_at: Instant,
  reported_at: Instant.optional(),
});
export type BriefItem = z.infer<typeof BriefItem>;

export const Brief = z.object({
  date: IstDay.describe('IST day of the brief'),
  label: z.string(),
  window_hours: z.int().min(1).max(72),
  until: Instant.describe('The end of these hours'),
  filters: z.object({ brands: z.array(StoredBrandSlug), themes: z.array(z.string()) }),
  items: z
    .array(BriefItem)
    .max(BRIEF_ITEMS)
    .describe('Ranked: by outlets, then by salience, then by how many follow its brands, then the newest'),
});
export type Brief = z.infer<typeof Brief>;

/** What a brief is about: all of the record, or the brands and themes that the account follows on that day. */
const BRIEF_SCOPES = ['everything', 'followed'] as const;
export const BriefScope = z.enum(BRIEF_SCOPES);
export type BriefScope = z.infer<typeof BriefScope>;

export const BriefMailEvents = {
  BriefSubscribed: {
    1: z.object({
      account_id: AccountId,
      /** As the issuer vouches for it. */
      email: personal(z.email(), 'account_id', ERASED_EMAIL),
      scope: BriefScope,
      /** Ends the subscription without sign-in: every mail contains it, and it allows nothing else. */
      token: open(z.string().min(20)),
    }),
  },
  BriefUnsubscribed: {
    1: z.object({
      account_id: AccountId,
      /** On a page, by the mail program (RFC 8058), or because the account was erased. */
      by: z.enum(['page', 'one_click', 'erasure']),
    }),
  },
} as const;

export const BRIEF_MAIL_PREFIX = 'briefmail-';
export const briefMailStream = (account: AccountId): string => `${BRIEF_MAIL_PREFIX}${account}`;
