/** Queries of the feed. Readers see public signals only. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryNumber, queryOne, queryValue } from '../../log/postgres/database.ts';
import {
  type BrandSlug,
  MOVES,
  type Move,
  type MoveCounts,
  type SignalId,
  StoredSignalId,
} from '../../schemas/scalar.ts';
import type { BoundFilter, Sort } from '../../schemas/signal-filter.ts';
import {
  countsByMove,
  DetailColumns,
  decodeCursor,
  decodeSalientCursor,
  encodeCursor,
  encodeSalientCursor,
  MoveCount,
  restOf,
  signalTextOf,
} from './query-parts.ts';
import { fitting, newParameters, whereOf } from './signal-filter-queries.ts';
import type { Revision, StoredReport } from './signals-read-model.ts';
import { detailsOf, detailsOfSlugs } from './thread-queries.ts';

export { CursorError } from './query-parts.ts';
export type { Revision, StoredReport } from './signals-read-model.ts';

/** A page of signals: which ones, in which order, and from where. */
export interface ListFilter extends BoundFilter {
  /** Newest first by default. A list by relevance is a search: see `searchBox`. */
  readonly sort?: Exclude<Sort, 'relevance'> | undefined;
  /** True for SignalDetail documents; `text` for the same without their threads, which a further query finds. */
  readonly detail?: boolean | 'text' | undefined;
  /** Maximum of signals of the page. */
  readonly limit: number;
  /** The next_cursor of the page before. */
  readonly cursor?: string | undefined;
}

export interface SignalPageText {
  /** SignalItem documents as JSON text, newest first; SignalDetail or SignalText documents where they were asked for. */
  readonly documents: string[];
  /** Null at the end. */
  readonly next_cursor: string | null;
}

const Listed = z.object({
  item_document: z.string(),
  /** Empty where no detail was asked for. */
  row: z.string().default(''),
  key: z.string(),
  at: z.string(),
  salience: z.number().default(0),
});

/** The columns that a list is sorted by, and what its cursor is compared with. */
const orderOf = (sort: 'time' | 'salience', dated: 'published_at' | 'reported_at') =>
  sort === 'time'
    ? { columns: [dated, 'key'], types: ['timestamptz', 'text'] }
    : { columns: ['salience', 'published_at', 'key'], types: ['float8', 'timestamptz', 'text'] };

/**
 * One page of signals: by their date and id from the newest, or by salience. Signals that are published meanwhile come before
 * the first page of a list by publication time and shift nothing.
 * @throws CursorError
 */
