/**
 * Queries of follows and of inboxes. An inbox lists each signal once, with all the follows that it was delivered
 * for.
 */
import { z } from 'zod';
import { type Queryable, query, queryNumber } from '../../log/postgres/database.ts';
import type { AccountId } from '../../schemas/access.ts';
import { StoredSignalId } from '../../schemas/scalar.ts';
import { type Follow, FollowType } from '../../schemas/subscriptions.ts';

const Row = z.object({
  key: z.string(),
  type: FollowType,
  slug: z.string(),
  name: z.string(),
  target: z.string(),
  added_at: z.date(),
  removed_at: z.date().nullable(),
});

/** A stored follow; one that ended is kept for what it delivered. */
export interface KeptFollow {
  readonly id: string;
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly target: string;
  readonly added_at: Date;
  readonly removed_at: Date | null;
}

/** All follows of an account, ended ones too, the newest first. */
export async function followsOf(database: Queryable, account: AccountId): Promise<KeptFollow[]> {
  const rows = await query(
    database,
    `SELECT key, type, slug, name, target, added_at, removed_at FROM read.follows WHERE account = $1
     ORDER BY added_at DESC, key`,
    [account],
    Row,
  );
  return rows.map(({ key, ...row }) => ({ id: key, ...row }));
}

const PAGES = { brand: '/brand/', theme: '/theme/', signal: '/signal/', source: '/sources#' } as const;

/**
 * A follow as the API serves it.
 * @param baseUrl without a slash at its end
 * @param hasPage false for a brand that lost its page, which leads to the list of follows
 */
export const followDocument = (
  { id, type, slug, name }: Pick<KeptFollow, 'id' | 'type' | 'slug' | 'name'>,
  created_at: string,
  baseUrl: string,
  hasPage = true,
): Follow => ({
  id,
  type,
  slug,
  name,
  channel: 'inbox',
  created_at,
  url: hasPage ? `${baseUrl}${PAGES[type]}${slug}` : `${baseUrl}/my-brands`,
});

/** A follow with all its targets: it delivers what comes after `since` and before `until`. */
export interface Waiting {
  readonly id: string;
  readonly targets: readonly string[];
  readonly since: Date;
  /** What came until then was there already: it is read. */
  readonly added: Date;
  /** Null while it is in force. */
  readonly until: Date | null;
}

export interface InboxFilter {
  readonly account: AccountId;
  readonly waiting: readonly Waiting[];
  readonly unread: boolean;
  readonly limit: number;
  /** The last item of the page before. */
  readonly after: { readonly at: string; readonly id: string } | null;
}

const Item = z.object({
  id: StoredSignalId,
  at: z.string(),
  delivered_at: z.date(),
  follows: z.array(z.string()),
  document: z.string(),
  read_at: z.date().nullable(),
});
export type InboxEntry = z.infer<typeof Item>;

/** All items: $1 account; $2 to $6 the follows as arrays of equal length. */
const ITEMS = `WITH delivered AS (
    SELECT t.key, min(t.at) AS at, array_agg(DISTINCT w.follow ORDER BY w.follow) AS follows,
      CASE WHEN bool_and(t.at <= w.added) THEN min(w.added) END AS read_at
    FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[])
      AS w(follow, target, since, added, until)
    JOIN read.signal_targets t ON t.target = w.target AND t.at > w.since AND (w.until IS NULL OR t.at < w.until)
    GROUP BY t.key
  ), items AS (
    SELECT d.key, d.at, d.follows, s.item_document, LEAST(d.read_at,
      (SELECT min(r.read_at) FROM read.inbox_reads r
        WHERE r.account = $1 AND r.signal_id = d.key AND r.up_to IS NULL),
      (SELECT min(r.read_at) FROM read.inbox_reads r
        WHERE r.account = $1 AND r.up_to IS NOT NULL AND (r.up_to, r.signal_id) >= (d.at, d.key))) AS read_at
    FROM delivered d JOIN read.signals s ON s.key = d.key AND s.status = 'public'
  )`;

const followArrays = (waiting: readonly Waiting[]): unknown[] => {
  const rows = waiting.flatMap(({ targets, ...follow }) => targets.map((target) => ({ ...follow, target })));
  return [
    rows.map(({ id }) => id),
    rows.map(({ target }) => target),
    rows.map(({ since }) => since),
    rows.map(({ added }) => added),
    rows.map(({ until }) => until),
  ];
};

const COLUMNS = `key AS id, (at AT TIME ZONE 'UTC')::text || 'Z' AS at, at AS delivered_at, follows,
  item_document AS document, read_at`;

/** A page of items and one more, if there is one, the newest first. */
export const inboxItems = (database: Queryable, filter: InboxFilter): Promise<InboxEntry[]> =>
  query(
    database,
    `${ITEMS} SELECT ${COLUMNS} FROM items
     WHERE ($7::boolean IS FALSE OR read_at IS NULL)
       AND ($8::timestamptz IS NULL OR (at, key) < ($8::timestamptz, $9))
     ORDER BY items.at DESC, key DESC LIMIT $10`,
    [
      filter.account,
      ...followArrays(filter.waiting),
      filter.unread,
      filter.after?.at ?? null,
      filter.after?.id ?? null,
      filter.limit + 1,
    ],
    Item,
  );

/** Those of the ids that are items of the inbox. */
export const findItems = (
  database: Queryable,
  account: AccountId,
  waiting: readonly Waiting[],
  ids: readonly string[],
): Promise<InboxEntry[]> =>
  query(
    database,
    `${ITEMS} SELECT ${COLUMNS} FROM items WHERE key = ANY($7) ORDER BY items.at DESC, key DESC`,
    [account, ...followArrays(waiting), ids],
    Item,
  );

/** Items that are not read. */
export const countUnread = (database: Queryable, account: AccountId, waiting: readonly Waiting[]): Promise<number> =>
  queryNumber(database, `${ITEMS} SELECT count(*)::int FROM items WHERE read_at IS NULL`, [
    account,
    ...followArrays(waiting),
  ]);

const Count = z.object({ follow: z.string().nullable(), count: z.int() });

/** Items that were delivered from a moment on: by follow, and of all of them under null. */
export async function countItems(
  database: Queryable,
  account: AccountId,
  waiting: readonly Waiting[],
  from: Date,
): Promise<ReadonlyMap<string | null, number>> {
  const rows = await query(
    database,
    `${ITEMS} SELECT follow, count(DISTINCT key)::int AS count FROM items, unnest(follows) AS follow
     WHERE items.at >= $7 GROUP BY GROUPING SETS ((follow), ())`,
    [account, ...followArrays(waiting), from],
    Count,
  );
  return new Map(rows.map(({ follow, count }) => [follow, count]));
}
