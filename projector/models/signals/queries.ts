/** What readers ask of the feed. Only public signals are answered. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import type { Move } from '../../../schemas/scalar.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { restore } from './keep.ts';
import type { KeptReport, Revision } from './row.ts';

export { CursorError } from './cursor.ts';
export type { KeptReport, Revision } from './row.ts';

export interface ListFilter {
  /**
   * Slug; stories about the brand, with `mentions` also those that only name it. Several are one brand under the slugs
   * that it has had: no story stands under two of them.
   */
  readonly brand?: string | readonly string[] | undefined;
  readonly mentions?: boolean | undefined;
  readonly theme?: string | undefined;
  readonly kind?: Move | undefined;
  /** A city's name, as the catalogue writes it. */
  readonly city?: string | undefined;
  /** RFC 3339; published at or after it. */
  readonly since?: string | undefined;
  /** RFC 3339; published before it. */
  readonly until?: string | undefined;
  /** True for SignalDetail documents. */
  readonly detail?: boolean | undefined;
  /** Most signals of the page. */
  readonly limit: number;
  /** The next_cursor of the page before. */
  readonly cursor?: string | undefined;
}

export interface SignalPageText {
  /** SignalItem documents as JSON text, newest first; SignalDetail documents where they were asked for. */
  readonly documents: string[];
  /** Null at the end. */
  readonly next_cursor: string | null;
}

const Listed = z.object({
  item_document: z.string(),
  detail_parts: z.string().optional(),
  key: z.string(),
  at: z.string(),
});

/**
 * One page of the feed, by publication time and id from the newest. Signals that arrive meanwhile come before the
 * first page and shift nothing.
 * @throws CursorError
 */
export async function listSignals(database: Queryable, filter: ListFilter): Promise<SignalPageText> {
  const parameters: unknown[] = [];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  // A brand's list is walked on the brand's own index; all other lists on those of the signals.
  const list = filter.brand === undefined ? 's' : 'b';
  const where: string[] = [];
  if (filter.brand !== undefined) {
    // One slug is compared as one, since only then the index gives the order of the page too.
    const [slug, ...retired] = [filter.brand].flat();
    where.push(
      retired.length === 0 ? `b.brand = ${parameter(slug)}` : `b.brand = ANY(${parameter([slug, ...retired])})`,
    );
    if (!filter.mentions) where.push('b.is_primary');
  } else where.push(`s.status = 'public'`);
  if (filter.theme !== undefined) where.push(`${list}.theme = ${parameter(filter.theme)}`);
  if (filter.kind !== undefined) where.push(`${list}.move = ${parameter(filter.kind)}`);
  if (filter.city !== undefined) where.push(`${parameter(filter.city)} = ANY(s.cities)`);
  if (filter.since !== undefined) where.push(`${list}.published_at >= ${parameter(filter.since)}::timestamptz`);
  if (filter.until !== undefined) where.push(`${list}.published_at < ${parameter(filter.until)}::timestamptz`);
  if (filter.cursor !== undefined) {
    const [at, id] = decodeCursor(filter.cursor);
    where.push(`(${list}.published_at, ${list}.key) < (${parameter(at)}::timestamptz, ${parameter(id)})`);
  }
  const found = await query(
    database,
    `SELECT s.item_document, ${filter.detail ? 's.detail_parts, ' : ''}s.key, (s.published_at AT TIME ZONE 'UTC')::text || 'Z' AS at
     FROM ${list === 'b' ? 'read.signal_brands b JOIN read.signals s ON s.key = b.key' : 'read.signals s'}
     WHERE ${where.join(' AND ')}
     ORDER BY ${list}.published_at DESC, ${list}.key DESC LIMIT ${parameter(filter.limit + 1)}`,
    parameters,
    Listed,
  );
  const page = found.slice(0, filter.limit);
  const last = page.at(-1);
  return {
    documents: page.map(({ item_document, detail_parts }) =>
      detail_parts === undefined ? item_document : detailOf({ item_document, detail_parts }),
    ),
    next_cursor: found.length > filter.limit && last ? encodeCursor([last.at, last.key]) : null,
  };
}

