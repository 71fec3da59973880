/** Identifies the caller by the credentials of a request: anonymous, a key, or a signed-in user. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../log/postgres/database.ts';
import { planOf } from '../projector/models/accounts-queries.ts';
import type { AccountId, KeyScope, Plan } from '../schemas/access.ts';
import { accountNamed } from './account.ts';
import type { FindKey } from './api-keys.ts';
import { invalidKey } from './authorise.ts';
import { isRevoked, type TokenRules, verifyToken } from './sign-in-tokens.ts';

export interface Caller {
  readonly kind: 'anonymous' | 'key' | 'person';
  /** `acc_…`; null for the anonymous. */
  readonly account: AccountId | null;
  /** The anonymous count as free. */
  readonly plan: Plan;
  readonly scopes: readonly KeyScope[];
  /** `key_…` when a key was sent, else null. */
  readonly keyId: string | null;
  /** The `sub` of a sign-in token; unset for other callers. */
  readonly name?: string;
  /** In lower case, as far as the issuer vouches for it; unset for callers who are not signed in. */
  readonly email?: string | null;
  /** The scopes that a sign-in token names; unset for a token without scopes, and for other callers. */
  readonly tokenScopes?: readonly KeyScope[];
  /** True for a person who may review and operate. */
  readonly operator?: boolean;
}

export const ANONYMOUS: Caller = {
  kind: 'anonymous',
  account: null,
  plan: 'free',
  scopes: [],
  keyId: null,
};

interface Credential {
  /** The text as it was sent: a key or a sign-in token, or neither. */
  readonly text: string;
  readonly sentAs: 'bearer' | 'x-api-key';
}

/**
 * Reads it: `Authorization: Bearer` wins over `X-API-Key`. Schemes other than Bearer are ignored.
 * @returns null when nothing was sent; an empty Bearer is a credential, and not a valid one
 */
export function readCredential(headers: IncomingHttpHeaders): Credential | null {
  const [, bearer] = /^bearer(?: +(.*))?$/i.exec(headers.authorization?.trim() ?? '') ?? [null, null];
  if (bearer !== null) return { text: bearer ?? '', sentAs: 'bearer' };
  const sent = headers['x-api-key'];
  return sent === undefined ? null : { text: [sent].flat().join(', ').trim(), sentAs: 'x-api-key' };
}

interface IdentifyOptions {
  readonly database: Queryable;
  readonly findKey: FindKey;
  /** Null when sign-in is off: no token is valid then. */
  readonly tokens: TokenRules | null;
  /** E-mail addresses of those who may review and operate, in lower case. */
  readonly operators: ReadonlySet<string>;
  readonly now: () => Date;
}

/**
 * Who calls.
 * @param audience the surface that a token must be meant for
 * @throws Refusal `invalid_key` when what was sent does not hold, also where nothing needs to be sent
 */
export type Identify = (headers: IncomingHttpHeaders, audience: string) => Promise<Caller>;

/** Makes it. A person who signs in has the scopes of the account's plan, as far as the token names them. */
export function identifier({ database, findKey, tokens, operators, now }: IdentifyOptions): Identify {
  return async (headers, audience) => {
    const credential = readCredential(headers);
    if (!credential) return ANONYMOUS;
    const key = await findKey(credential.text);
    if (key) return { kind: 'key', account: key.account, plan: key.plan, scopes: key.scopes, keyId: key.id };
    const mayBeToken = tokens && credential.sentAs === 'bearer';
    const person = mayBeToken ? await verifyToken(credential.text, audience, tokens, now()) : null;
    if (person === null) throw invalidKey();
    const account = accountNamed(person.sub);
    if (await isRevoked(database, { ...person, account: account.id })) throw invalidKey();
    const plan = (await planOf(database, account.id)) ?? 'free';
    const { scopes: named } = person;
    const ofPlan: readonly KeyScope[] = plan === 'pro' ? ['read', 'ask'] : ['read'];
    return {
      kind: 'person',
      account: account.id,
      plan,
      scopes: named === null ? ofPlan : ofPlan.filter((scope) => named.includes(scope)),
      ...(named === null ? {} : { tokenScopes: named }),
      keyId: null,
      ...{ name: person.sub, email: person.email },
      operator: person.email !== null && operators.has(person.email),
    };
  };
}
