/** Accounts: one row each, with its plan, its API keys and its newest application. Commands decide on the same fold. */
import { ACCOUNT_PREFIX, ACCOUNT_TYPES, type KeyScope, type Plan } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { ERASED } from '../../schemas/personal.ts';
import { defineModel, type Model } from '../read-model.ts';

export interface AccountRow {
  /** Null before the account was opened. */
  readonly name: string | null;
  readonly plan: Plan;
  readonly opened_at: string | null;
  readonly keys: readonly KeyRow[];
  /** The newest one. */
  readonly application: ApplicationRow | null;
  /** How many applications there were, which names the next one. */
  readonly applications: number;
}

export interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly ending: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

export interface ApplicationRow {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'rejected';
  readonly email: string;
  readonly use: string;
  readonly submitted_at: string;
  readonly reviewed_at: string | null;
  /** Why it was rejected. */
  readonly why: string | null;
}

/** An account that was never opened. */
export const NO_ACCOUNT: AccountRow = {
  name: null,
  plan: 'free',
  opened_at: null,
  keys: [],
  application: null,
  applications: 0,
};

type AccountEvent = KnownEvent<(typeof ACCOUNT_TYPES)[number]>;
const isOurs = (event: KnownEvent): event is AccountEvent => ACCOUNT_TYPES.some((type) => type === event.type);

const touchedAccount = (event: KnownEvent): readonly string[] => (isOurs(event) ? [event.data.account_id] : []);

/** The account after an event; events of other types change nothing. */
export function evolveAccount(row: AccountRow, event: KnownEvent): AccountRow {
  if (!isOurs(event)) return row;
  const { type, data, time } = event;
  switch (type) {
    case 'AccountOpened':
      return { ...row, name: data.name, opened_at: time };
    case 'PlanChanged':
      return { ...row, plan: data.to };
    case 'KeyIssued': {
      const { key_id: id, hash, ending, name, scopes, expires_at } = data;
      const key = { id, hash, ending, name, scopes, created_at: time, expires_at, revoked_at: null };
      return { ...row, keys: [...row.keys, key] };
    }
    case 'KeyRevoked':
      return {
        ...row,
        keys: row.keys.map((key) => (key.id === data.key_id ? { ...key, revoked_at: key.revoked_at ?? time } : key)),
      };
    case 'ApplicationSubmitted': {
      const { application_id: id, email, use } = data;
      return {
        ...row,
        application: { id, status: 'pending', email, use, submitted_at: time, reviewed_at: null, why: null },
        applications: row.applications + 1,
      };
    }
    case 'AccountErased':
      // Numbers of applications go on, so that no id is used twice.
      return {
        ...row,
        name: null,
        plan: 'free',
        keys: row.keys.map((key) => ({ ...key, name: ERASED, revoked_at: key.revoked_at ?? time })),
        application: null,
      };
    case 'ApplicationApproved':
      return { ...row, application: reviewed(row, data.application_id, { status: 'approved', reviewed_at: time }) };
    case 'ApplicationRejected': {
      const verdict = { status: 'rejected', reviewed_at: time, why: data.why } as const;
      return { ...row, application: reviewed(row, data.application_id, verdict) };
    }
  }
}

function reviewed({ application }: AccountRow, id: string, verdict: Partial<ApplicationRow>): ApplicationRow {
  if (application?.id !== id) throw new Error(`review of the application ${id}, which was never submitted`);
  return { ...application, ...verdict };
}

/** The name by which commands wait for it. */
export const ACCOUNTS = 'accounts';

/** The model of accounts and their keys. */
export function accountsModel(): Model<AccountRow> {
  return defineModel(import.meta.url, {
    name: ACCOUNTS,
    types: ACCOUNT_TYPES,
    prefixes: [ACCOUNT_PREFIX],
    indexes: [
      'CREATE INDEX accounts_application ON accounts (application_id)',
      'CREATE INDEX accounts_status ON accounts (application_status) WHERE application_status IS NOT NULL',
      'CREATE INDEX api_keys_hash ON api_keys (hash)',
      'CREATE INDEX api_keys_id ON api_keys (id)',
    ],
    keys: touchedAccount,
    evolve: (row, event) => evolveAccount(row ?? NO_ACCOUNT, event),
    tables: [
      {
        name: 'accounts',
        columns: ['name', 'plan', 'opened_at', 'application_id', 'application_status'],
        records: ({ name, plan, opened_at, application }) => [
          {
            name,
            plan,
            opened_at,
            application_id: application?.id ?? null,
            application_status: application?.status ?? null,
          },
        ],
      },
      {
        name: 'api_keys',
        columns: ['id', 'hash', 'plan', 'scopes', 'expires_at', 'revoked'],
        records: ({ keys, plan }) =>
          keys.map(({ id, hash, scopes, expires_at, revoked_at }) => ({
            id,
            hash,
            plan,
            scopes,
            expires_at,
            revoked: revoked_at !== null,
          })),
      },
    ],
  });
}
