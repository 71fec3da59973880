/** The keys of an account and its application for a first key, as their owner and operators see and change them. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  type ApplicationRow,
  type FoundAccount,
  findAccount,
  type KeyRow,
  ownerOfApplication,
  planOf,
} from '../projector/models/accounts-queries.ts';
import { ApplicationId, type KeyScope } from '../schemas/access.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import type {
  ApplicationDocument,
  IssuedKey,
  KeyBody,
  KeyDocument,
  KeyList,
  ReviewedApplication,
} from '../schemas/key.ts';
import { type AccountCommand, type AccountName, type Commander, usualScopes } from './account.ts';
import { type CommandServices, commandAccount } from './account-commands.ts';
import { newKey } from './api-keys.ts';
import { authRequired, insufficientScope } from './authorise.ts';
import { peek } from './quota/charge.ts';
import { CALLS, callWindows } from './quota/limits.ts';

/** A key without its hash. @param now decides whether the key has expired */
export function keyDocument(key: KeyRow, now: Date): KeyDocument {
  const { id, name, ending, scopes, created_at, expires_at, revoked_at } = key;
  const expired = expires_at !== null && Date.parse(expires_at) <= now.getTime();
  const status = revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active';
  return { id, name, ending, scopes: [...scopes], status, created_at, expires_at, revoked_at };
}

/** An application as the person who made it may see it: without who reviewed it. */
const applicationDocument = (application: ApplicationRow): ApplicationDocument => {
  const { id, status, submitted_at, reviewed_at, why } = application;
  return { id, status, submitted_at, reviewed_at, why };
};

/** The newest application of an account, for operators; null where there is none. */
export const reviewedApplication = ({ id, name, application }: FoundAccount): ReviewedApplication | null =>
  application && {
    ...applicationDocument(application),
    account: { id, name: name ?? id },
    email: application.email,
    use: application.use,
  };

/** The owner of an account, who changes its own keys. */
export const OWNER: Commander = { role: 'owner', by: 'owner' };

/** The account of the person who signed in. @throws Refusal `auth_required` for a caller who did not */
export function personOf({ access: { account, name } }: FastifyRequest): AccountName {
  if (account === null || name === undefined)
    throw authRequired('Sign in, and send the token as "Authorization: Bearer <token>".');
  return { id: account, name };
}

/** The keys of an account, newest first, with the state of its limits and its application for a first key. */
export async function keyList(
  { database, now }: Pick<CommandServices, 'database' | 'now'>,
  { id, name }: AccountName,
): Promise<KeyList> {
  const found = await findAccount(database, id);
  const plan = found?.plan ?? 'free';
  const { windows } = await peek(database, callWindows(id, CALLS[plan]));
  const [minute, day] = windows.map(({ used, max, endsAt }) => ({ used, max, resets_at: endsAt.toISOString() }));
  if (!minute || !day) throw new RangeError('calls have a minute and a day');
  return {
    account: { id, name, plan },
    usage: { minute, day },
    application: found?.application ? applicationDocument(found.application) : null,
    keys: (found?.keys ?? []).map((key) => keyDocument(key, now())).toReversed(),
  };
}

/** The scopes of a key that is made with a token of limited scopes: by default those of the plan that the token has. */
async function scopesWithin(
  { database }: Pick<CommandServices, 'database'>,
  { id }: AccountName,
  wanted: readonly KeyScope[] | null,
  mayGive: readonly KeyScope[],
): Promise<readonly KeyScope[]> {
  const lacking = wanted?.find((scope) => !mayGive.includes(scope));
  if (lacking)
    throw insufficientScope(
      lacking,
      `The token lacks the scope "${lacking}": a key made with it cannot have it either.`,
    );
  return wanted ?? usualScopes((await planOf(database, id)) ?? 'free').filter((scope) => mayGive.includes(scope));
}

/**
 * Makes a key for its owner. The key itself is in the answer and is stored nowhere.
 * @param mayGive scopes of the token that the person signed in with: the key may have no others; null for all
 * @throws Refusal when the plan does not allow it or an approval is missing
 */
export async function makeKey(
  context: CommandServices,
  whose: AccountName,
  { name, scopes: wanted = null, expires_at = null }: z.output<typeof KeyBody>,
  mayGive: readonly KeyScope[] | null = null,
): Promise<IssuedKey> {
  const scopes = mayGive === null ? wanted : await scopesWithin(context, whose, wanted, mayGive);
  const { key, ...kept } = newKey();
  const command = { command: 'issue_key', key: kept, name, scopes, expires_at, plan: null } as const;
  const { account, events } = await commandAccount(context, whose, command, OWNER);
  const issued = account.keys.find(({ id }) => id === kept.id);
  const row = {
    ...kept,
    name,
    scopes: issued?.scopes ?? [],
    created_at: events.at(-1)?.time ?? context.now().toISOString(),
    expires_at,
    revoked_at: null,
  };
  return { key, details: keyDocument(row, context.now()) };
}

type Verdict = Extract<AccountCommand, { command: 'approve' | 'reject' }>;

/**
 * Decides on an application for a first key.
 * @param operator the name of who decides
 * @returns the application as it is then, also when it was decided so before
 * @throws Refusal `not_found` for none, `invalid_request` for one that was decided otherwise
 */
export async function reviewApplication(
  context: CommandServices,
  verdict: Verdict,
  operator: string,
): Promise<ReviewedApplication> {
  const { database } = context;
  const { application_id: id } = verdict;
  const none = new Refusal('not_found', `There is no application ${quoted(id)}. GET /api/v1/keys/applications lists.`);
  const owner = ApplicationId.safeParse(id).success ? await ownerOfApplication(database, id) : null;
  const account = owner === null ? null : await findAccount(database, owner);
  if (!account) throw none;
  const commander = { role: 'operator', by: `operator ${operator}` } as const;
  await commandAccount(context, { id: account.id, name: account.name ?? account.id }, verdict, commander);
  const after = await findAccount(database, account.id);
  const application = after && reviewedApplication(after);
  if (!application) throw none;
  return application;
}
