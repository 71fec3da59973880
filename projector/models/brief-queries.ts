/**
 * Candidates of a brief, the public signals of some hours with the most important first, and the subscribers that it
 * is mailed to.
 */
import { z } from 'zod';
import { type Queryable, query, queryOne } from '../../log/postgres/database.ts';
import { type AccountId, StoredAccountId } from '../../schemas/access.ts';
import { SignalText } from '../../schemas/resources.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { type BriefItem, BriefScope } from '../../schemas/subscriptions.ts';
import { DetailColumns, signalTextOf } from './query-parts.ts';

const Row = DetailColumns.extend({ follows: z.string().nullable() });

export interface BriefCandidate {
  readonly signal: SignalText;
  /** The earlier signal that it follows up. */
  readonly follows: string | null;
}

export interface BriefFilter {
  readonly since: Date;
  /** Leaves out what was published at this moment or after it; nothing when unset. */
  readonly until?: Date | undefined;
  /** Slugs; stories about one of them. Empty for all. */
  readonly brands: readonly BrandSlug[];
  /** Slugs. Empty for all. */
  readonly themes: readonly string[];
  /** Brands and themes given together: `both` have to fit, unless `either` does. */
  readonly match?: 'both' | 'either';
  readonly limit: number;
}

const ABOUT_BRAND = `s.key IN (SELECT b.key FROM read.signal_brands b
  WHERE b.brand = ANY($2) AND b.is_primary AND b.published_at >= $1)`;
const UNDER_THEME = 's.theme = ANY($3)';

/** The condition that brands ($2) and themes ($3) make; what is empty asks for nothing. */
const narrowed = ({ brands, themes, match }: BriefFilter): string =>
  match === 'either' && brands.length > 0 && themes.length > 0
    ? `(${ABOUT_BRAND} OR ${UNDER_THEME})`
    : `(cardinality($2::text[]) = 0 OR ${ABOUT_BRAND}) AND (cardinality($3::text[]) = 0 OR ${UNDER_THEME})`;

/** Ranked by outlets, then salience, then by how many accounts follow its brands, then the newest. */
export async function briefCandidates(database: Queryable, filter: BriefFilter): Promise<BriefCandidate[]> {
  const rows = await query(
    database,
    `WITH candidates AS MATERIALIZED (
       SELECT s.key, s.published_at, s.outlets, s.salience FROM read.signals s
       WHERE s.status = 'public' AND s.published_at >= $1 AND s.published_at < coalesce($5::timestamptz, 'infinity')
         AND ${narrowed(filter)}
     ), followers AS (
       SELECT substr(target, 7) AS brand, count(DISTINCT account) AS followers FROM read.follows
       WHERE removed_at IS NULL AND type = 'brand' GROUP BY target
     ), followed AS (
       SELECT b.key, max(f.followers) AS followers FROM followers f
       JOIN read.signal_brands b ON b.brand = f.brand AND b.is_primary AND b.published_at >= $1 GROUP BY b.key
     ), ranked AS (
       SELECT c.key, c.outlets, c.salience, coalesce(f.followers, 0) AS followers, c.published_at
       FROM candidates c LEFT JOIN followed f ON f.key = c.key
       ORDER BY 2 DESC, 3 DESC, 4 DESC, 5 DESC, 1 LIMIT $4
     )
     SELECT s.item_document, s.row, s.follows
     FROM ranked r JOIN read.signals s ON s.key = r.key
     ORDER BY r.outlets DESC, r.salience DESC, r.followers DESC, r.published_at DESC, r.key`,
    [filter.since, filter.brands, filter.themes, filter.limit, filter.until ?? null],
    Row,
  );
  return rows.map(({ follows, ...row }) => ({ signal: SignalText.parse(signalTextOf(row)), follows }));
}

/**
 * The first candidates, no two of them on one event: of a signal and what follows it up, the one that ranks higher.
 * @param candidates as they are ranked
 */
export function chooseBrief(candidates: readonly BriefCandidate[], maximum: number): BriefItem[] {
  const covered = new Set<string>();
  const chosen: BriefItem[] = [];
  for (const { signal, follows } of candidates) {
    if (chosen.length === maximum) break;
    if (covered.has(signal.id) || (follows !== null && covered.has(follows))) continue;
    covered.add(signal.id);
    if (follows !== null) covered.add(follows);
    chosen.push(briefItem(signal));
  }
  return chosen;
}

const briefItem = (signal: SignalText): BriefItem => ({
  id: signal.id,
  headline: signal.headline,
  url: signal.url,
  delta: signal.delta,
  why_it_matters: signal.why_it_matters,
  what_to_watch: signal.what_to_watch,
  brand: signal.brands.find(({ role }) => role === 'primary')?.name ?? null,
  source: signal.source,
  other_outlets: signal.outlets - 1,
  published_at: signal.published_at,
  ...(signal.reported_at && { reported_at: signal.reported_at }),
});

const Subscriber = z.object({
  account: StoredAccountId,
  email: z.string(),
  scope: BriefScope,
  token: z.string(),
  since: z.date(),
  ended_at: z.date().nullable(),
});
export type Subscriber = z.infer<typeof Subscriber>;

const SELECT = 'SELECT key AS account, email, scope, token, since, ended_at FROM read.brief_subscribers';

/** Who is to have a brief that is due at a moment: those whose subscription began before it. In the order of accounts. */
export const briefSubscribers = (database: Queryable, due: Date): Promise<Subscriber[]> =>
  query(database, `${SELECT} WHERE ended_at IS NULL AND since < $1 ORDER BY key`, [due], Subscriber);

/** The subscription of an account, in force; null for none. */
export const subscriptionOf = (database: Queryable, account: AccountId): Promise<Subscriber | null> =>
  queryOne(database, `${SELECT} WHERE key = $1 AND ended_at IS NULL`, [account], Subscriber);

/** The subscription that the link of a mail leads to, ended ones too; null for none. */
export const subscriptionOfToken = (database: Queryable, token: string): Promise<Subscriber | null> =>
  queryOne(database, `${SELECT} WHERE token = $1`, [token], Subscriber);
