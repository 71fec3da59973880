/** Carries out commands on accounts. */
import { handleCommand } from '../../log/command-handler.ts';
import type { EventStore, Position, StoredEvent } from '../../log/event-store.ts';
import { ACCOUNT_TYPES, accountStream } from '../../schemas/access.ts';
import { readEvent } from '../../schemas/events.ts';
import type { AccountCommand, AccountName, Commander } from './command.ts';
import { decideAccount } from './decide.ts';
import { type Account, type AccountEvent, evolveAccount, NO_ACCOUNT } from './state.ts';

const TYPES: ReadonlySet<string> = new Set(ACCOUNT_TYPES);

export interface Changed {
  /** The account after the command. */
  readonly account: Account;
  /** What happened; nothing when all was so already. */
  readonly events: readonly AccountEvent[];
  /** Where the last of them stands in the store; null when nothing happened. */
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
  id: string,
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
