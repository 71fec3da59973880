/** API keys, of which only the SHA-256 is kept: finding their owners, issuing, revoking, and applications. */
import { hash as digest, randomInt, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { batched } from '../log/batched-requests.ts';
import type { Queryable } from '../log/postgres/database.ts';
import {
  type ApplicationRow,
  type FoundAccount,
  type FoundKey,
  findAccount,
  findKeysByHash,
  type KeyRow,
  ownerOfApplication,
  planOf,
} from '../projector/models/accounts-queries.ts';
import { ACCOUNTS } from '../projector/models/accounts-read-model.ts';
import { assertBuilt } from '../projector/promote-build.ts';
import {
  type ApplicationDocument,
  ApplicationId,
  type IssuedKey,
  type KeyBody,
  type KeyDocument,
  type KeyList,
  type KeyScope,
  type ReviewedApplication,
} from '../schemas/access.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { prefixedId } from '../schemas/scalar.ts';
import {
  type AccountCommand,
  type AccountName,
  type Commander,
  type CommandServices,
  commandAccount,
  usualScopes,
} from './account.ts';
import { authRequired, insufficientScope } from './http-refusal.ts';
import { peek } from './quota/charge.ts';
import { CALLS, callWindows } from './quota/limits.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;
const KEY = /^ck_live_[0-9A-Za-z]{32}$/;

interface NewKey {
  /** Shown once, to the user who created it; never stored, logged or sent by mail. */
  readonly key: string;
  readonly id: string;
  readonly hash: string;
  readonly ending: string;
}

/** Draws a key. @param draw a whole number from 0 to below its argument, evenly and unforeseeably */
export function newKey(draw: (below: number) => number = randomInt): NewKey {
  const key = `ck_live_${Array.from({ length: LENGTH }, () => BASE62[draw(BASE62.length)]).join('')}`;
  const hash = hashKey(key);
  return { key, id: prefixedId('key', hash), hash, ending: key.slice(-4) };
}

/** Whether a text could be a key at all. */
export const isKey = (text: string): boolean => KEY.test(text);

/** SHA-256 in hexadecimal digits. A key is long and random, so it cannot be guessed and needs no slow hash. */
export const hashKey = (key: string): string => digest('sha256', key, 'hex');

/** Together with the time until it is projected a revocation acts within a minute on every process. */
const REMEMBERED_MILLISECONDS = 30_000;
const MAX_CACHED_KEYS = 10_000;

interface FindKeyOptions {
  /** How long a key that was found is believed, in milliseconds. */
  readonly remember?: number;
  readonly now?: () => Date;
}

/** An active key; null for one that was revoked, has expired or was never issued. @throws ReadModelUnbuilt at a first start */
export type FindKey = (key: string) => Promise<FoundKey | null>;

interface Remembered {
  readonly until: number;
  readonly key: Promise<FoundKey | null>;
}

/** Makes the look-up. Keys that are not found are not remembered: one that was just issued works at once. */
export function keyFinder(database: Queryable, options: FindKeyOptions = {}): FindKey {
  const { remember = REMEMBERED_MILLISECONDS, now = () => new Date() } = options;
  const remembered = new Map<string, Remembered>();

  const find = batched((hashes) => findKeysByHash(database, hashes));

  let isBuilt = false;
  const lookUp = async (hash: string): Promise<FoundKey | null> => {
    const key = await find(hash);
    // Nothing is found in tables that no projector has filled yet.
    if (!key && !isBuilt) await assertBuilt(database, ACCOUNTS);
    isBuilt = true;
    // The index compares as it likes; what is let in was compared in constant time.
    return key && timingSafeEqual(Buffer.from(key.hash, 'hex'), Buffer.from(hash, 'hex')) ? key : null;
  };

  const cached = (hash: string, time: number): Promise<FoundKey | null> => {
    const before = remembered.get(hash);
    const left = before ? before.until - time : 0;
    // More than was given is left when the clock was set back: a key that is revoked would live on.
    if (before && left > 0 && left <= remember) return before.key;
    remembered.delete(hash);
    if (remembered.size >= MAX_CACHED_KEYS) remembered.delete(remembered.keys().next().value ?? '');
    const result = lookUp(hash);
    // Remembered before it is there, so that calls at the same time share one look-up.
    remembered.set(hash, { until: time + remember, key: result });
    const forget = (): boolean => remembered.get(hash)?.key === result && remembered.delete(hash);
    result.then((key) => key === null && forget(), forget);
    return result;
  };

  return async (key) => {
    if (!isKey(key)) return null;
    const time = now().getTime();
    const stored = await cached(hashKey(key), time);
    if (!stored || stored.revoked) return null;
    return stored.expires_at === null || stored.expires_at.getTime() > time ? stored : null;
  };
}

/** The status of a key. @param now decides whether it has expired */
export function keyStatus(
  { revoked_at, expires_at }: Pick<KeyRow, 'revoked_at' | 'expires_at'>,
  now: Date,
): KeyDocument['status'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now.getTime() ? 'expired' : 'active';
}

/** A key without its hash. @param now decides whether the key has expired */
export function keyDocument(key: KeyRow, now: Date): KeyDocument {
  const { id, name, ending, scopes, created_at, expires_at, revoked_at } = key;
  return { id, name, ending, scopes: [...scopes], status: keyStatus(key, now), created_at, expires_at, revoked_at };
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
  const account = await findAccount(database, id);
  const plan = account?.plan ?? 'free';
  const { windows } = await peek(database, callWindows(id, CALLS[plan]));
  const [minute, day] = windows.map(({ used, max, endsAt }) => ({ used, max, resets_at: endsAt.toISOString() }));
  if (!minute || !day) throw new RangeError('calls have a minute and a day');
  return {
    account: { id, name, plan },
    usage: { minute, day },
    application: account?.application ? applicationDocument(account.application) : null,
    keys: (account?.keys ?? []).map((key) => keyDocument(key, now())).toReversed(),
  };
}

/** The scopes of a key that is made with a token of limited scopes: by default those of the plan that the token has. */
async function scopesWithin(
  { database }: Pick<CommandServices, 'database'>,
  { id }: AccountName,
  requested: readonly KeyScope[] | null,
  mayGive: readonly KeyScope[],
): Promise<readonly KeyScope[]> {
  const lacking = requested?.find((scope) => !mayGive.includes(scope));
  if (lacking)
    throw insufficientScope(
      lacking,
      `The token lacks the scope "${lacking}": a key made with it cannot have it either.`,
    );
  return requested ?? usualScopes((await planOf(database, id)) ?? 'free').filter((scope) => mayGive.includes(scope));
}

/**
 * Makes a key for its owner. The key itself is in the answer and is stored nowhere.
 * @param mayGive scopes of the token that the person signed in with: the key may have no others; null for all
 * @throws Refusal when the plan does not allow it or an approval is missing
 */
export async function makeKey(
  context: CommandServices,
  whose: AccountName,
  { name, scopes: requested = null, expires_at = null }: z.output<typeof KeyBody>,
  mayGive: readonly KeyScope[] | null = null,
): Promise<IssuedKey> {
  const scopes = mayGive === null ? requested : await scopesWithin(context, whose, requested, mayGive);
  const { key, ...kept } = newKey();
  const command = { command: 'issue_key', key: kept, name, scopes, expires_at, plan: null } as const;
  const { account } = await commandAccount(context, whose, command, OWNER);
  const issued = account.keys.find(({ id }) => id === kept.id);
  if (!issued) throw new Error(`the key ${kept.id} is not among those of its account`);
  return { key, details: keyDocument(issued, context.now()) };
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
  const { id: account_id, name } = account;
  const after = await commandAccount(context, { id: account_id, name: name ?? account_id }, verdict, commander);
  const application = reviewedApplication({ ...after.account, id: account_id });
  if (!application) throw none;
  return application;
}
