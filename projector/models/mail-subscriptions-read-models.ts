/**
 * What is mailed: subscribers of the morning brief, one row per account, ended subscriptions included; and saved
 * searches, one row each, until it is removed. Commands decide on the same folds.
 */
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { ERASED_EMAIL } from '../../schemas/personal.ts';
import {
  BRIEF_MAIL_PREFIX,
  type BriefScope,
  type Digest,
  type DigestEnd,
  SAVED_SEARCH_TYPES,
  SEARCHES_PREFIX,
} from '../../schemas/subscriptions.ts';
import { defineModel, type Model } from '../read-model.ts';

export interface SubscriberRow {
  readonly email: string;
  readonly scope: BriefScope;
  readonly token: string;
  /** When it began; a change of address or scope keeps it. */
  readonly since: string;
  /** Kept after its end, so that the links of old mails still say what they did. */
  readonly ended_at: string | null;
}

const SUBSCRIPTION_TYPES = ['BriefSubscribed', 'BriefUnsubscribed'] as const;

/** The account that an event is about. */
const subscriberOf = (event: KnownEvent): readonly string[] =>
  event.type === 'BriefSubscribed' || event.type === 'BriefUnsubscribed' ? [event.data.account_id] : [];

/** The row of an account after an event. */
export function evolveSubscriber(row: SubscriberRow | null, event: KnownEvent): SubscriberRow | null {
  if (event.type === 'BriefSubscribed') {
    const { email, scope, token } = event.data;
    return { email, scope, token, since: row && row.ended_at === null ? row.since : event.time, ended_at: null };
  }
  if (event.type === 'BriefUnsubscribed') {
    if (!row) throw new Error(`BriefUnsubscribed of ${event.data.account_id} has no BriefSubscribed before it`);
    const email = event.data.by === 'erasure' ? ERASED_EMAIL : row.email;
    return { ...row, email, ended_at: row.ended_at ?? event.time };
  }
  return row;
}

/** The name by which commands wait for it. */
export const BRIEF_SUBSCRIBERS = 'brief_subscribers';

/** One row an account, those that ended included. */
export function briefSubscribersModel(): Model<SubscriberRow> {
  return defineModel(import.meta.url, {
    name: BRIEF_SUBSCRIBERS,
    types: SUBSCRIPTION_TYPES,
    prefixes: [BRIEF_MAIL_PREFIX],
    indexes: [
      'CREATE INDEX brief_subscribers_token ON brief_subscribers (token)',
      'CREATE INDEX brief_subscribers_active ON brief_subscribers (key) WHERE ended_at IS NULL',
    ],
    keys: subscriberOf,
    evolve: evolveSubscriber,
    tables: [
      {
        name: 'brief_subscribers',
        columns: ['email', 'scope', 'token', 'since', 'ended_at'],
        records: ({ email, scope, token, since, ended_at }) => [{ email, scope, token, since, ended_at }],
      },
    ],
  });
}

export interface SearchRow {
  readonly account: AccountId;
  readonly name: string;
  readonly query: string;
  readonly token_hash: string | null;
  readonly saved_at: string;
  readonly read_until: string;
  /** The newest digest by mail; unset before the first. */
  readonly digest?: SearchDigest;
}

interface SearchDigest {
  readonly every: Digest;
  readonly email: string;
  readonly token: string;
  /** Stories published before it are not mailed. */
  readonly since: string;
  /** Kept after its end, so that the links of old mails still say what they did. */
  readonly ended_by: DigestEnd | null;
}

type SearchEvent = KnownEvent<(typeof SAVED_SEARCH_TYPES)[number]>;
const isSearchEvent = (event: KnownEvent): event is SearchEvent =>
  (SAVED_SEARCH_TYPES as readonly string[]).includes(event.type);

/** The key of the search that an event is about. */
export const searchOf = (event: KnownEvent): readonly string[] => (isSearchEvent(event) ? [event.data.search_id] : []);

/** The row of a search after an event; null after its removal. */
export function evolveSearch(row: SearchRow | null, event: KnownEvent): SearchRow | null {
  if (event.type === 'SearchSaved') {
    const { account_id: account, name, query } = event.data;
    return row ?? { account, name, query, token_hash: null, saved_at: event.time, read_until: event.time };
  }
  // What comes after its removal says nothing.
  if (!row || event.type === 'SearchRemoved') return null;
  if (event.type === 'SearchRead')
    return event.data.up_to > row.read_until ? { ...row, read_until: event.data.up_to } : row;
  if (event.type === 'SearchChanged') return withFilter(row, event);
  if (event.type === 'SearchDigestChosen') {
    const { every, email, token } = event.data;
    // One that was paused goes on where it stopped: what came meanwhile is mailed.
    const goesOn = row.digest && (row.digest.ended_by === null || row.digest.ended_by === 'undeliverable');
    const since = goesOn && row.digest ? row.digest.since : event.time;
    return { ...row, digest: { every, email, token, since, ended_by: null } };
  }
  if (event.type === 'SearchDigestEnded')
    return row.digest ? { ...row, digest: { ...row.digest, ended_by: event.data.by } } : row;
  if (event.type === 'SearchFeedIssued') return { ...row, token_hash: event.data.token_hash };
  return event.type === 'SearchFeedRevoked' ? { ...row, token_hash: null } : row;
}

/** A changed filter restarts it: signals that match already are neither unread nor mailed. */
function withFilter(row: SearchRow, { data: { name, query }, time }: KnownEvent<'SearchChanged'>): SearchRow {
  if (query === row.query) return { ...row, name };
  const digest = row.digest && { ...row.digest, since: time };
  return { ...row, name, query, read_until: time, ...(digest && { digest }) };
}

/** The model of saved searches. */
export function savedSearchesModel(): Model<SearchRow> {
  return defineModel(import.meta.url, {
    name: 'saved_searches',
    types: SAVED_SEARCH_TYPES,
    prefixes: [SEARCHES_PREFIX],
    indexes: [
      'CREATE INDEX saved_searches_of_account ON saved_searches (account, saved_at)',
      'CREATE INDEX saved_searches_of_token ON saved_searches (token_hash) WHERE token_hash IS NOT NULL',
      'CREATE INDEX saved_searches_mailed ON saved_searches (digest) WHERE digest IS NOT NULL AND digest_ended_by IS NULL',
      'CREATE INDEX saved_searches_of_digest ON saved_searches (digest_token) WHERE digest_token IS NOT NULL',
    ],
    keys: searchOf,
    evolve: evolveSearch,
    tables: [
      {
        name: 'saved_searches',
        columns: [
          'account',
          'name',
          'query',
          'token_hash',
          'saved_at',
          'read_until',
          'digest',
          'digest_email',
          'digest_token',
          'digest_since',
          'digest_ended_by',
        ],
        records: ({ digest, ...row }) => [
          {
            ...row,
            digest: digest?.every ?? null,
            digest_email: digest?.email ?? null,
            digest_token: digest?.token ?? null,
            digest_since: digest?.since ?? null,
            digest_ended_by: digest?.ended_by ?? null,
          },
        ],
      },
    ],
  });
}
