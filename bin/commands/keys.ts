/** `clarity keys`: API keys, for operators. */
import type { Command } from 'commander';
import { z } from 'zod';
import { commandAccount } from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import { findAccount, listAccounts, ownerOfKey } from '../../projector/models/accounts-queries.ts';
import { KEY_SCOPES, KeyScope, PLANS, Plan } from '../../schemas/access.ts';
import { readMoment } from '../../schemas/parameters.ts';
import { UserError } from '../errors.ts';
import { printTable } from '../terminal.ts';
import { keyStatus, namedAccount, operator, withAccounts } from './accounts.ts';

interface IssueFlags {
  readonly account: string;
  readonly plan?: string;
  readonly scopes?: string;
  readonly name: string;
  readonly expires?: string;
  readonly json?: boolean;
}

const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

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

async function list({ account: named, json }: { account?: string; json?: boolean }): Promise<void> {
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
    .action(list);
  keys
    .command('revoke')
    .argument('<key_id>', 'as "clarity keys list" shows it')
    .description('revoke a key; all processes refuse it within a minute')
    .option('--json', 'print JSON')
    .action(revoke);
}
