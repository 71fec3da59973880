/** Queries of the catalogue: its changes, how far stories are understood by them, and names that it lacks. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryNumber, queryOne } from '../../log/postgres/database.ts';
import { type CatalogueKind, CatalogueProgress } from '../../schemas/catalogue.ts';
import { type Event, type KnownEvent, readEvent } from '../../schemas/events.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';

/** The number of the last change; 0 for none. */
export const lastCatalogueChange = (database: Queryable): Promise<number> =>
  queryNumber(database, 'SELECT max(number) FROM read.catalogue_changes');

/** All changes in their order, without the names of their authors. */
export async function catalogueChanges(database: Queryable): Promise<KnownEvent[]> {
  const text = 'SELECT event FROM read.catalogue_changes WHERE number IS NOT NULL ORDER BY number';
  const events = await queryColumn(database, text, [], z.string());
  return events.map((event) => readEvent(JSON.parse(event) as Event));
}

const Progress = z.object({ at: z.date(), event: z.string() });

/** How far stories are understood by the changes, and when that was written; null before the first change. */
export async function catalogueProgress(
  database: Queryable,
): Promise<{ readonly at: Date; readonly progress: CatalogueProgress } | null> {
  const text = `SELECT at, event FROM read.catalogue_changes WHERE key = 'progress'`;
  const row = await queryOne(database, text, [], Progress);
  return row ? { at: row.at, progress: CatalogueProgress.parse(JSON.parse(row.event)) } : null;
}

const Made = z.object({
  number: z.int(),
  kind: z.string(),
  slug: z.string(),
  type: z.string(),
  at: z.date(),
  by: z.string(),
  why: z.string(),
});
export type MadeChange = z.infer<typeof Made>;

/**
 * The changes, the newest first, with the names of who made them.
 * @param of an entry with all slugs that it has had; unset for those of all entries
 */
export const listCatalogueChanges = (
  database: Queryable,
  limit: number,
  of?: { readonly kind: CatalogueKind; readonly slugs: readonly string[] },
): Promise<MadeChange[]> =>
  query(
    database,
    `SELECT c.number, c.kind, c.slug, c.type, c.at, coalesce(n.name, c.actor) AS by, c.why
     FROM read.catalogue_changes c LEFT JOIN read.audit_actors n ON n.key = c.actor
     WHERE c.number IS NOT NULL AND ($1::text IS NULL OR (c.kind = $1 AND c.slug = ANY($2)))
     ORDER BY c.number DESC LIMIT $3`,
    [of?.kind ?? null, of?.slugs ?? [], limit],
    Made,
  );

const Candidate = z.object({
  slug: StoredBrandSlug,
  name: z.string(),
  stories: z.int(),
  /** Within the window. */
  first_seen_at: z.date(),
  last_seen_at: z.date(),
  decision: z.enum(['promoted', 'refused']).nullable(),
  /** The newest signals about it. */
  signals: z.array(z.string()),
});
export type Candidate = z.infer<typeof Candidate>;

/** Signals of a candidate that are named. */
const SHOWN_SIGNALS = 3;

/**
 * Names in headlines that the catalogue lacks, the most frequent first. One that an operator refused does not come back.
 * @param known every slug that brands of the catalogue have or had
 */
export const candidateBrands = (
  database: Queryable,
  {
    known: listed,
    since,
    limit,
  }: { readonly known: readonly BrandSlug[]; readonly since: Date; readonly limit: number },
): Promise<Candidate[]> =>
  query(
    database,
    `SELECT * FROM (
       SELECT brand AS slug, min(name) AS name, count(*)::int AS stories,
         min(published_at) AS first_seen_at, max(published_at) AS last_seen_at,
         (array_agg(key ORDER BY published_at DESC, key DESC))[1:${SHOWN_SIGNALS}] AS signals,
         (SELECT decision FROM read.brand_decisions d WHERE d.key = brand) AS decision
       FROM read.signal_brands
       WHERE is_primary AND published_at >= $2 AND NOT (brand = ANY($1)) GROUP BY brand) AS named
     WHERE decision IS DISTINCT FROM 'refused'
     ORDER BY stories DESC, last_seen_at DESC, slug LIMIT $3`,
    [listed, since, limit],
    Candidate,
  );

const Headline = z.object({ key: z.string(), headline: z.string(), slug: z.string() });

/** Headlines and addresses of public signals by their ids; the newest first. */
export const headlinesOf = (database: Queryable, ids: readonly string[]): Promise<z.infer<typeof Headline>[]> =>
  query(
    database,
    `SELECT key, (item_document::json ->> 'headline') AS headline, (item_document::json ->> 'slug') AS slug
     FROM read.signals WHERE key = ANY($1) AND status = 'public' ORDER BY published_at DESC, key DESC`,
    [ids],
    Headline,
  );
