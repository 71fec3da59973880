/** Carries a command out: reads the account's stream, decides, appends, and decides anew when another was faster. */
import { type EventStore, type Position, RevisionConflict } from '../../log/event-store.ts';
import { ACCOUNT_TYPES, accountStream } from '../../schemas/access.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';
import type { AccountCommand, AccountName, Commander } from './command.ts';
import { decideAccount } from './decide.ts';
import { type Account, type AccountEvent, type AccountFact, evolveAccount, NO_ACCOUNT } from './state.ts';

const ATTEMPTS = 8;
const TYPES: ReadonlySet<string> = new Set(ACCOUNT_TYPES);

export interface Changed {
  /** The account after the command. */
  readonly account: Account;
  /** What happened; nothing when all was so already. */
  readonly events: readonly AccountEvent[];
  /** Where the last of them stands in the store; null when nothing happened. */
  readonly position: Position | null;
}

/** The account as it stands, and the revision of its stream; -1 for none. */
export async function loadAccount(
  store: Pick<EventStore, 'read'>,
  id: string,
): Promise<{ readonly account: Account; readonly revision: number }> {
  const stored = await store.read(accountStream(id));
  const events = stored
    .map(readEvent as (event: (typeof stored)[number]) => AccountEvent)
    .filter(({ type }) => TYPES.has(type));
  return { account: events.reduce<Account>(evolveAccount, NO_ACCOUNT), revision: stored.at(-1)?.revision ?? -1 };
}

/**
 * Two commands at once: one wins, the other reads again and decides anew.
 * @throws Refusal when the command cannot be obeyed, RevisionConflict when others keep being faster
 */
export async function changeAccount(
  store: Pick<EventStore, 'append' | 'read'>,
  whose: AccountName,
  command: AccountCommand,
  { commander, now }: { readonly commander: Commander; readonly now: Date },
): Promise<Changed> {
  for (let attempt = 1; ; attempt++) {
    const { account, revision } = await loadAccount(store, whose.id);
    const facts = decideAccount(command, account, { account: whose, commander, now });
    if (facts.length === 0) return { account, events: [], position: null };
    const events = facts.map((fact, index) => eventOf(whose.id, fact, revision + 1 + index, now));
    try {
      const expected = revision < 0 ? 'none' : revision;
      const { position } = await store.append(accountStream(whose.id), events, expected);
      return { account: facts.reduce(evolveAccount, account), events, position };
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The id holds place and content, so that two writers who are at the same place never pass for one. */
const eventOf = (account: string, { type, data }: AccountFact, revision: number, now: Date): AccountEvent =>
  newEvent(type, data, {
    id: eventId('account', account, revision, type, JSON.stringify(data)),
    time: now.toISOString(),
  }) as AccountEvent;
