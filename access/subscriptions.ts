/**
 * The follows and the saved searches of an account: the decisions on commands, the command handlers, and the tokens of
 * feeds.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import type { Queryable } from '../log/postgres/database.ts';
import { waitForOwnWrite } from '../projector/model-progress.ts';
import { evolveFollow, type FollowRow, followOf } from '../projector/models/follows-read-models.ts';
import { evolveSearch, type SearchRow, searchOf } from '../projector/models/mail-subscriptions-read-models.ts';
import { type KeptSearch, searchByTokenHash } from '../projector/models/saved-searches-queries.ts';
import type { Model } from '../projector/read-model.ts';
import type { AccountId } from '../schemas/access.ts';
import { type DataOf, type Event, type KnownEvent, readEvent } from '../schemas/events.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { prefixedId, type SignalId } from '../schemas/scalar.ts';
import {
  type Digest,
  type DigestEnd,
  type FollowType,
  followsStream,
  LONGEST_QUERY,
  MAXIMUM_FOLLOWS,
  MAXIMUM_SEARCHES,
  type SAVED_SEARCH_TYPES,
  searchesStream,
} from '../schemas/subscriptions.ts';
import type { CommandServices } from './account.ts';

/** Rows of one stream by key; null for one that is no more. */
type Rows<Row> = ReadonlyMap<string, Row | null>;

/** The rows of a read model after the events of one stream. */
function foldRows<Row>({ keys, evolve }: Pick<Model<Row>, 'keys' | 'evolve'>, stored: readonly Event[]): Rows<Row> {
  const rows = new Map<string, Row | null>();
  const before = (key: string): Row | null => rows.get(key) ?? null;
  for (const event of stored.map((one): KnownEvent => readEvent(one)))
    for (const key of keys(event)) rows.set(key, evolve(before(key), event, key, before));
  return rows;
}

/** The follows of an account, ended ones too, so that a target that is followed again gets another id. */
export type Follows = Rows<FollowRow>;

export const foldFollows = (stored: readonly Event[]): Follows =>
  foldRows({ keys: followOf, evolve: evolveFollow }, stored);

interface KnownFollow extends Pick<FollowRow, 'type' | 'slug' | 'name' | 'added_at'> {
  readonly id: string;
}

/** The follows that did not end. */
const activeFollows = (follows: Follows): (FollowRow & KnownFollow)[] =>
  [...follows].flatMap(([id, follow]) => (follow?.removed_at === null ? [{ ...follow, id }] : []));

/** An existing target of a follow. */
export interface Target {
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: SignalId | null;
}

type AddDecision = { readonly known: KnownFollow } | { readonly added: DataOf<'FollowAdded'> };

const isSame = (follow: FollowRow, target: Target): boolean =>
  follow.type === target.type && (follow.signal_id ?? follow.slug) === (target.signal_id ?? target.slug);

/**
 * Follows a target; one that is followed already stays as it is.
 * @throws Refusal when the account follows as many as it may
 */
export function decideAdd(account: AccountId, follows: Follows, target: Target): AddDecision {
  const active = activeFollows(follows);
  const present = active.find((follow) => isSame(follow, target));
  if (present) return { known: present };
  if (active.length >= MAXIMUM_FOLLOWS)
    throw new Refusal(
      'invalid_request',
      `This account follows ${MAXIMUM_FOLLOWS} targets, which is the maximum. DELETE one first.`,
    );
  const follow_id = prefixedId('fol', JSON.stringify([account, target.type, target.slug, follows.size]));
  return { added: { account, follow_id, ...target } };
}

/** @throws Refusal `not_found` for a follow that the account does not have */
export function decideRemove(account: AccountId, follows: Follows, id: string): DataOf<'FollowRemoved'> {
  if (follows.get(id)?.removed_at !== null)
    throw new Refusal('not_found', 'You have no follow of this id. GET /api/v1/follow lists them.');
  return { account, follow_id: id };
}

/** What a command on the follows or the searches of an account needs. */
export interface SubscriptionContext {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly account: AccountId;
  readonly now: Date;
}

interface Followed {
  readonly follow: KnownFollow;
  readonly isNew: boolean;
}

/**
 * Follows a target, and waits until readers see it.
 * @throws Refusal, or StreamContention when concurrent commands keep winning
 */
export async function addFollow(services: CommandServices, account: AccountId, target: Target): Promise<Followed> {
  const now = services.now();
  const { decision, position } = await changeFollows({ store: services.store, account, now }, (follows) => {
    const decided = decideAdd(account, follows, target);
    if ('known' in decided) return { facts: [], follow: decided.known };
    const { follow_id: id, type, slug, name } = decided.added;
    const follow = { id, type, slug, name, added_at: now.toISOString() };
    return { facts: [{ type: 'FollowAdded', data: decided.added }], follow };
  });
  await waitForOwnWrite(services.database, ['follows'], position);
  return { follow: decision.follow, isNew: decision.facts.length > 0 };
}

