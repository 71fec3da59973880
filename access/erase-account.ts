/** Erases an account: destroys the key of its personal data, and ends all that it could do. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EventStore, Position } from '../log/event-store.ts';
import type { PersonalKey, PersonalKeys } from '../log/personal-data.ts';
import { type Database, type Queryable, query } from '../log/postgres/database.ts';
import { investigationsOf, sessionsOf } from '../projector/models/ask-queries.ts';
import { teamListsWith } from '../projector/models/team-lists-queries.ts';
import { type AccountId, StoredAccountId } from '../schemas/access.ts';
import { investigationStream, sessionStream } from '../schemas/ask.ts';
import { newEvent } from '../schemas/events.ts';
import { eventId } from '../schemas/scalar.ts';
import { type AccountName, type Commander, changeAccount } from './account.ts';
import { changeSubscription } from './mails.ts';
import { revokeAccountTokens } from './sign-in-tokens.ts';
import { endFollows, endSearches } from './subscriptions.ts';
import { changeTeamList } from './team-lists.ts';

const Row = z.object({ id: z.string(), account: StoredAccountId, secret: z.instanceof(Buffer) });

// The first key of an account stays the only one, however many processes need it at the same time.
const ADD = `INSERT INTO access.personal_key (id, account, secret)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) ON CONFLICT (account) DO NOTHING`;
const OF_ACCOUNTS = 'SELECT id, account, secret FROM access.personal_key WHERE account = ANY ($1)';
const BY_IDS = 'SELECT id, account, secret FROM access.personal_key WHERE id = ANY ($1)';

const newKey = (): PersonalKey => ({ id: randomBytes(8).toString('hex'), secret: randomBytes(32) });

/**
 * Keys are read from the database each time and never cached, so that no process can use a key after it was destroyed.
 * @param database in which `migrateAccess` ran
 */
export function personalKeys(database: Queryable): PersonalKeys {
  const find = async (accounts: readonly string[]): Promise<Map<string, PersonalKey>> =>
    new Map((await query(database, OF_ACCOUNTS, [accounts], Row)).map(({ account, ...key }) => [account, key]));
  return {
    async ofAccounts(accounts) {
      const held = await find(accounts);
      const missing = accounts.filter((account) => !held.has(account)).toSorted();
      if (missing.length === 0) return held;
      const added = missing.map(newKey);
      await database.query(ADD, [added.map(({ id }) => id), missing, added.map(({ secret }) => secret)]);
      return find(accounts);
    },
    byIds: async (ids) =>
      new Map((await query(database, BY_IDS, [ids], Row)).map(({ id, secret }) => [id, { id, secret }])),
  };
}

/** Destroys the key of an account: what it encrypted can never be read again. @returns whether there was one */
async function destroyPersonalKey(database: Queryable, account: AccountId): Promise<boolean> {
  const { rowCount } = await database.query('DELETE FROM access.personal_key WHERE account = $1', [account]);
  return (rowCount ?? 0) > 0;
}

// Erases an account: its keys stop working, its follows, saved searches, subscription, sessions and briefings end, it leaves its team
// lists with its name, and the key that its personal data is encrypted with is destroyed. Events stay in the log, unreadable where they were personal.

interface Erased {
  readonly keys: number;
  readonly follows: number;
  readonly searches: number;
  readonly sessions: number;
  readonly briefings: number;
  readonly lists: number;
  /** Where the last event is in the store; null when nothing was left to erase. */
  readonly position: Position | null;
}

// What is kept about accounts outside the log. Windows of calls end by themselves within a day, and an erased account
// must not get new ones.
const FORGET = [
  'DELETE FROM access.web_session WHERE account = $1',
  'DELETE FROM access.usage_day WHERE account = $1',
  'DELETE FROM access.brief_mail WHERE account = $1',
  'DELETE FROM access.search_mail WHERE account = $1',
  'DELETE FROM access.idempotent_request WHERE account = $1',
];

/**
 * Erases an account. Done twice, or again after it was interrupted, it leaves what it leaves when done once: the key is
 * destroyed last, after everything that has to be found by the account.
 * @param services read models of accounts, sessions, investigations and team lists have to be up to date
 * @throws StreamContention when others keep writing to the account
 */
export async function eraseAccount(
  { store, database, now }: { store: Pick<EventStore, 'append' | 'read'>; database: Database; now: Date },
  account: AccountName,
  commander: Commander,
): Promise<Erased> {
  const positions: (Position | null)[] = [];
  const time = now.toISOString();
  const follows = await endFollows({ store, account: account.id, now });
  const searches = await endSearches({ store, account: account.id, now });
  positions.push(
    follows.position,
    searches.position,
    await changeSubscription(store, account.id, { do: 'unsubscribe', by: 'erasure' }, now),
  );
  const sessions = await sessionsOf(database, account.id);
  for (const session_id of sessions) {
    const event = newEvent('SessionErased', { session_id }, { id: eventId('SessionErased', session_id), time });
    positions.push((await store.append(sessionStream(session_id), [event], 'any')).position);
  }
  const briefings = await investigationsOf(database, account.id);
  for (const investigation_id of briefings) {
    const event = newEvent(
      'ResearchErased',
      { investigation_id },
      { id: eventId('ResearchErased', investigation_id), time },
    );
    positions.push((await store.append(investigationStream(investigation_id), [event], 'any')).position);
  }
  const lists: (Position | null)[] = [];
  for (const list of await teamListsWith(database, account.id))
    lists.push(await changeTeamList({ store, account: account.id, now }, list, { do: 'erase' }));
  positions.push(...lists);
  const changed = await changeAccount(store, account, { command: 'erase' }, { commander, now });
  positions.push(changed.position);
  await destroyPersonalKey(database, account.id);
  for (const statement of FORGET) await database.query(statement, [account.id]);
  await revokeAccountTokens(database, account);
  return {
    keys: changed.events.filter(({ type }) => type === 'KeyRevoked').length,
    follows: follows.ended,
    searches: searches.ended,
    sessions: sessions.length,
    briefings: briefings.length,
    lists: lists.filter((position) => position !== null).length,
    position: positions.reduce<Position | null>(
      (last, next) => (next !== null && next > (last ?? 0n) ? next : last),
      null,
    ),
  };
}
