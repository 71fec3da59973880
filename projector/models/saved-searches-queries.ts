/** Queries of saved searches. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';

const Kept = z.object({
  key: z.string(),
  account: StoredAccountId,
  name: z.string(),
  query: z.string(),
  token_hash: z.string().nullable(),
  saved_at: z.date(),
  read_until: z.date(),
});
export type KeptSearch = z.infer<typeof Kept>;

const COLUMNS = 'key, account, name, query, token_hash, saved_at, read_until';

/** The saved searches of an account, in the order of their names. */
export const searchesOf = (database: Queryable, account: AccountId): Promise<KeptSearch[]> =>
  query(
    database,
    `SELECT ${COLUMNS} FROM read.saved_searches WHERE account = $1 ORDER BY lower(name), key`,
    [account],
    Kept,
  );

/** The search whose feed has a token; null without one. @param hash SHA-256 of the token */
export async function searchByTokenHash(database: Queryable, hash: string): Promise<KeptSearch | null> {
  const text = `SELECT ${COLUMNS} FROM read.saved_searches WHERE token_hash = $1`;
  return (await query(database, text, [hash], Kept))[0] ?? null;
}