/**
 * Ends a follow, and waits until readers see it.
 * @throws Refusal `not_found`, or StreamContention when concurrent commands keep winning
 */
export async function removeFollow(
  { store, database, now }: CommandServices,
  account: AccountId,
  id: string,
): Promise<void> {
  const { position } = await changeFollows({ store, account, now: now() }, (follows) => ({
    facts: [{ type: 'FollowRemoved', data: decideRemove(account, follows, id) }],
  }));
  await waitForOwnWrite(database, ['follows'], position);
}

/** Ends all follows of an account. @returns how many there were */
export async function endFollows(
  command: SubscriptionContext,
): Promise<{ readonly ended: number; readonly position: Position | null }> {
  const { decision, position } = await changeFollows(command, (follows) => ({
    facts: activeFollows(follows).map(
      ({ id }): FollowFact => ({ type: 'FollowRemoved', data: { account: command.account, follow_id: id } }),
    ),
  }));
  return { ended: decision.facts.length, position };
}

/** Notes that items were read, and waits until readers see it. @throws StreamContention when concurrent commands keep winning */
export async function markRead({ store, database, now }: CommandServices, read: DataOf<'InboxRead'>): Promise<void> {
  const { position } = await changeFollows({ store, account: read.account, now: now() }, () => ({
    facts: [{ type: 'InboxRead', data: read }],
  }));
  await waitForOwnWrite(database, ['inbox_reads'], position);
}

type FollowFact = Fact<'FollowAdded' | 'FollowRemoved' | 'InboxRead'>;

const changeFollows = <Decision extends { readonly facts: readonly FollowFact[] }>(
  { store, account, now }: SubscriptionContext,
  decide: (follows: Follows) => Decision,
) => handleCommand(store, { stream: followsStream(account), fold: foldFollows, decide, now });

/** The searches of an account, removed ones too, so that a filter that is saved again gets another id. */
export type Searches = Rows<SearchRow>;

export const foldSearches = (stored: readonly Event[]): Searches =>
  foldRows({ keys: searchOf, evolve: evolveSearch }, stored);

/** The searches that were not removed, by id. */
export const activeSearches = (searches: Searches): (readonly [id: string, search: SearchRow])[] =>
  [...searches].flatMap(([id, search]) => (search ? [[id, search] as const] : []));

export type SearchCommand =
  | { readonly do: 'save'; readonly name: string; readonly query: string }
  /** Unset fields stay as they are. */
  | { readonly do: 'change'; readonly id: string; readonly name?: string; readonly query?: string }
  | { readonly do: 'remove' | 'revoke_feed'; readonly id: string }
  /** @property upTo by default the present */
  | { readonly do: 'mark_read'; readonly id: string; readonly upTo?: string }
  | { readonly do: 'issue_feed'; readonly id: string; readonly tokenHash: string }
  /** @property token of a new digest; one that begins again keeps the token that its mails have */
  | {
      readonly do: 'choose_digest';
      readonly id: string;
      readonly every: Digest;
      readonly email: string;
      readonly token: string;
    }
  | { readonly do: 'end_digest'; readonly id: string; readonly by: DigestEnd };

type SearchFact = Fact<(typeof SAVED_SEARCH_TYPES)[number]>;

const checkedQuery = (query: string): string => {
  if (query.length > LONGEST_QUERY)
    throw new Refusal('invalid_request', `The filter has ${query.length} characters. Allowed: ${LONGEST_QUERY}.`);
  return query;
};

interface SearchDecision {
  /** Empty when all is so already. */
  readonly facts: readonly SearchFact[];
  /** The search that the command is about. */
  readonly id: string;
}

/**
 * What a command leads to. Pure.
 * @throws Refusal for a search that the account does not have, and for one more than it may have
 */
export function decideSearches(
  account_id: AccountId,
  searches: Searches,
  command: SearchCommand,
  now: Date,
): SearchDecision {
  if (command.do === 'save') {
    const { name, query } = command;
    const active = activeSearches(searches);
    const [same] = active.find(([, search]) => search.name === name && search.query === query) ?? [];
    if (same !== undefined) return { facts: [], id: same };
    if (active.length >= MAXIMUM_SEARCHES)
      throw new Refusal(
        'invalid_request',
        `This account has ${MAXIMUM_SEARCHES} saved searches, which is the maximum. Remove one first.`,
      );
    const search_id = prefixedId('sch', JSON.stringify([account_id, searches.size]));
    const data = { account_id, search_id, name, query: checkedQuery(query) };
    return { facts: [{ type: 'SearchSaved', data }], id: search_id };
  }
  const search = searches.get(command.id);
  if (!search) throw new Refusal('not_found', 'You have no saved search of this id. /searches lists them.');
  const fact = changeOf({ account_id, search_id: command.id }, search, command, now);
  return { facts: fact ? [fact] : [], id: command.id };
}

