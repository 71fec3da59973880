/** `clarity accounts`: plans, applications and erasure; and `clarity keys`: API keys. */
import { z } from 'zod';
import {
  type AccountCommand,
  type AccountName,
  accountNamed,
  accountOfEmail,
  commandAccount,
} from '../access/account.ts';
import { keyStatus, newKey, reviewApplication } from '../access/api-keys.ts';
import { eraseAccount } from '../access/erase-account.ts';
import { revokeAccountTokens } from '../access/sign-in-tokens.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { findAccount, listAccounts, ownerOfKey } from '../projector/models/accounts-queries.ts';
import { accountsModel } from '../projector/models/accounts-read-model.ts';
import { investigationsModel, sessionsModel } from '../projector/models/ask-read-models.ts';
import { teamListsModel } from '../projector/models/team-lists-read-model.ts';
import { AccountId, KEY_SCOPES, KeyScope, PLANS, Plan } from '../schemas/access.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { commaSeparated, Moment } from '../schemas/parameters.ts';
import {
  defineOperatorAction,
  defineTerminalAction,
  type OperatorActions,
  type OperatorContext,
} from './operator-action.ts';
import { tableText } from './terminal-text.ts';

const projects = () => [accountsModel()];

const ACCOUNT = z.string().trim().min(1).max(320).describe('e-mail address, the sub of its tokens, or acc_…');

/**
 * The account that an operator names: by e-mail address, by the `sub` of its tokens, or by `acc_…`.
 * @throws Refusal for an id that no account has
 */
async function namedAccount({ database }: OperatorContext, named: string): Promise<AccountName> {
  const id = AccountId.safeParse(named);
  if (!id.success) return named.includes('@') ? accountOfEmail(named) : accountNamed(named);
  const account = await findAccount(database, id.data);
  if (!account) throw new Refusal('invalid_request', `no account ${named}; "clarity accounts list" shows all`);
  return { id: id.data, name: account.name ?? account.id };
}

const change = (context: OperatorContext, account: AccountName, command: AccountCommand) =>
  commandAccount(context, account, command, context.commander);

const list = defineOperatorAction({
  name: 'list',
  summary: 'list all accounts',
  input: z.object({}),
  audit: 'nothing',
  projects,
  async run(_, { database, now }) {
    return (await listAccounts(database)).map(({ keys, applications: _, ...account }) => ({
      ...account,
      active_keys: keys.filter((key) => keyStatus(key, now()) === 'active').length,
    }));
  },
  text: (accounts) =>
    tableText(
      ['id', 'name', 'plan', 'active keys', 'application', 'opened'],
      accounts.map(({ id, name, plan, active_keys, application, opened_at }) => [
        id,
        name ?? '',
        plan,
        String(active_keys),
        application?.status ?? '',
        opened_at ?? '',
      ]),
    ),
});

export const changePlan = defineOperatorAction({
  name: 'plan',
  summary: 'set the plan of an account',
  input: z.object({ account: ACCOUNT, plan: Plan.describe(PLANS.join(' or ')) }),
  positional: ['account', 'plan'],
  audit: 'events',
  projects,
  async run({ account: named, plan }, context) {
    const { id, name } = await namedAccount(context, named);
    const changed = await change(context, { id, name }, { command: 'change_plan', plan });
    return { id, name, plan: changed.account.plan };
  },
  text: ({ name, plan }) => `${name} is on ${plan}; all processes apply it within a minute`,
});

const applications = defineOperatorAction({
  name: 'applications',
  summary: 'list pending applications for a first free key',
  input: z.object({ all: z.boolean().default(false).describe('include reviewed applications') }),
  audit: 'nothing',
  projects,
  run: async ({ all }, { database }) =>
    (await listAccounts(database, { application: all ? null : 'pending' })).flatMap(({ id, name, application }) =>
      application ? [{ ...application, account: name ?? id }] : [],
    ),
  text: (rows) =>
    tableText(
      ['id', 'account', 'e-mail', 'status', 'submitted', 'use'],
      rows.map((one) => [one.id, one.account, one.email, one.status, one.submitted_at, JSON.stringify(one.use)]),
    ),
});

const REVIEW = {
  input: z.object({ application: z.string().max(60).describe('as "clarity accounts applications" lists it') }),
  positional: ['application'],
  audit: 'events',
  projects,
  text: ({ id, account, status }: Awaited<ReturnType<typeof reviewApplication>>) =>
    `${id} of ${account.name} is ${status}`,
} as const;

export const approve = defineOperatorAction({
  ...REVIEW,
  name: 'approve',
  summary: 'allow the applicant to create a first free key',
  run: ({ application: application_id }, context) =>
    reviewApplication(context, { command: 'approve', application_id }, context.author().by),
});

export const reject = defineOperatorAction({
  ...REVIEW,
  name: 'reject',
  summary: 'reject an application; the reason is shown to the applicant',
  reason: 'required',
  run({ application: application_id }, context) {
    const { by, why } = context.author();
    return reviewApplication(context, { command: 'reject', application_id, why }, by);
  },
});

const revokeTokens = defineOperatorAction({
  name: 'revoke-tokens',
  summary: 'revoke the access of all programs that an account signed in with; keys stay valid',
  input: z.object({ account: ACCOUNT }),
  positional: ['account'],
  audit: ['tokens_revoked'],
  projects,
  async run({ account: named }, context) {
    const account = await namedAccount(context, named);
    const grants = await revokeAccountTokens(context.database, account);
    await context.record('tokens_revoked', account.id);
    return { ...account, grants };
  },
  text: ({ name, grants }) =>
    `Access tokens of ${name} that were issued until now are revoked on all processes; ` +
    `${grants} grants of the embedded issuer are revoked. Keys stay valid`,
});