export interface FoundSignal {
  /** SignalDetail as JSON text. */
  readonly document: string;
  readonly reports: readonly KeptReport[];
  readonly revisions: readonly Revision[];
  /** The id of the earlier signal that it follows up. */
  readonly follows: string | null;
}

const Found = z.object({
  key: z.string(),
  slug: z.string(),
  status: z.string(),
  row: z.string(),
  item_parts: z.string(),
  detail: z.string().nullable(),
  item_document: z.string(),
  detail_parts: z.string(),
  merged_into: z.string().nullable(),
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
  const found = await query(
    database,
    `WITH RECURSIVE chain AS (
       SELECT s.*, 0 AS hops FROM read.signals s WHERE s.slug = $1 OR s.key = $1
       UNION ALL
       SELECT s.*, chain.hops + 1 FROM chain JOIN read.signals s ON s.key = chain.merged_into
       WHERE chain.status = 'merged' AND chain.hops < 50
     )
     SELECT key, slug, status, row, item_parts, detail, item_document, detail_parts, merged_into, hops
     FROM chain ORDER BY hops DESC LIMIT 1`,
    [slugOrId],
    Found,
  );
  const [signal] = found;
  if (signal?.status !== 'public') return null;
  if (signal.hops > 0) return { redirect: signal.slug };
  const { reports, revisions, follows } = restore(signal);
  return { document: detailOf(signal), reports, revisions, follows };
}

const Document = z.object({ slug: z.string(), item_document: z.string(), detail_parts: z.string() });

/**
 * SignalDetail documents of public signals by their current slugs, as JSON text.
 * @returns null for a slug that no public signal has now; `findSignal` knows whether it was retired
 */
export async function findDocuments(
  database: Queryable,
  slugs: readonly string[],
): Promise<readonly (string | null)[]> {
  const text = `SELECT slug, item_document, detail_parts FROM read.signals WHERE slug = ANY ($1) AND status = 'public'`;
  const documents = new Map(
    (await query(database, text, [slugs], Document)).map((found) => [found.slug, detailOf(found)]),
  );
  return slugs.map((slug) => documents.get(slug) ?? null);
}

/** The item's document with the parts that only the detail has. */
const detailOf = ({ item_document, detail_parts }: { item_document: string; detail_parts: string }): string =>
  `${item_document.slice(0, -1)},${detail_parts.slice(1)}`;

/** Which slugs public signals name, as brands in any role or as themes. */
export async function slugsInUse(
  database: Queryable,
  { brands, themes }: { readonly brands: readonly string[]; readonly themes: readonly string[] },
): Promise<{ readonly brands: ReadonlySet<string>; readonly themes: ReadonlySet<string> }> {
  const found = await query(
    database,
    `SELECT 'brand' AS kind, slug FROM unnest($1::text[]) AS asked(slug)
     WHERE EXISTS (SELECT FROM read.signal_brands b WHERE b.brand = slug)
     UNION ALL SELECT 'theme', slug FROM unnest($2::text[]) AS asked(slug)
     WHERE EXISTS (SELECT FROM read.signals s WHERE s.status = 'public' AND s.theme = asked.slug)`,
    [brands, themes],
    z.object({ kind: z.enum(['brand', 'theme']), slug: z.string() }),
  );
  const of = (kind: 'brand' | 'theme') => new Set(found.filter((one) => one.kind === kind).map(({ slug }) => slug));
  return { brands: of('brand'), themes: of('theme') };
}

/** Public signals published from `since` (in) to `until` (out); unset, there is no such bound. */
export async function countPublished(
  database: Queryable,
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
): Promise<number> {
  const found = await query(
    database,
    `SELECT count(*)::int AS count FROM read.signals WHERE status = 'public'
       AND ($1::timestamptz IS NULL OR published_at >= $1) AND ($2::timestamptz IS NULL OR published_at < $2)`,
    [since ?? null, until ?? null],
    z.object({ count: z.int() }),
  );
  return found[0]?.count ?? 0;
}

/** Public signals published at or after a moment. */
export async function countRecent(database: Queryable, since: Date): Promise<number> {
  const found = await query(
    database,
    `SELECT count(*)::int AS count FROM read.signals WHERE status = 'public' AND published_at >= $1`,
    [since],
    z.object({ count: z.int() }),
  );
  return found[0]?.count ?? 0;
}
