/**
 * The account aggregate: its commands, its state, and what each command decides, pure; and the handler that carries a
 * command out and waits until its sender can read the result.
 */
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position, StoredEvent } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { waitForOwnWrite } from '../projector/model-progress.ts';
import { ACCOUNTS, type AccountRow, evolveAccount, NO_ACCOUNT } from '../projector/models/accounts-read-model.ts';
import {
  type ACCOUNT_TYPES,
  type AccountId,
  accountIdOf,
  accountStream,
  type KeyScope,
  type Plan,
} from '../schemas/access.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { prefixedId } from '../schemas/scalar.ts';

export interface IssueKey {
  readonly command: 'issue_key';
  readonly key: { readonly id: string; readonly hash: string; readonly ending: string };
  readonly name: string;
  /** Null for the usual ones of the plan. */
  readonly scopes: readonly KeyScope[] | null;
  /** RFC 3339; null for a key that stays until it is revoked. */
  readonly expires_at: string | null;
  /** Plan to which the account is set with it; null leaves the plan. */
  readonly plan: Plan | null;
}

export type AccountCommand =
  | IssueKey
  | { readonly command: 'revoke_key'; readonly key_id: string }
  | { readonly command: 'change_plan'; readonly plan: Plan }
  /** Revokes all keys and closes the account; see `eraseAccount`, which destroys the personal data as well. */
  | { readonly command: 'erase' }
  | { readonly command: 'apply'; readonly email: string; readonly use: string }
  | { readonly command: 'approve'; readonly application_id: string }
  | { readonly command: 'reject'; readonly application_id: string; readonly why: string };

/** The author of a command. An operator may do everything, an owner what the plan allows. */
export interface Commander {
  readonly role: 'owner' | 'operator';
  /** As recorded in the events, such as `operator asha` or `owner`. */
  readonly by: string;
}

/** Whose account it is. */
export interface AccountName {
  readonly id: AccountId;
  readonly name: string;
}

/**
 * The account of a name: an e-mail address, or the unchanged `sub` of a sign-in token.
 * An issuer whose `sub` is the e-mail address and an operator who names the address mean the same account.
 */
export const accountNamed = (name: string): AccountName => ({ id: accountIdOf(name), name });

/** The account of an e-mail address as people type it. */
export const accountOfEmail = (email: string): AccountName => accountNamed(email.trim().toLowerCase());

export type AccountFact = Fact<(typeof ACCOUNT_TYPES)[number]>;

const MAX_KEYS = 20;

/** The scopes of a key that asks for none. */
export const usualScopes = (plan: Plan): readonly KeyScope[] => (plan === 'pro' ? ['read', 'ask'] : ['read']);

interface Occasion {
  readonly account: AccountName;
  readonly commander: Commander;
  readonly now: Date;
}

/**
 * The facts that follow from a command; none when all is so already.
 * @throws Refusal saying why not and what to do
 */
export function decideAccount(
  command: AccountCommand,
  account: AccountRow,
  occasion: Occasion,
): readonly AccountFact[] {
  const author = { account_id: occasion.account.id, by: occasion.commander.by };
  const opened: readonly AccountFact[] =
    account.name === null ? [{ type: 'AccountOpened', data: { ...author, name: occasion.account.name } }] : [];
  switch (command.command) {
    case 'issue_key':
      return [...opened, ...issueKey(command, account, occasion)];
    case 'revoke_key': {
      const key = account.keys.find(({ id }) => id === command.key_id);
      if (!key) throw new Refusal('not_found', `This account has no key ${quoted(command.key_id)}.`);
      return key.revoked_at ? [] : [{ type: 'KeyRevoked', data: { ...author, key_id: key.id } }];
    }
    case 'erase':
      return erase(account, author);
    case 'change_plan':
      return [...opened, ...changePlan(command.plan, account, occasion)];
    case 'apply':
      return [...opened, ...apply(command, account, occasion)];
    case 'approve':
      return review(account, command.application_id, 'approved')
        ? [{ type: 'ApplicationApproved', data: { ...author, application_id: command.application_id } }]
        : [];
    case 'reject':
      return review(account, command.application_id, 'rejected')
        ? [
            {
              type: 'ApplicationRejected',
              data: { ...author, application_id: command.application_id, why: command.why },
            },
          ]
        : [];
  }
}

