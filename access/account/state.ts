/** An account as its own events tell it. */
import type { ACCOUNT_TYPES, KeyScope, Plan } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';

export interface IssuedKey {
  readonly id: string;
  readonly scopes: readonly KeyScope[];
  /** RFC 3339; null for a key that stays until it is revoked. */
  readonly expires_at: string | null;
  readonly revoked: boolean;
}

export interface Application {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'rejected';
}

export interface Account {
  /** Null for an account that was never opened. */
  readonly name: string | null;
  readonly plan: Plan;
  readonly keys: readonly IssuedKey[];
  /** The newest one. */
  readonly application: Application | null;
  /** How many applications there were, which names the next one. */
  readonly applications: number;
}

export const NO_ACCOUNT: Account = { name: null, plan: 'free', keys: [], application: null, applications: 0 };

/** Something that happens to an account. */
export type AccountEvent = KnownEvent<(typeof ACCOUNT_TYPES)[number]>;
/** The same before it has an id and a time. */
export type AccountFact = {
  [Type in AccountEvent['type']]: Pick<KnownEvent<Type>, 'type' | 'data'>;
}[AccountEvent['type']];

/** The account after an event. */
export function evolveAccount(account: Account, { type, data }: AccountFact): Account {
  switch (type) {
    case 'AccountOpened':
      return { ...account, name: data.name };
    case 'PlanChanged':
      return { ...account, plan: data.to };
    case 'KeyIssued': {
      const { key_id: id, scopes, expires_at } = data;
      return { ...account, keys: [...account.keys, { id, scopes, expires_at, revoked: false }] };
    }
    case 'KeyRevoked':
      return {
        ...account,
        keys: account.keys.map((key) => (key.id === data.key_id ? { ...key, revoked: true } : key)),
      };
    case 'ApplicationSubmitted':
      return {
        ...account,
        application: { id: data.application_id, status: 'pending' },
        applications: account.applications + 1,
      };
    case 'AccountErased':
      // Numbers of applications go on, so that no id is used twice.
      return { ...account, name: null, plan: 'free', application: null };
    case 'ApplicationApproved':
      return { ...account, application: { id: data.application_id, status: 'approved' } };
    case 'ApplicationRejected':
      return { ...account, application: { id: data.application_id, status: 'rejected' } };
  }
}
