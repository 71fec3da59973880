/** Who sends a request. */
import type { AccountId, KeyScope, Plan } from '../schemas/access.ts';

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
