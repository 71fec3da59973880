/** `clarity accounts`: plans, applications and erasure; and `clarity keys`: API keys, for operators. */
import type { Command } from 'commander';
import { z } from 'zod';
import {
  type AccountCommand,
  type AccountName,
  accountNamed,
  accountOfEmail,
  type Commander,
  type CommandServices,
  commandAccount,
} from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import { eraseAccount } from '../../access/erase-account.ts';
import { revokeAccountTokens } from '../../access/sign-in-tokens.ts';
import { pause } from '../../log/backoff.ts';
import { type EventStore, recordOperation } from '../../log/event-store.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { findAccount, listAccounts, ownerOfApplication, ownerOfKey } from '../../projector/models/accounts-queries.ts';
import { accountsModel } from '../../projector/models/accounts-read-model.ts';
import { investigationsModel, sessionsModel } from '../../projector/models/ask-read-models.ts';
import { prepareReadModels } from '../../projector/promote-build.ts';
import type { Model } from '../../projector/read-model.ts';
import { runProjector } from '../../projector/run-projector.ts';
import { AccountId, KEY_SCOPES, KeyScope, PLANS, Plan } from '../../schemas/access.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readMoment } from '../../schemas/parameters.ts';
import { UserError } from '../errors.ts';
import { type Services, withServices } from '../services.ts';
import { confirmed, operatorName, printTable } from '../terminal.ts';

/** Milliseconds that a command waits until the read models contain all earlier events. */
export const CATCH_UP_TIMEOUT = 10_000;

/** The operator who runs this command, by the user name of the system. */
const operator = (): Commander => ({ role: 'operator', by: `operator ${operatorName()}` });

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
  // Its failure is that of `answer`, which is awaited below.
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
const withAccounts = <Result>(
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
async function namedAccount({ database }: Pick<Services, 'database'>, named: string): Promise<AccountName> {
  const id = AccountId.safeParse(named);
  if (!id.success) return named.includes('@') ? accountOfEmail(named) : accountNamed(named);
  const found = await findAccount(database, id.data);
  if (found?.name == null) throw new UserError(`no account ${named}; "clarity accounts list" shows all`);
  return { id: id.data, name: found.name };
}

/** The status of a key. @param now decides whether it has expired */
function keyStatus(
  { revoked_at, expires_at }: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: Date,
): 'active' | 'revoked' | 'expired' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'expired' : 'active';
}

const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

async function list({ json }: { json?: boolean }): Promise<void> {
  await withAccounts('accounts', async ({ database, now }) => {
    const accounts = (await listAccounts(database)).map(({ keys, ...account }) => ({
      ...account,
      active_keys: keys.filter((key) => keyStatus(key, now()) === 'active').length,
    }));
    if (json) return printJson(accounts);
    printTable(
      ['id', 'name', 'plan', 'active keys', 'application', 'opened'],
      accounts.map(({ id, name, plan, active_keys, application, opened_at }) => [
        id,
        name ?? '',
        plan,
        String(active_keys),
        application?.status ?? '',
        opened_at ?? '',
      ]),
    );
  });
}

async function setPlan(named: string, given: string, { json }: { json?: boolean }): Promise<void> {
  const plan = Plan.safeParse(given);
  if (!plan.success) throw new UserError(`${JSON.stringify(given)} is not a plan; allowed: ${PLANS.join(', ')}`);
  await withAccounts('accounts', async (services) => {
    const account = await namedAccount(services, named);
    const command = { command: 'change_plan', plan: plan.data } as const;
    const changed = await commandAccount(services, account, command, operator());
    if (json) return printJson({ id: account.id, name: account.name, plan: changed.account.plan });
    process.stdout.write(`${account.name} is on ${changed.account.plan}; all processes apply it within a minute\n`);
  });
}

