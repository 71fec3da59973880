/** Who calls, as far as a request can be traced: nobody known, a key, or a person who signed in. */
import type { KeyScope, Plan } from '../schemas/access.ts';

export interface Caller {
  readonly kind: 'anonymous' | 'key' | 'person';
  /** `acc_…`; null for the anonymous. */
  readonly account: string | null;
  /** The anonymous count as free. */
  readonly plan: Plan;
  readonly scopes: readonly KeyScope[];
  /** `key_…` when a key was sent, else null. */
  readonly keyId: string | null;
  /** The `sub` of a person's token; unset for everybody else. */
  readonly name?: string;
  /** The scopes that a person's token names; unset for a token that names none at all, and for everybody else. */
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