function issueKey(command: IssueKey, account: AccountRow, occasion: Occasion): readonly AccountFact[] {
  const { now, commander } = occasion;
  const planned = command.plan === null ? [] : changePlan(command.plan, account, occasion);
  const plan = command.plan ?? account.plan;
  const scopes = command.scopes ?? usualScopes(plan);
  if (commander.role === 'owner') mayHaveKey(account, plan, scopes);
  const active = account.keys.filter(
    ({ revoked_at, expires_at }) =>
      revoked_at === null && (expires_at === null || Date.parse(expires_at) > now.getTime()),
  );
  if (active.length >= MAX_KEYS)
    throw new Refusal('invalid_request', `An account has ${MAX_KEYS} active keys at most. Revoke one first.`);
  if (command.expires_at !== null && Date.parse(command.expires_at) <= now.getTime())
    throw new Refusal('invalid_request', `expires_at: ${quoted(command.expires_at)} is past. Allowed: a time to come.`);
  const { id: key_id, hash, ending } = command.key;
  const author = { account_id: occasion.account.id, by: commander.by };
  const { name, expires_at } = command;
  return [
    ...planned,
    { type: 'KeyIssued', data: { ...author, key_id, hash, ending, name, scopes: [...new Set(scopes)], expires_at } },
  ];
}

const erase = ({ name, keys }: AccountRow, author: { account_id: AccountId; by: string }): readonly AccountFact[] =>
  name === null
    ? []
    : [
        ...keys.flatMap(({ id: key_id, revoked_at }): AccountFact[] =>
          revoked_at ? [] : [{ type: 'KeyRevoked', data: { ...author, key_id } }],
        ),
        { type: 'AccountErased', data: author },
      ];

/** What an owner may not have without an operator: a first free key without review, questions without Pro. */
function mayHaveKey(account: AccountRow, plan: Plan, scopes: readonly KeyScope[]): void {
  if (plan === 'pro') return;
  if (scopes.includes('ask'))
    throw new Refusal('pro_required', 'The scope "ask" needs the Pro plan. Ask for a key with the scope "read" alone.');
  if (account.keys.length > 0 || account.application?.status === 'approved') return;
  throw new Refusal(
    'application_required',
    account.application?.status === 'pending'
      ? 'Your application is being reviewed. The first free key can be made once it is approved.'
      : 'A first free key needs an approved application. Send one to POST /api/v1/keys/applications.',
  );
}

const changePlan = (
  plan: Plan,
  account: AccountRow,
  { account: { id }, commander }: Occasion,
): readonly AccountFact[] =>
  plan === account.plan
    ? []
    : [{ type: 'PlanChanged', data: { account_id: id, by: commander.by, from: account.plan, to: plan } }];

/** One application at a time: while one is open or approved, another adds nothing. */
function apply(
  { email, use }: Extract<AccountCommand, { command: 'apply' }>,
  { application, applications }: AccountRow,
  { account: { id }, commander }: Occasion,
): readonly AccountFact[] {
  if (application && application.status !== 'rejected') return [];
  const application_id = prefixedId('app', `${id} ${applications}`);
  return [{ type: 'ApplicationSubmitted', data: { account_id: id, by: commander.by, application_id, email, use } }];
}

/** @returns whether the review changes anything */
function review({ application }: AccountRow, id: string, verdict: 'approved' | 'rejected'): boolean {
  if (application?.id !== id) throw new Refusal('not_found', `This account has no open application ${quoted(id)}.`);
  if (application.status !== 'pending' && application.status !== verdict)
    throw new Refusal('invalid_request', `The application ${id} is ${application.status} already.`);
  return application.status === 'pending';
}

interface Changed {
  /** The account after the command. */
  readonly account: AccountRow;
  /** The decided events; empty when the command changes nothing. */
  readonly events: readonly KnownEvent[];
  /** Position of the last event in the store; null without events. */
  readonly position: Position | null;
}

/** The account that stored events lead to. */
const foldAccount = (stored: readonly StoredEvent[]): AccountRow =>
  stored.map((event): KnownEvent => readEvent(event)).reduce(evolveAccount, NO_ACCOUNT);

/** The current account, folded from its stream, and the revision of the stream; -1 for none. */
export async function loadAccount(
  store: Pick<EventStore, 'read'>,
  id: AccountId,
): Promise<{ readonly account: AccountRow; readonly revision: number }> {
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
  const { state, events, position } = await handleCommand(store, {
    stream: accountStream(whose.id),
    fold: foldAccount,
    decide: (account) => ({ facts: decideAccount(command, account, { account: whose, commander, now }) }),
    now,
  });
  return { account: events.reduce(evolveAccount, state), events, position };
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
