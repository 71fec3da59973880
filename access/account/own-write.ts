/** Commands whose sender sees what they did. */
import type { EventStore } from '../../log/event-store.ts';
import type { Database } from '../../log/postgres/database.ts';
import { ACCOUNTS } from '../../projector/models/accounts-read-model.ts';
import { waitForPosition } from '../../projector/wait.ts';
import { type Changed, changeAccount } from './change.ts';
import type { AccountCommand, AccountName, Commander } from './command.ts';

/** How long a command waits for its projection, in milliseconds. Later than that it holds all the same. */
const PATIENCE = 2_000;

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
  if (changed.position !== null) await waitForPosition(database, ACCOUNTS, changed.position, PATIENCE);
  return changed;
}
