/** Saved searches: filters of signals that an account keeps under a name, and their digests by mail. Stream `searches-<account>`. */
import { z } from 'zod';
import { type AccountId, StoredAccountId } from './access.ts';
import { SignalItem } from './resources.ts';
import { Instant, trimmedText } from './scalar.ts';

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

export const SavedSearchEvents = {
  SearchSaved: {
    1: z.object({
      ...Named,
      name: z.string(),
      /** The filter as the parameters of an address, in their one order. */
      query: z.string(),
    }),
  },
  /** Another name, another filter, or both. */
  SearchChanged: { 1: z.object({ ...Named, name: z.string(), query: z.string() }) },
  SearchRemoved: { 1: z.object(Named) },
  /** All that was published up to a moment is read. */
  SearchRead: { 1: z.object({ ...Named, up_to: Instant }) },
  /** The search has a feed; a feed that it had before answers no more. */
  SearchFeedIssued: { 1: z.object({ ...Named, token_hash: z.string() }) },
  SearchFeedRevoked: { 1: z.object(Named) },
  SearchDigestChosen: {
    1: z.object({
      ...Named,
      /** As the issuer vouches for it. */
      email: z.email(),
      every: Digest,
      /** Ends the digest without sign-in: every mail contains it, and it allows nothing else. */
      token: z.string().min(20),
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

/** The digest of a search by mail. */
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