export async function listSignals(
  database: Queryable,
  { sort = 'time', detail = false, limit, cursor, ...filter }: ListFilter,
): Promise<SignalPageText> {
  const { parameters, parameter } = newParameters();
  const isSalient = sort === 'salience';
  const { from, list, where } = fitting(filter, parameter, { faceted: isSalient });
  const { columns, types } = orderOf(sort, filter.dated ?? 'published_at');
  const order = columns.map((column) => `${list}.${column}`);
  const place = cursor === undefined ? null : isSalient ? decodeSalientCursor(cursor) : decodeCursor(cursor);
  const after = place?.map((value, index) => `${parameter(value)}::${types[index]}`);
  const rows = await query(
    database,
    `SELECT s.item_document, ${detail ? 's.row, ' : ''}${isSalient ? 'f.salience, ' : ''}${list}.key,
       (${list}.${columns.at(-2)} AT TIME ZONE 'UTC')::text || 'Z' AS at
     FROM ${from} ${whereOf([...where, ...(after ? [`(${order.join(', ')}) < (${after.join(', ')})`] : [])])}
     ORDER BY ${order.map((column) => `${column} DESC`).join(', ')} LIMIT ${parameter(limit + 1)}`,
    parameters,
    Listed,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next =
    last && (isSalient ? encodeSalientCursor([last.salience, last.at, last.key]) : encodeCursor([last.at, last.key]));
  return {
    documents: await documentsOf(database, page, detail),
    next_cursor: rows.length > limit && next ? next : null,
  };
}

/** Documents of public signals in the order of their ids; what is not public is left out. @param detail as in a list */
export async function documentsById(
  database: Queryable,
  ids: readonly string[],
  detail: boolean | 'text',
): Promise<string[]> {
  const stored = await query(
    database,
    `SELECT key, item_document, row, '' AS at FROM read.signals WHERE key = ANY ($1) AND status = 'public'`,
    [ids],
    Listed,
  );
  const rows = new Map(stored.map((row) => [row.key, row]));
  return documentsOf(
    database,
    ids.flatMap((id) => rows.get(id) ?? []),
    detail,
  );
}

async function documentsOf(
  database: Queryable,
  page: readonly z.infer<typeof Listed>[],
  detail: boolean | 'text',
): Promise<string[]> {
  if (detail === 'text') return page.map((row) => JSON.stringify(signalTextOf(row)));
  if (!detail) return page.map(({ item_document }) => item_document);
  return (await detailsOf(database, page)).map((one) => JSON.stringify(one));
}

export interface FoundSignal {
  /** SignalDetail as JSON text. */
  readonly document: string;
  readonly reports: readonly StoredReport[];
  readonly revisions: readonly Revision[];
}

const Found = z.object({
  ...DetailColumns.shape,
  slug: z.string(),
  status: z.string(),
  hops: z.int(),
});

/**
 * A signal by its slug or id. A merged one answers with the slug that its chain of merges ends in.
 * @returns null when no public signal has it
 */
export async function findSignal(
  database: Queryable,
  slugOrId: string,
): Promise<FoundSignal | { readonly redirect: string } | null> {
  const signal = await queryOne(
    database,
    `WITH RECURSIVE chain AS (
       SELECT s.*, 0 AS hops FROM read.signals s WHERE s.slug = $1 OR s.key = $1
       UNION ALL
       SELECT s.*, chain.hops + 1 FROM chain JOIN read.signals s ON s.key = chain.merged_into
       WHERE chain.status = 'merged' AND chain.hops < 50
     )
     SELECT slug, status, row, item_document, hops
     FROM chain ORDER BY hops DESC LIMIT 1`,
    [slugOrId],
    Found,
  );
  if (signal?.status !== 'public') return null;
  if (signal.hops > 0) return { redirect: signal.slug };
  const { reports, revisions } = restOf(signal.row);
  const [detail] = await detailsOf(database, [signal]);
  return { document: JSON.stringify(detail), reports, revisions };
}

/**
 * SignalDetail documents of public signals by their current slugs, as JSON text.
 * @returns null for a slug that no public signal has now; `findSignal` knows whether it was retired
 */
export async function findDocuments(
  database: Queryable,
  slugs: readonly string[],
): Promise<readonly (string | null)[]> {
  const details = await detailsOfSlugs(database, slugs);
  const documents = new Map(details.map((detail) => [detail.slug, JSON.stringify(detail)]));
  return slugs.map((slug) => documents.get(slug) ?? null);
}

/** Which slugs public signals name, as brands in any role or as themes. */
export async function slugsInUse(
  database: Queryable,
  { brands, themes }: { readonly brands: readonly BrandSlug[]; readonly themes: readonly string[] },
): Promise<{ readonly brands: ReadonlySet<string>; readonly themes: ReadonlySet<string> }> {
  const rows = await query(
    database,
    `SELECT 'brand' AS kind, slug FROM unnest($1::text[]) AS asked(slug)
     WHERE EXISTS (SELECT FROM read.signal_brands b WHERE b.brand = slug)
     UNION ALL SELECT 'theme', slug FROM unnest($2::text[]) AS asked(slug)
     WHERE EXISTS (SELECT FROM read.signals s WHERE s.status = 'public' AND s.theme = asked.slug)`,
    [brands, themes],
    z.object({ kind: z.enum(['brand', 'theme']), slug: z.string() }),
  );
  const of = (kind: 'brand' | 'theme') => new Set(rows.filter((one) => one.kind === kind).map(({ slug }) => slug));
  return { brands: of('brand'), themes: of('theme') };
}

/** Public signals published from `since` (in) to `until` (out); unset, there is no such bound. */
export const countPublished = (
  database: Queryable,
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
): Promise<number> =>
  queryNumber(
    database,
    `SELECT count(*)::int FROM read.signals WHERE status = 'public'
     AND ($1::timestamptz IS NULL OR published_at >= $1) AND ($2::timestamptz IS NULL OR published_at < $2)`,
    [since ?? null, until ?? null],
  );

/** A day of the feed. */
export interface FeedDay {
  /** In India, YYYY-MM-DD. */
  readonly day: string;
  /** Public signals by kind. */
  readonly moves: MoveCounts;
  /** The id of its most salient signal; null for a day without any. */
  readonly lead: string | null;
}

/** Counts and lead of the signals first reported on each of some days. @param days in India, YYYY-MM-DD */
export async function feedDays(database: Queryable, days: readonly string[]): Promise<FeedDay[]> {
  const rows = await query(
    database,
    `SELECT d.day, s.move, count(*)::int AS stories,
       (array_agg(s.key ORDER BY s.salience DESC, s.published_at DESC, s.key))[1] AS lead,
       max(s.salience) AS salience,
       (array_agg(s.published_at ORDER BY s.salience DESC, s.published_at DESC, s.key))[1] AS led_at
     FROM unnest($1::text[]) AS d(day) JOIN read.signals s ON s.status = 'public'
       AND s.key IN (SELECT f.key FROM read.signal_facets f
         WHERE f.reported_at >= d.day::date::timestamp AT TIME ZONE 'Asia/Kolkata'
           AND f.reported_at < (d.day::date + 1)::timestamp AT TIME ZONE 'Asia/Kolkata')
     GROUP BY d.day, s.move ORDER BY salience DESC, led_at DESC, lead`,
    [days],
    MoveCount.extend({ day: z.string(), lead: z.string() }),
  );
  return days.map((day) => {
    const own = rows.filter((count) => count.day === day);
    return { day, moves: countsByMove(own), lead: own[0]?.lead ?? null };
  });
}

/** Public signals published at or after a moment. */
export const countRecent = (database: Queryable, since: Date): Promise<number> =>
  countPublished(database, { since: since.toISOString() });

// Most frequent moves, themes, brands and cities since a moment. One event counts once.

const Row = z.object({ of: z.enum(['move', 'theme', 'brand', 'city']), key: z.string(), stories: z.int() });

export interface NameCount {
  /** Slug of a brand or theme, name of a city. */
  readonly key: string;
  readonly stories: number;
}

interface RecentCounts {
  readonly stories: number;
  readonly moves: Readonly<Record<Move, number>>;
  /** Most stories first, as are the others. Themes and cities of the stories, and the brands that they are about. */
  readonly themes: readonly NameCount[];
  readonly brands: readonly NameCount[];
  readonly cities: readonly NameCount[];
}

/** Stories about a brand that decide whether it counts; more would not change it. */
const DECIDING = 50;

/**
 * Counts since a moment.
 * @param limit maximum of names of each sort
 * @param known slugs of the catalogue. A brand that it lacks is a name from a headline, and counts only after a second story about
 *   it, of another day or outlet. Unset, every brand counts
 */
export async function recentCounts(
  database: Queryable,
  since: Date,
  limit: number,
  listed?: readonly BrandSlug[],
): Promise<RecentCounts> {
  const rows = await query(
    database,
    `WITH recent AS MATERIALIZED (
       SELECT key, move, theme, cities FROM read.signals WHERE status = 'public' AND published_at >= $1
     ), counted AS (
       SELECT 'move' AS of, move AS key, count(*)::int AS stories FROM recent GROUP BY move
       UNION ALL SELECT 'theme', theme, count(*)::int FROM recent WHERE theme IS NOT NULL GROUP BY theme
       UNION ALL SELECT 'city', city, count(*)::int FROM recent, unnest(cities) AS city GROUP BY city
       UNION ALL SELECT 'brand', b.brand, count(*)::int FROM recent r
         JOIN read.signal_brands b ON b.key = r.key AND b.is_primary GROUP BY b.brand
         HAVING $3::text[] IS NULL OR b.brand = ANY($3) OR (
           SELECT count(DISTINCT (p.published_at AT TIME ZONE 'Asia/Kolkata')::date) > 1
             OR count(DISTINCT s.item_document::json #>> '{source,outlet}') > 1
           FROM (SELECT key, published_at FROM read.signal_brands
             WHERE brand = b.brand AND is_primary LIMIT ${DECIDING}) AS p JOIN read.signals s ON s.key = p.key)
     ), ranked AS (
       SELECT *, row_number() OVER (PARTITION BY of ORDER BY stories DESC, key) AS rank FROM counted
     )
     SELECT of, key, stories FROM ranked WHERE rank <= $2 ORDER BY of, rank`,
    [since, Math.max(limit, MOVES.length), listed ?? null],
    Row,
  );
  const ranked = (of: 'theme' | 'brand' | 'city'): NameCount[] => rows.filter((row) => row.of === of).slice(0, limit);
  const moves = rows.filter(({ of }) => of === 'move');
  const count = (move: Move): number => moves.find(({ key }) => key === move)?.stories ?? 0;
  return {
    stories: moves.reduce((sum, { stories }) => sum + stories, 0),
    moves: Object.fromEntries(MOVES.map((move) => [move, count(move)])) as Record<Move, number>,
    themes: ranked('theme'),
    brands: ranked('brand'),
    cities: ranked('city'),
  };
}

/** Ids of public signals published at or after a moment, oldest first. */
export function publicSince(database: Queryable, since: Date): Promise<SignalId[]> {
  const text = `SELECT key FROM read.signals WHERE status = 'public' AND published_at >= $1 ORDER BY published_at, key`;
  return queryColumn(database, text, [since], StoredSignalId);
}

const Held = z.object({
  id: z.string(),
  slug: z.string(),
  published_at: z.string(),
  headline: z.string(),
});
export type Held = z.infer<typeof Held>;

/** Signals that are held, newest first. */
export const listHeld = (database: Queryable, limit: number): Promise<Held[]> =>
  query(
    database,
    `SELECT key AS id, slug, item_document::json ->> 'published_at' AS published_at,
       item_document::json ->> 'headline' AS headline
     FROM read.signals WHERE status = 'held' ORDER BY read.signals.published_at DESC, key LIMIT $1`,
    [limit],
    Held,
  );

/** The page of any signal, as the live rows give it; null while there is none. */
export const anySignalUrl = (database: Queryable): Promise<string | null> =>
  queryValue(database, `SELECT item_document::json ->> 'url' FROM read.signals LIMIT 1`, [], z.string());

const Month = z.object({ month: z.string(), signals: z.int(), newest: z.date() });
type SitemapMonth = z.infer<typeof Month>;

/** Months with signals as `2026-11`, newest first. */
export const sitemapMonths = (database: Queryable): Promise<SitemapMonth[]> =>
  query(
    database,
    `SELECT to_char(published_at AT TIME ZONE 'Asia/Kolkata', 'YYYY-MM') AS month, count(*)::int AS signals,
       max(published_at) AS newest
     FROM read.signals WHERE status = 'public' GROUP BY 1 ORDER BY 1 DESC`,
    [],
    Month,
  );

const SitemapEntry = z.object({ slug: z.string(), published_at: z.date() });

/** Signals of a month, oldest first, so that a page that is full never changes. @param month `2026-11` */
export const signalsOfMonth = (
  database: Queryable,
  month: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<z.infer<typeof SitemapEntry>[]> =>
  query(
    database,
    `SELECT slug, published_at FROM read.signals
     WHERE status = 'public' AND published_at >= ($1 || '-01')::date::timestamp AT TIME ZONE 'Asia/Kolkata'
       AND published_at < (($1 || '-01')::date + interval '1 month') AT TIME ZONE 'Asia/Kolkata'
     ORDER BY published_at, key OFFSET $2 LIMIT $3`,
    [month, page.offset, page.limit],
    SitemapEntry,
  );
