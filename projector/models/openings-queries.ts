/** Queries of openings: counts and lists. One event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { OpeningStatus } from '../../schemas/expansion.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import {
  CITED_COLUMNS,
  Cited,
  followsRow,
  JOIN_SIGNALS,
  PLACED_COLUMNS,
  Placed,
  type RowPlace,
} from './query-parts.ts';

/** Which openings are asked for, as the condition of a statement. */

export interface Scope {
  /** Published from then on. */
  readonly since: Date;
  /** Published before then. */
  readonly until: Date;
  /** Cities, as the catalogue writes them; several are one region. Unset for all. */
  readonly cities?: readonly string[] | undefined;
  readonly mall?: string | undefined;
  /** Slugs of the brands that count; unset for all. */
  readonly brands?: readonly BrandSlug[] | undefined;
}

/** @returns the condition, and the parameters that it names from $1 on */
function conditionOf({ since, until, cities, mall, brands }: Scope): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [since, until];
  const where = ['published_at >= $1', 'published_at < $2'];
  const also = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) where.push(condition(`$${parameters.push(value)}`));
  };
  // One city is compared as one, since only then the index gives the order of the list too.
  if (cities?.length === 1) also((parameter) => `city = ${parameter}`, cities[0]);
  else also((parameter) => `city = ANY(${parameter})`, cities);
  also((parameter) => `mall = ${parameter}`, mall);
  also((parameter) => `brand_slug = ANY(${parameter})`, brands);
  return { where: where.join(' AND '), parameters };
}

/** Minimum of stores of a row: an opening without a number counts as one. */
const STORES = 'greatest(coalesce(stores, 1), 1)';
const IS_PLANNED = `status IN ('announced', 'planned')`;

/** Counts of some openings. Opened stores, and those that are announced or planned, by `status`. */
const COUNTS = `(count(*) FILTER (WHERE status <> 'closed'))::int AS openings,
       coalesce(sum(${STORES}) FILTER (WHERE status = 'opened'), 0)::float8 AS opened,
       coalesce(sum(${STORES}) FILTER (WHERE ${IS_PLANNED}), 0)::float8 AS planned`;
const Counts = z.object({ openings: z.int(), opened: z.number(), planned: z.number() });
export type Counts = z.infer<typeof Counts>;

const BrandCount = Counts.extend({ brand_slug: StoredBrandSlug.nullable(), closures: z.int() });
const PlaceCount = Counts.extend({ place: z.string() });
const OpeningRow = Cited.extend({
  ...Placed.shape,
  brand: z.string(),
  brand_slug: StoredBrandSlug.nullable(),
  city: z.string().nullable(),
  mall: z.string().nullable(),
  locality: z.string().nullable(),
  stores: z.number().nullable(),
  status: OpeningStatus,
  date: z.string().nullable(),
});
export type OpeningRow = z.infer<typeof OpeningRow>;
const OWN_COLUMNS = `${PLACED_COLUMNS}, row.brand, row.brand_slug, row.city, row.mall, row.locality, row.stores::float8 AS stores, row.status, row.date`;
const COLUMNS = `${CITED_COLUMNS}, ${OWN_COLUMNS}`;
const NEWEST_FIRST = 'ORDER BY published_at DESC, key DESC, number DESC';

/** Openings, their stores and closures by brand; null for brands that have no slug. */
export function countByBrand(database: Queryable, scope: Scope): Promise<z.infer<typeof BrandCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT brand_slug, ${COUNTS}, (count(*) FILTER (WHERE status = 'closed'))::int AS closures
     FROM read.openings WHERE ${where} GROUP BY brand_slug`,
    parameters,
    BrandCount,
  );
}

/**
 * Openings and their stores by city or by mall, most openings first.
 * @param limit maximum of places
 */
export function countByPlace(
  database: Queryable,
  scope: Scope,
  place: 'city' | 'mall',
  limit: number,
): Promise<z.infer<typeof PlaceCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT ${place} AS place, ${COUNTS} FROM read.openings
     WHERE ${where} AND ${place} IS NOT NULL AND status <> 'closed'
     GROUP BY ${place} ORDER BY openings DESC, opened DESC, planned DESC, place LIMIT $${parameters.push(limit)}`,
    parameters,
    PlaceCount,
  );
}

/**
 * The newest openings and closures, newest first.
 * @param after the last row of the page before
 */
export function newestOpenings(
  database: Queryable,
  scope: Scope,
  { limit, after }: { readonly limit: number; readonly after?: RowPlace | undefined },
): Promise<OpeningRow[]> {
  const { where, parameters } = conditionOf(scope);
  const then = after ? ` AND ${followsRow(after, parameters)}` : '';
  return query(
    database,
    `SELECT ${COLUMNS} FROM (
       SELECT * FROM read.openings WHERE ${where}${then} ${NEWEST_FIRST} LIMIT $${parameters.push(limit)}) AS row
     ${JOIN_SIGNALS} ORDER BY row.published_at DESC, row.key DESC, row.number DESC`,
    parameters,
    OpeningRow,
  );
}

/** Newest rows that are read of one brand. */
const ROWS_OF_BRAND = 200;

/**
 * All openings of the brands with most stores announced or planned. They are many, so they are not joined with their
 * signals: `withReports` completes those that are listed.
 * @param brands maximum of brands
 */
export function rowsOfExpanding(database: Queryable, scope: Scope, brands: number): Promise<OpeningRow[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `WITH expanding AS MATERIALIZED (
       SELECT brand_slug AS slug FROM read.openings WHERE ${where} AND ${IS_PLANNED} AND brand_slug IS NOT NULL
       GROUP BY brand_slug ORDER BY sum(${STORES}) DESC, max(published_at) DESC, slug LIMIT $${parameters.push(brands)})
     SELECT row.key, row.slug, row.headline, row.published_at, row.outlet, row.source_url, ${OWN_COLUMNS}
     FROM expanding, LATERAL (
       SELECT * FROM read.openings WHERE brand_slug = expanding.slug AND ${where}
       ${NEWEST_FIRST} LIMIT ${ROWS_OF_BRAND}) AS row`,
    parameters,
    OpeningRow,
  );
}

const Named = Cited.pick({ key: true, outlet: true, source_url: true });

/** Rows as `CITED_COLUMNS` gives them: one whose own report was not stored cites that of its signal. */
export async function withReports(database: Queryable, rows: readonly OpeningRow[]): Promise<OpeningRow[]> {
  const keys = rows.filter(({ outlet }) => outlet === null).map(({ key }) => key);
  if (keys.length === 0) return [...rows];
  const named = await query(
    database,
    `SELECT ${CITED_COLUMNS} FROM read.openings AS row ${JOIN_SIGNALS} WHERE row.key = ANY($1) AND row.outlet IS NULL`,
    [keys],
    Named,
  );
  return rows.map((row) => ({ ...row, ...(row.outlet === null && named.find(({ key }) => key === row.key)) }));
}
