/** The saved searches of an account: the fold of its stream, the decisions on commands, the handler, and their tokens. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { type KeptSearch, searchByTokenHash } from '../projector/models/saved-searches-queries.ts';
import type { AccountId } from '../schemas/access.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { LONGEST_QUERY, MAXIMUM_SEARCHES, type SAVED_SEARCH_TYPES, searchesStream } from '../schemas/saved-search.ts';
import { prefixedId } from '../schemas/scalar.ts';

interface KnownSearch {
  readonly name: string;
  readonly query: string;
  readonly readUntil: string | null;
  readonly tokenHash: string | null;
}

export interface Searches {
  /** Those that were not removed, by id. */
  readonly active: ReadonlyMap<string, KnownSearch>;
  /** How many there ever were, so that a filter that is saved again gets another id. */
  readonly ever: number;
}

export const NO_SEARCHES: Searches = { active: new Map(), ever: 0 };

/** The searches after an event; events of other types change nothing. */
export function evolveSearches(searches: Searches, event: KnownEvent): Searches {
  const changed = (id: string, change: Partial<KnownSearch>): Searches => {
    const known = searches.active.get(id);
    return known ? { ...searches, active: new Map(searches.active).set(id, { ...known, ...change }) } : searches;
  };
  if (event.type === 'SearchSaved') {
    const { search_id, name, query } = event.data;
    const search = { name, query, readUntil: event.time, tokenHash: null };
    return { active: new Map(searches.active).set(search_id, search), ever: searches.ever + 1 };
  }
  if (event.type === 'SearchRemoved') {
    const active = new Map(searches.active);
    active.delete(event.data.search_id);
    return { ...searches, active };
  }
  if (event.type === 'SearchRead') return changed(event.data.search_id, { readUntil: event.data.up_to });
  if (event.type === 'SearchFeedIssued') return changed(event.data.search_id, { tokenHash: event.data.token_hash });
  if (event.type === 'SearchFeedRevoked') return changed(event.data.search_id, { tokenHash: null });
  return searches;
}

export type SearchCommand =
  | { readonly do: 'save'; readonly name: string; readonly query: string }
  | { readonly do: 'remove' | 'revoke_feed' | 'mark_read'; readonly id: string }
  | { readonly do: 'issue_feed'; readonly id: string; readonly tokenHash: string };

type SearchFact = Fact<(typeof SAVED_SEARCH_TYPES)[number]>;

/**
 * What a command leads to; nothing when all is so already. Pure.
 * @throws Refusal for a search that the account does not have, and for one more than it may have
 */
export function decideSearches(
  account_id: AccountId,
  searches: Searches,
  command: SearchCommand,
  now: Date,
): readonly SearchFact[] {
  if (command.do === 'save') {
    const { name, query } = command;
    if ([...searches.active.values()].some((known) => known.name === name && known.query === query)) return [];
    if (query.length > LONGEST_QUERY)
      throw new Refusal('invalid_request', `The filter has ${query.length} characters. Allowed: ${LONGEST_QUERY}.`);
    if (searches.active.size >= MAXIMUM_SEARCHES)
      throw new Refusal(
        'invalid_request',
        `This account has ${MAXIMUM_SEARCHES} saved searches, which is the maximum. Remove one first.`,
      );
    const search_id = prefixedId('sch', JSON.stringify([account_id, searches.ever]));
    return [{ type: 'SearchSaved', data: { account_id, search_id, name, query } }];
  }
  const search_id = command.id;
  const known = searches.active.get(search_id);
  if (!known) throw new Refusal('not_found', 'You have no saved search of this id. /inbox lists them.');
  if (command.do === 'remove') return [{ type: 'SearchRemoved', data: { account_id, search_id } }];
  if (command.do === 'mark_read')
    return [{ type: 'SearchRead', data: { account_id, search_id, up_to: now.toISOString() } }];
  if (command.do === 'issue_feed')
    return [{ type: 'SearchFeedIssued', data: { account_id, search_id, token_hash: command.tokenHash } }];
  return known.tokenHash === null ? [] : [{ type: 'SearchFeedRevoked', data: { account_id, search_id } }];
}

const foldSearches = (stored: readonly Parameters<typeof readEvent>[0][]): Searches =>
  stored.map((event): KnownEvent => readEvent(event)).reduce(evolveSearches, NO_SEARCHES);

interface CommandContext {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly account: AccountId;
  readonly now: Date;
}

/** @throws Refusal, or StreamContention when concurrent commands keep winning */
export async function changeSearches(
  { store, account, now }: CommandContext,
  command: SearchCommand,
): Promise<Position | null> {
  const { position } = await handleCommand(store, {
    stream: searchesStream(account),
    fold: foldSearches,
    decide: (searches) => ({ facts: decideSearches(account, searches, command, now) }),
    now,
  });
  return position;
}

/** Removes all saved searches of an account, with their feeds. @returns how many there were */
export async function endSearches({
  store,
  account,
  now,
}: CommandContext): Promise<{ readonly ended: number; readonly position: Position | null }> {
  const { decision, position } = await handleCommand(store, {
    stream: searchesStream(account),
    fold: foldSearches,
    decide: ({ active }) => ({
      facts: [...active.keys()].map(
        (search_id): SearchFact => ({
          type: 'SearchRemoved',
          data: { account_id: account, search_id },
        }),
      ),
    }),
    now,
  });
  return { ended: decision.facts.length, position };
}

// Tokens of feeds: 32 random bytes, shown once, of which only the SHA-256 is kept.

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Draws a token. */
export function newFeedToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

/** The search of a token; null for one that was revoked or never issued. */
export async function searchOfToken(database: Queryable, token: string): Promise<KeptSearch | null> {
  if (!TOKEN.test(token)) return null;
  const hash = hashOf(token);
  const found = await searchByTokenHash(database, hash);
  // The index compares as it likes; what is let in was compared in constant time.
  return found?.token_hash && timingSafeEqual(Buffer.from(found.token_hash), Buffer.from(hash)) ? found : null;
}
