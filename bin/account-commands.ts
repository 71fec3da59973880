/** What the commands on accounts and keys share. */
import { userInfo } from 'node:os';
import { type AccountName, accountNamed, accountOfEmail, type Commander } from '../access/account.ts';
import type { CommandServices } from '../access/account-commands.ts';
import { pause } from '../log/backoff.ts';
import type { EventStore } from '../log/event-store.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { findAccount } from '../projector/models/accounts-queries.ts';
import { accountsModel } from '../projector/models/accounts-read-model.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import type { Model } from '../projector/read-model.ts';
import { runProjector } from '../projector/run-projector.ts';
import { AccountId } from '../schemas/access.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { UserError } from './errors.ts';
import { type Services, withServices } from './services.ts';

// What the commands on accounts and keys share.

/** How long a command waits until it sees all that was told before it, in milliseconds. */
export const PATIENCE = 10_000;

/** The operator of this command, by the name of the system's user. */
export const operator = (): Commander => ({ role: 'operator', by: `operator ${userName()}` });

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Milliseconds between two questions to the event store whether it answers. */
const ASK_EVERY = 500;

/**
 * Waits until read models have caught up, which they never do while the event store is hung.
 * @throws EventStoreUnavailable when it was not reached in time, since the event store does not answer any more: without
 *   that the command would wait once more for its own call
 */
async function whileAnswering(store: EventStore, reached: () => Promise<boolean>): Promise<void> {
  const done = new AbortController();
  let answer: Promise<unknown> = Promise.resolve();
  const asking = (async () => {
    for (; !done.signal.aborted; await pause(ASK_EVERY, done.signal)) {
      answer = store.head();
      await answer;
    }
  })();
  asking.catch(() => undefined);
  try {
    if (!(await reached())) await answer;
  } finally {
    done.abort();
  }
}

/**
 * Runs a command on accounts with read models that are up to date. Where a projector runs, it stays the owner; where
 * none does, the command projects accounts itself for as long as it lasts.
 */
export const withAccounts = <Result>(
  name: string,
  work: (services: Services & CommandServices) => Promise<Result>,
  models: readonly Model[] = [accountsModel()],
): Promise<Result> =>
  withServices(name, async (services) => {
    const { database, store, topics } = services;
    const stop = new AbortController();
    await prepareReadModels(database, models);
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const projector = runProjector({ models, database, store, topics, logger: silent, signal: stop.signal });
    try {
      const head = await store.head();
      for (const { name } of models) await whileAnswering(store, () => waitForPosition(database, name, head, PATIENCE));
      return await work(services);
    } catch (error) {
      throw error instanceof Refusal ? new UserError(error.message) : error;
    } finally {
      stop.abort();
      await projector;
    }
  });

/**
 * The account that an operator names: by e-mail address, by the `sub` of its tokens, or by `acc_…`.
 * @throws UserError for an id that no account has
 */
export async function namedAccount({ database }: Pick<Services, 'database'>, named: string): Promise<AccountName> {
  if (!AccountId.safeParse(named).success) return named.includes('@') ? accountOfEmail(named) : accountNamed(named);
  const found = await findAccount(database, named);
  if (found?.name == null) throw new UserError(`no account ${named}; "clarity accounts list" shows all`);
  return { id: named, name: found.name };
}

/** The state of a key in a word. @param now the moment that decides whether it has expired */
export function keyStatus(
  { revoked_at, expires_at }: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: Date,
): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'expired' : 'active';
}
