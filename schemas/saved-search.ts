/** Saved searches: filters of signals that an account keeps under a name. Stream `searches-<account>`. */
import { z } from 'zod';
import { type AccountId, StoredAccountId } from './access.ts';
import { Instant, trimmedText } from './scalar.ts';

export const SavedSearchId = z.string().regex(/^sch_[0-9a-f]{16}$/, 'must be sch_ and 16 hexadecimal characters');

/** Most saved searches of one account. */
export const MAXIMUM_SEARCHES = 50;
export const SearchName = trimmedText(1, 80).describe('a name of 1 to 80 characters');
/** Longest filter, as the parameters of an address. */
export const LONGEST_QUERY = 4_000;

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
  SearchRemoved: { 1: z.object(Named) },
  /** All that was published up to a moment is read. */
  SearchRead: { 1: z.object({ ...Named, up_to: Instant }) },
  /** The search has a feed; a feed that it had before answers no more. */
  SearchFeedIssued: { 1: z.object({ ...Named, token_hash: z.string() }) },
  SearchFeedRevoked: { 1: z.object(Named) },
} as const;

export const SAVED_SEARCH_TYPES = [
  'SearchSaved',
  'SearchRemoved',
  'SearchRead',
  'SearchFeedIssued',
  'SearchFeedRevoked',
] as const satisfies readonly (keyof typeof SavedSearchEvents)[];

export const searchesStream = (account: AccountId): string => `searches-${account}`;
export const SEARCHES_PREFIX = 'searches-';