/** What a command changes of a search; null when all is so already. */
function changeOf(
  named: { readonly account_id: AccountId; readonly search_id: string },
  search: SearchRow,
  command: Exclude<SearchCommand, { do: 'save' }>,
  now: Date,
): SearchFact | null {
  const { digest } = search;
  switch (command.do) {
    case 'change': {
      const { name = search.name, query = search.query } = command;
      const isSame = name === search.name && query === search.query;
      return isSame ? null : { type: 'SearchChanged', data: { ...named, name, query: checkedQuery(query) } };
    }
    case 'remove':
      return { type: 'SearchRemoved', data: named };
    case 'mark_read': {
      const up_to = command.upTo ?? now.toISOString();
      return up_to > search.read_until ? { type: 'SearchRead', data: { ...named, up_to } } : null;
    }
    case 'issue_feed':
      return { type: 'SearchFeedIssued', data: { ...named, token_hash: command.tokenHash } };
    case 'revoke_feed':
      return search.token_hash === null ? null : { type: 'SearchFeedRevoked', data: named };
    case 'choose_digest': {
      const { every, email } = command;
      if (digest?.ended_by === null && digest.every === every && digest.email === email) return null;
      return { type: 'SearchDigestChosen', data: { ...named, every, email, token: digest?.token ?? command.token } };
    }
    case 'end_digest': {
      // A digest that is paused ends like any other; what has ended for a reason of its reader is not ended again.
      const isOver = !digest || (digest.ended_by !== null && digest.ended_by !== 'undeliverable');
      const isSame = digest?.ended_by === command.by;
      return isOver || isSame ? null : { type: 'SearchDigestEnded', data: { ...named, by: command.by } };
    }
  }
}

/** @throws Refusal, or StreamContention when concurrent commands keep winning */
export async function changeSearches(
  context: SubscriptionContext,
  command: SearchCommand,
): Promise<{ readonly id: string; readonly isNew: boolean; readonly position: Position | null }> {
  const { decision, position } = await decideOnSearches(context, (searches) =>
    decideSearches(context.account, searches, command, context.now),
  );
  return { id: decision.id, isNew: decision.facts.length > 0, position };
}

/** The same, and waits until readers see it. */
export async function commandSearches(
  { store, database, now }: CommandServices,
  account: AccountId,
  command: SearchCommand,
): Promise<Awaited<ReturnType<typeof changeSearches>>> {
  const changed = await changeSearches({ store, account, now: now() }, command);
  await waitForOwnWrite(database, ['saved_searches'], changed.position);
  return changed;
}

/** Removes all saved searches of an account, with their feeds. @returns how many there were */
export async function endSearches(
  context: SubscriptionContext,
): Promise<{ readonly ended: number; readonly position: Position | null }> {
  const { decision, position } = await decideOnSearches(context, (searches) => ({
    facts: activeSearches(searches).map(
      ([search_id]): SearchFact => ({ type: 'SearchRemoved', data: { account_id: context.account, search_id } }),
    ),
  }));
  return { ended: decision.facts.length, position };
}

const decideOnSearches = <Decision extends { readonly facts: readonly SearchFact[] }>(
  { store, account, now }: SubscriptionContext,
  decide: (searches: Searches) => Decision,
) => handleCommand(store, { stream: searchesStream(account), fold: foldSearches, decide, now });

// Tokens of feeds and invitations: 32 random bytes, shown once, of which only the SHA-256 is kept.

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Draws a token. */
export function newFeedToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

/** What is kept of a token; null for a text that is none. */
export const tokenHash = (token: string): string | null => (TOKEN.test(token) ? hashOf(token) : null);

/** The search of a token; null for one that was revoked or never issued. */
export async function searchOfToken(database: Queryable, token: string): Promise<KeptSearch | null> {
  const hash = tokenHash(token);
  if (hash === null) return null;
  const search = await searchByTokenHash(database, hash);
  // The index compares as it likes; what is let in was compared in constant time.
  return search?.token_hash && timingSafeEqual(Buffer.from(search.token_hash), Buffer.from(hash)) ? search : null;
}
