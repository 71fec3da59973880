/** Tells from a request's headers who calls. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Queryable } from '../log/postgres/database.ts';
import { planOf } from '../projector/models/accounts-queries.ts';
import type { KeyScope } from '../schemas/access.ts';
import { accountNamed } from './account/identity.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { invalidKey } from './challenge.ts';
import { readCredential } from './credential.ts';
import type { FindKey } from './keys/find-key.ts';
import { isRevoked } from './tokens/revocations.ts';
import { type TokenRules, verifyToken } from './tokens/verify.ts';

export interface IdentifyOptions {
  readonly database: Queryable;
  readonly findKey: FindKey;
  /** Null while nobody can sign in: no token holds then. */
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
      name: person.sub,
      operator: person.email !== null && operators.has(person.email),
    };
  };
}
