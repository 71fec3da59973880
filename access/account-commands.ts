/** Carries out commands on accounts, and waits until their sender can read the result. */
import { handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position, StoredEvent } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { waitForOwnWrite } from '../projector/model-progress.ts';
import { ACCOUNTS } from '../projector/models/accounts-read-model.ts';
import { ACCOUNT_TYPES, type AccountId, accountStream } from '../schemas/access.ts';
import { readEvent } from '../schemas/events.ts';
import {
  type Account,
  type AccountCommand,
  type AccountEvent,
  type AccountName,
  type Commander,
  decideAccount,
  evolveAccount,
  NO_ACCOUNT,
} from './account.ts';

const TYPES: ReadonlySet<string> = new Set(ACCOUNT_TYPES);

interface Changed {
  /** The account after the command. */
  readonly account: Account;
  /** The decided events; empty when the command changes nothing. */
  readonly events: readonly AccountEvent[];
  /** Position of the last event in the store; null without events. */
  readonly position: Position | null;
}

/** The account that stored events lead to. Events of another type leave it as it is. */
const foldAccount = (stored: readonly StoredEvent[]): Account =>
  stored
    .map(readEvent as (event: StoredEvent) => AccountEvent)
    .filter(({ type }) => TYPES.has(type))
    .reduce<Account>(evolveAccount, NO_ACCOUNT);

/** The current account, folded from its stream, and the revision of the stream; -1 for none. */
export async function loadAccount(
  store: Pick<EventStore, 'read'>,
  id: AccountId,
): Promise<{ readonly account: Account; readonly revision: number }> {
  const stored = await store.read(accountStream(id));
  return { account: foldAccount(stored), revision: stored.at(-1)?.revision ?? -1 };
}

/**
 * Carries out a command on an account.
 * @throws Refusal when the command cannot be obeyed, StreamContention when others keep being faster
 */
export async function changeAccount(
  store: Pick<EventStore, 'append' | 'read'>,
  whose: AccountName,
  command: AccountCommand,
  { commander, now }: { readonly commander: Commander; readonly now: Date },
): Promise<Changed> {
  const { state, decision, events, position } = await handleCommand(store, {
    stream: accountStream(whose.id),
    fold: foldAccount,
    decide: (account) => ({ facts: decideAccount(command, account, { account: whose, commander, now }) }),
    now,
  });
  return { account: decision.facts.reduce(evolveAccount, state), events: events as readonly AccountEvent[], position };
}

export interface CommandServices {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly database: Database;
  readonly now: () => Date;
}

/**
 * Carries a command out and waits until readers see it.
 * @throws what `changeAccount` throws
 */
export async function commandAccount(
  { store, database, now }: CommandServices,
  account: AccountName,
  command: AccountCommand,
  commander: Commander,
): Promise<Changed> {
  const changed = await changeAccount(store, account, command, { commander, now: now() });
  await waitForOwnWrite(database, [ACCOUNTS], changed.position);
  return changed;
}
