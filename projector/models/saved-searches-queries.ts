/** Queries of saved searches, and of the stories that their digests mail. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryOne } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';
import { SignalItem } from '../../schemas/resources.ts';
import type { BoundFilter } from '../../schemas/signal-filter.ts';
import { Digest, DigestEnd } from '../../schemas/subscriptions.ts';
import { fitting, newParameters, whereOf } from './signal-filter-queries.ts';

const Kept = z.object({
  key: z.string(),
  account: StoredAccountId,
  name: z.string(),
  query: z.string(),
  token_hash: z.string().nullable(),
  saved_at: z.date(),
  read_until: z.date(),
  /** The newest digest by mail; null before the first. */
  digest: Digest.nullable(),
  digest_email: z.string().nullable(),
  digest_token: z.string().nullable(),
  digest_since: z.date().nullable(),
  digest_ended_by: DigestEnd.nullable(),
});
export type KeptSearch = z.infer<typeof Kept>;

const COLUMNS = `key, account, name, query, token_hash, saved_at, read_until,
  digest, digest_email, digest_token, digest_since, digest_ended_by`;

/** The saved searches of an account, in the order of their names. */
export const searchesOf = (database: Queryable, account: AccountId): Promise<KeptSearch[]> =>
  query(
    database,
    `SELECT ${COLUMNS} FROM read.saved_searches WHERE account = $1 ORDER BY lower(name), key`,
    [account],
    Kept,
  );

/** The search whose feed has a token; null without one. @param hash SHA-256 of the token */
export const searchByTokenHash = (database: Queryable, hash: string): Promise<KeptSearch | null> =>
  queryOne(database, `SELECT ${COLUMNS} FROM read.saved_searches WHERE token_hash = $1`, [hash], Kept);

/** A search of an account; null for one that it does not have. */
export const searchById = (database: Queryable, account: AccountId, id: string): Promise<KeptSearch | null> =>
  queryOne(database, `SELECT ${COLUMNS} FROM read.saved_searches WHERE key = $1 AND account = $2`, [id, account], Kept);

/** The search that the link of a digest leads to, also after the digest has ended; null for none. */
export const searchByDigestToken = (database: Queryable, token: string): Promise<KeptSearch | null> =>
  queryOne(database, `SELECT ${COLUMNS} FROM read.saved_searches WHERE digest_token = $1`, [token], Kept);

const Mailed = Kept.extend({
  digest: Digest,
  digest_email: z.string(),
  digest_token: z.string(),
  digest_since: z.date(),
});
/** A search that is mailed. */
export type MailedSearch = z.infer<typeof Mailed>;

/** The searches that are mailed at these intervals, in the order of their ids. */
export const mailedSearches = (database: Queryable, digests: readonly Digest[]): Promise<MailedSearch[]> =>
  query(
    database,
    `SELECT ${COLUMNS} FROM read.saved_searches
     WHERE digest = ANY($1) AND digest IS NOT NULL AND digest_ended_by IS NULL ORDER BY key`,
    [digests],
    Mailed,
  );

interface NewStories {
  /** Stories that are left out, and what they were merged into. */
  readonly without: readonly string[];
  readonly limit: number;
}

/** The ids of public signals that fit a filter, the newest first. */
export function newStories(
  database: Queryable,
  filter: BoundFilter,
  { without, limit }: NewStories,
): Promise<string[]> {
  const { parameters, parameter } = newParameters();
  const { from, list, where } = fitting(filter, parameter);
  const excluded = parameter(without);
  return queryColumn(
    database,
    `SELECT s.key FROM ${from} ${whereOf([
      ...where,
      `s.key <> ALL (${excluded}::text[])`,
      `s.key <> ALL (ARRAY(SELECT merged_into FROM read.signals
         WHERE key = ANY (${excluded}::text[]) AND merged_into IS NOT NULL))`,
    ])} ORDER BY ${list}.published_at DESC, ${list}.key DESC LIMIT ${parameter(limit)}`,
    parameters,
    z.string(),
  );
}

/** The stories of a mail that are public still. @property items so many, those with the newest first report */
export async function storiesOfMail(
  database: Queryable,
  ids: readonly string[],
  limit: number,
): Promise<{ readonly items: SignalItem[]; readonly total: number }> {
  const rows = await query(
    database,
    `SELECT item_document, count(*) OVER ()::int AS total FROM read.signals s JOIN read.signal_facets f USING (key)
     WHERE key = ANY ($1) AND s.status = 'public' ORDER BY f.reported_at DESC, key DESC LIMIT $2`,
    [ids, limit],
    z.object({ item_document: z.string(), total: z.int() }),
  );
  return {
    items: rows.map(({ item_document }) => SignalItem.parse(JSON.parse(item_document))),
    total: rows[0]?.total ?? 0,
  };
}
