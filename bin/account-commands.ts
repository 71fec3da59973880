/** What the commands `accounts` and `keys` share: the operator, up-to-date read models, accounts by name. */
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

/** Milliseconds that a command waits until the read models contain all earlier events. */
export const CATCH_UP_TIMEOUT = 10_000;

/** The operator who runs this command, by the user name of the system. */
export const operator = (): Commander => ({ role: 'operator', by: `operator ${userName()}` });

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Milliseconds between two checks that the event store answers. */
const CHECK_INTERVAL = 500;

/**
 * Waits until read models have caught up, which they cannot while the event store hangs.
 * @throws EventStoreUnavailable when the event store stops answering: otherwise the command would wait a second time, for
 *   its own call
 */
async function whileAnswering(store: EventStore, reached: () => Promise<boolean>): Promise<void> {
  const done = new AbortController();
  let answer: Promise<unknown> = Promise.resolve();
  const asking = (async () => {
    for (; !done.signal.aborted; await pause(CHECK_INTERVAL, done.signal)) {
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
 * Runs a command with read models that are up to date. A running projector keeps its ownership; without one, the command
 * projects accounts itself while it runs.
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
      for (const { name } of models)
        await whileAnswering(store, () => waitForPosition(database, name, head, CATCH_UP_TIMEOUT));
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
  const id = AccountId.safeParse(named);
  if (!id.success) return named.includes('@') ? accountOfEmail(named) : accountNamed(named);
  const found = await findAccount(database, id.data);
  if (found?.name == null) throw new UserError(`no account ${named}; "clarity accounts list" shows all`);
  return { id: id.data, name: found.name };
}

/** The status of a key. @param now decides whether it has expired */
export function keyStatus(
  { revoked_at, expires_at }: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: Date,
): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'expired' : 'active';
}