/** Milliseconds that the command waits until the erased rows are gone. */
const ERASED_WITHIN = 10_000;
const erasedModels = () => [accountsModel(), sessionsModel(), investigationsModel(), teamListsModel()];

const erase = defineTerminalAction({
  name: 'erase',
  summary: 'revoke all keys of an account and make its personal data permanently unreadable',
  input: z.object({ account: ACCOUNT }),
  positional: ['account'],
  audit: 'events',
  asks: true,
  projects: erasedModels,
  async run({ account: named }, context) {
    const account = await namedAccount(context, named);
    await context.confirm(`Erase ${account.name}? Its personal data becomes permanently unreadable.`);
    const { database, store } = context;
    const { position, ...counts } = await eraseAccount(
      { database, store, now: context.now() },
      account,
      context.commander,
    );
    if (position !== null)
      for (const { name } of erasedModels()) await waitForPosition(database, name, position, ERASED_WITHIN);
    return { id: account.id, ...counts };
  },
  text: ({ id, keys, follows, searches, sessions, briefings, lists }) =>
    `${id} is erased: ${keys} keys revoked, ${follows} follows, ${searches} saved searches, ${sessions} sessions and ` +
    `${briefings} briefings ended, ${lists} team lists left, and the key of its personal data destroyed\n` +
    'Earlier backups of the database still contain that key; see "Personal data" in docs/operators.md',
});

export const ACCOUNTS: OperatorActions = {
  name: 'accounts',
  summary: 'list and erase accounts, set plans, review applications for keys',
  actions: [list, changePlan, applications, revokeTokens, erase, approve, reject],
};

const issue = defineOperatorAction({
  name: 'issue',
  summary: 'create a key and print it once; the account is created if there is none',
  input: z.object({
    account: ACCOUNT.meta({ description: 'owner of the key', placeholder: 'email' }),
    plan: Plan.optional().describe('set the account to this plan; default: the current one (free for a new account)'),
    scopes: commaSeparated(KeyScope, KEY_SCOPES.length, 'read, ask or both, separated by commas')
      .optional()
      .meta({ description: 'read, ask or both, separated by commas; default: those of the plan', placeholder: 'list' }),
    name: z.string().trim().min(1).max(80).default('issued by an operator').describe('what the key is for'),
    expires: Moment.optional().meta({
      description: 'day or time at which it expires, such as 2027-01-31; default: never',
      placeholder: 'day',
    }),
  }),
  audit: 'events',
  projects,
  async run({ account: named, plan = null, scopes = null, name, expires: expires_at = null }, context) {
    const { id: account_id, name: account } = await namedAccount(context, named);
    const { key, ...kept } = newKey();
    const command = { command: 'issue_key', key: kept, name, scopes, expires_at, plan } as const;
    const changed = (await change(context, { id: account_id, name: account }, command)).account;
    const issued = changed.keys.find(({ id }) => id === kept.id);
    return { key, id: kept.id, account, account_id, plan: changed.plan, scopes: issued?.scopes, name, expires_at };
  },
  text: ({ key, id, account, plan, scopes }) =>
    `${key}\n\nThe key is shown only once. It is ${id} of ${account}, plan ${plan}, scopes ${scopes?.join(', ')}.\n` +
    'Send it as "Authorization: Bearer <key>".',
});

const listKeys = defineOperatorAction({
  name: 'list',
  summary: 'list all keys with their accounts; the keys themselves are not stored',
  input: z.object({
    account: ACCOUNT.optional().meta({ description: 'only keys of this account', placeholder: 'email' }),
  }),
  audit: 'nothing',
  projects,
  async run({ account: named }, context) {
    const { database, now } = context;
    const account = named === undefined ? null : await namedAccount(context, named);
    const accounts = account ? [await findAccount(database, account.id)] : await listAccounts(database);
    return accounts.flatMap((one) =>
      (one?.keys ?? []).map(({ hash: _, ...key }) => ({
        ...key,
        account: one?.name ?? '',
        plan: one?.plan ?? 'free',
        status: keyStatus(key, now()),
      })),
    );
  },
  text: (keys) =>
    tableText(
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
    ),
});

export const revokeKey = defineOperatorAction({
  name: 'revoke',
  summary: 'revoke a key; all processes refuse it within a minute',
  input: z.object({
    key: z.string().max(60).meta({ description: 'as "clarity keys list" shows it', placeholder: 'key_id' }),
  }),
  positional: ['key'],
  audit: 'events',
  projects,
  async run({ key: key_id }, context) {
    const owner = await ownerOfKey(context.database, key_id);
    if (!owner) throw new Refusal('invalid_request', `no key ${quoted(key_id)}; "clarity keys list" shows all`);
    const account = await namedAccount(context, owner);
    const { events } = await change(context, account, { command: 'revoke_key', key_id });
    return { id: key_id, account: account.name, revoked: true, was_active: events.length > 0 };
  },
  text: ({ id, was_active }) =>
    was_active ? `${id} is revoked on all processes within a minute` : `${id} was already revoked`,
});

export const KEYS: OperatorActions = {
  name: 'keys',
  summary: 'issue, list and revoke API keys',
  actions: [issue, listKeys, revokeKey],
};
