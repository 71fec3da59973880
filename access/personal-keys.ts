/** The keys of personal data, in the table `access.personal_key`. They are kept outside the event log on purpose. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { PersonalKey, PersonalKeys } from '../log/personal-data.ts';
import { type Queryable, query } from '../log/postgres/database.ts';

const Row = z.object({ id: z.string(), account: z.string(), secret: z.instanceof(Buffer) });

// The first key of an account stays the only one, however many processes need it at the same time.
const ADD = `INSERT INTO access.personal_key (id, account, secret)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) ON CONFLICT (account) DO NOTHING`;
const OF_ACCOUNTS = 'SELECT id, account, secret FROM access.personal_key WHERE account = ANY ($1)';
const BY_IDS = 'SELECT id, account, secret FROM access.personal_key WHERE id = ANY ($1)';

const newKey = (): PersonalKey => ({ id: randomBytes(8).toString('hex'), secret: randomBytes(32) });

/**
 * Keys are read anew each time and never remembered, so that one that was destroyed opens nothing from then on, in any
 * process.
 * @param database in which `migrateAccess` ran
 */
export function personalKeys(database: Queryable): PersonalKeys {
  const find = async (accounts: readonly string[]): Promise<Map<string, PersonalKey>> =>
    new Map((await query(database, OF_ACCOUNTS, [accounts], Row)).map(({ account, ...key }) => [account, key]));
  return {
    async ofAccounts(accounts) {
      const held = await find(accounts);
      const missing = accounts.filter((account) => !held.has(account)).toSorted();
      if (missing.length === 0) return held;
      const added = missing.map(newKey);
      await database.query(ADD, [added.map(({ id }) => id), missing, added.map(({ secret }) => secret)]);
      return find(accounts);
    },
    byIds: async (ids) =>
      new Map((await query(database, BY_IDS, [ids], Row)).map(({ id, secret }) => [id, { id, secret }])),
  };
}

/** Destroys the key of an account: what it encrypted can never be read again. @returns whether there was one */
export async function destroyPersonalKey(database: Queryable, account: string): Promise<boolean> {
  const { rowCount } = await database.query('DELETE FROM access.personal_key WHERE account = $1', [account]);
  return (rowCount ?? 0) > 0;
}