async function applications({ all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  await withAccounts('accounts', async ({ database }) => {
    const found = (await listAccounts(database, { application: all ? null : 'pending' })).flatMap(
      ({ id, name, application }) => (application ? [{ ...application, account: name ?? id }] : []),
    );
    if (json) return printJson(found);
    printTable(
      ['id', 'account', 'e-mail', 'status', 'submitted', 'use'],
      found.map((one) => [one.id, one.account, one.email, one.status, one.submitted_at, JSON.stringify(one.use)]),
    );
  });
}

async function review(application_id: string, command: AccountCommand): Promise<void> {
  await withAccounts('accounts', async (services) => {
    const owner = await ownerOfApplication(services.database, application_id);
    if (!owner)
      throw new UserError(`no application ${JSON.stringify(application_id)}; see "clarity accounts applications"`);
    const account = await namedAccount(services, owner);
    const { account: after } = await commandAccount(services, account, command, operator());
    process.stdout.write(`${application_id} of ${account.name} is ${after.application?.status}\n`);
  });
}

async function revokeTokens(named: string, { json }: { json?: boolean }): Promise<void> {
  await withAccounts('accounts', async (services) => {
    const account = await namedAccount(services, named);
    const grants = await revokeAccountTokens(services.database, account);
    await recordOperation(services, {
      operation: 'tokens_revoked',
      subject: account.id,
      by: operatorName(),
      why: null,
    });
    if (json) return printJson({ id: account.id, name: account.name, grants });
    process.stdout.write(
      `Access tokens of ${account.name} that were issued until now are revoked on all processes; ` +
        `${grants} grants of the embedded issuer are revoked. Keys stay valid\n`,
    );
  });
}

async function erase(named: string, { yes, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const models = [accountsModel(), sessionsModel(), investigationsModel()];
  await withAccounts(
    'accounts',
    async (services) => {
      const account = await namedAccount(services, named);
      const question = `Erase ${account.name}? Its personal data becomes permanently unreadable.`;
      if (!(await confirmed(question, yes))) throw new UserError('nothing was erased');
      const erased = await eraseAccount({ ...services, now: services.now() }, account, operator());
      if (erased.position !== null)
        for (const { name } of models)
          await waitForPosition(services.database, name, erased.position, CATCH_UP_TIMEOUT);
      const { position: _, ...counts } = erased;
      if (json) return printJson({ id: account.id, ...counts });
      process.stdout.write(
        `${account.id} is erased: ${counts.keys} keys revoked, ${counts.follows} follows, ${counts.searches} saved searches, ${counts.sessions} sessions and ` +
          `${counts.briefings} briefings ended, and the key of its personal data destroyed\n` +
          'Earlier backups of the database still contain that key; see "Personal data" in docs/operators.md\n',
      );
    },
    models,
  );
}

export function addAccounts(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('list and erase accounts, set plans, review applications for keys');
  accounts.command('list').description('list all accounts').option('--json', 'print JSON').action(list);
  accounts
    .command('plan')
    .argument('<account>', 'e-mail address, or acc_…')
    .argument('<plan>', PLANS.join(' or '))
    .description('set the plan of an account')
    .option('--json', 'print JSON')
    .action(setPlan);
  accounts
    .command('applications')
    .description('list pending applications for a first free key')
    .option('--all', 'include reviewed applications')
    .option('--json', 'print JSON')
    .action(applications);
  accounts
    .command('revoke-tokens')
    .argument('<account>', 'e-mail address, the sub of its tokens, or acc_…')
    .description('revoke the access of all programs that an account signed in with; keys stay valid')
    .option('--json', 'print JSON')
    .action(revokeTokens);
  accounts
    .command('erase')
    .argument('<account>', 'e-mail address, or acc_…')
    .description('revoke all keys of an account and make its personal data permanently unreadable')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action(erase);
  accounts
    .command('approve')
    .argument('<application_id>')
    .description('allow the applicant to create a first free key')
    .action((application_id: string) => review(application_id, { command: 'approve', application_id }));
  accounts
    .command('reject')
    .argument('<application_id>')
    .requiredOption('--why <text>', 'the reason, which is shown to the applicant')
    .description('reject an application')
    .action((application_id: string, { why }: { why: string }) =>
      review(application_id, { command: 'reject', application_id, why: why.slice(0, 500) }),
    );
}

interface IssueFlags {
  readonly account: string;
  readonly plan?: string;
  readonly scopes?: string;
  readonly name: string;
  readonly expires?: string;
  readonly json?: boolean;
}

/** Validates a flag. @throws UserError naming the flag, the value and what is allowed */
function readFlag<Value>(flag: string, given: unknown, schema: z.ZodType<Value>, allowed: string): Value {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new UserError(`${flag}: ${JSON.stringify(given)} is not valid; allowed: ${allowed}`);
  return parsed.data;
}

const readExpiry = (given: string): string => {
  const moment = readMoment(given);
  if (!moment) throw new UserError(`--expires: ${JSON.stringify(given)} is not valid; allowed: 2027-01-31 or a time`);
  return moment;
};

async function issue(flags: IssueFlags): Promise<void> {
  const named = readFlag('--account', flags.account.trim(), z.string().min(1).max(320), 'an e-mail address');
  const plan = flags.plan === undefined ? null : readFlag('--plan', flags.plan, Plan, PLANS.join(', '));
  const scopes = flags.scopes
    ?.split(',')
    .map((scope) => readFlag('--scopes', scope.trim(), KeyScope, KEY_SCOPES.join(', ')));
  const name = readFlag('--name', flags.name.trim(), z.string().min(1).max(80), '1 to 80 characters');
  const expires_at = flags.expires === undefined ? null : readExpiry(flags.expires);
  await withAccounts('keys', async (services) => {
    const account = await namedAccount(services, named);
    const { key, ...kept } = newKey();
    const command = { command: 'issue_key', key: kept, name, scopes: scopes ?? null, expires_at, plan } as const;
    const changed = await commandAccount(services, account, command, operator());
    const issued = changed.account.keys.find(({ id }) => id === kept.id);
    if (flags.json)
      return printJson({
        key,
        id: kept.id,
        account: account.name,
        account_id: account.id,
        plan: changed.account.plan,
        scopes: issued?.scopes,
        name,
        expires_at,
      });
    process.stdout.write(
      `${key}\n\nThe key is shown only once. It is ${kept.id} of ${account.name}, plan ` +
        `${changed.account.plan}, scopes ${issued?.scopes.join(', ')}.\nSend it as "Authorization: Bearer <key>".\n`,
    );
  });
}

async function listKeys({ account: named, json }: { account?: string; json?: boolean }): Promise<void> {
  await withAccounts('keys', async (services) => {
    const account = named === undefined ? null : await namedAccount(services, named);
    const found = account ? [await findAccount(services.database, account.id)] : await listAccounts(services.database);
    const keys = found.flatMap((one) =>
      (one?.keys ?? []).map(({ hash: _, ...key }) => ({
        ...key,
        account: one?.name ?? '',
        plan: one?.plan ?? 'free',
        status: keyStatus(key, services.now()),
      })),
    );
    if (json) return printJson(keys);
    printTable(
      ['id', 'account', 'plan', 'name', 'ends in', 'scopes', 'status', 'issued', 'expires'],
      keys.map((key) => [
        key.id,
        key.account,
        key.plan,
        key.name,
        key.ending,
        key.scopes.join(','),
        key.status,
        key.created_at,
        key.expires_at ?? 'never',
      ]),
    );
  });
}

async function revoke(keyId: string, { json }: { json?: boolean }): Promise<void> {
  await withAccounts('keys', async (services) => {
    const owner = await ownerOfKey(services.database, keyId);
    if (!owner) throw new UserError(`no key ${JSON.stringify(keyId)}; "clarity keys list" shows all`);
    const account = await namedAccount(services, owner);
    const { events } = await commandAccount(services, account, { command: 'revoke_key', key_id: keyId }, operator());
    if (json) return printJson({ id: keyId, account: account.name, revoked: true });
    process.stdout.write(
      events.length > 0 ? `${keyId} is revoked on all processes within a minute\n` : `${keyId} was already revoked\n`,
    );
  });
}

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('issue, list and revoke API keys');
  keys
    .command('issue')
    .description('create a key and print it once; the account is created if there is none')
    .requiredOption('--account <email>', 'owner of the key')
    .option(
      '--plan <plan>',
      `set the account to ${PLANS.join(' or ')}; default: the current plan (free for a new account)`,
    )
    .option('--scopes <list>', 'read, ask or both, separated by commas; default: those of the plan')
    .option('--name <text>', 'what the key is for', 'issued by an operator')
    .option('--expires <day>', 'day or time at which it expires; default: never')
    .option('--json', 'print JSON')
    .action(issue);
  keys
    .command('list')
    .description('list all keys with their accounts; the keys themselves are not stored')
    .option('--account <email>', 'only keys of this account')
    .option('--json', 'print JSON')
    .action(listKeys);
  keys
    .command('revoke')
    .argument('<key_id>', 'as "clarity keys list" shows it')
    .description('revoke a key; all processes refuse it within a minute')
    .option('--json', 'print JSON')
    .action(revoke);
}
