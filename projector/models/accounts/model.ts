/** Accounts: plans, keys and applications. */
import { readFileSync } from 'node:fs';
import { ACCOUNT_PREFIX, ACCOUNT_TYPES } from '../../../schemas/access.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveAccountRow, touchedAccount } from './evolve.ts';
import type { AccountRow } from './row.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

/** The name by which commands wait for it. */
export const ACCOUNTS = 'accounts';

/** The model of accounts and their keys. */
export function accountsModel(): Model<AccountRow> {
  return {
    name: ACCOUNTS,
    types: ACCOUNT_TYPES,
    prefixes: [ACCOUNT_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: touchedAccount,
    evolve: evolveAccountRow,
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
  };
}
