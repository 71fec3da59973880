/** Who opens where: counts and lists of what public signals tell of stores. One event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import { OpeningStatus } from '../../../schemas/expansion.ts';
import { Cited } from '../about.ts';
import { conditionOf, type Scope } from './scope.ts';

export type { Scope } from './scope.ts';

/** Stores of a row, at least: an opening that is told without a number counts as one. */
const STORES = 'greatest(coalesce(stores, 1), 1)';
const TO_COME = `status IN ('announced', 'planned')`;

const BrandCount = z.object({
  brand_slug: z.string().nullable(),
  openings: z.int(),
  stores: z.number(),
  closures: z.int(),
});
const PlaceCount = z.object({ place: z.string(), openings: z.int(), stores: z.number() });
const OpeningRow = Cited.extend({
  brand: z.string(),
  brand_slug: z.string().nullable(),
  city: z.string().nullable(),
  mall: z.string().nullable(),
  locality: z.string().nullable(),
  stores: z.number().nullable(),
  status: OpeningStatus,
  date: z.string().nullable(),
});
export type OpeningRow = z.infer<typeof OpeningRow>;
const COLUMNS =
  'key, slug, headline, published_at, brand, brand_slug, city, mall, locality, stores::float8 AS stores, status, date';

/** Openings, their stores and closures by brand; null for brands that have no slug. */
export function countByBrand(database: Queryable, scope: Scope): Promise<z.infer<typeof BrandCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT brand_slug, (count(*) FILTER (WHERE status <> 'closed'))::int AS openings,
       coalesce(sum(${STORES}) FILTER (WHERE status <> 'closed'), 0)::float8 AS stores,
       (count(*) FILTER (WHERE status = 'closed'))::int AS closures
     FROM read.openings WHERE ${where} GROUP BY brand_slug`,
    parameters,
    BrandCount,
  );
}

/**
 * Openings and their stores by city or by mall, most openings first.
 * @param most places at most
 */
export function countByPlace(
  database: Queryable,
  scope: Scope,
  place: 'city' | 'mall',
  most: number,
): Promise<z.infer<typeof PlaceCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT ${place} AS place, count(*)::int AS openings, sum(${STORES})::float8 AS stores FROM read.openings
     WHERE ${where} AND ${place} IS NOT NULL AND status <> 'closed'
     GROUP BY ${place} ORDER BY openings DESC, stores DESC, place LIMIT $${parameters.push(most)}`,
    parameters,
    PlaceCount,
  );
}

/** The openings and closures told last, newest first. */
export function newestOpenings(database: Queryable, scope: Scope, limit: number): Promise<OpeningRow[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT ${COLUMNS} FROM read.openings WHERE ${where}
     ORDER BY published_at DESC, key DESC, number DESC LIMIT $${parameters.push(limit)}`,
    parameters,
    OpeningRow,
  );
}

/** Rows of one brand that are looked through, the newest. */
const ROWS_OF_BRAND = 200;

/**
 * All that is told of the brands that have most stores to come.
 * @param brands so many at most
 */
export function rowsOfExpanding(database: Queryable, scope: Scope, brands: number): Promise<OpeningRow[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `WITH expanding AS MATERIALIZED (
       SELECT brand_slug AS slug FROM read.openings WHERE ${where} AND ${TO_COME} AND brand_slug IS NOT NULL
       GROUP BY brand_slug ORDER BY sum(${STORES}) DESC, max(published_at) DESC, slug LIMIT $${parameters.push(brands)})
     SELECT told.* FROM expanding, LATERAL (
       SELECT ${COLUMNS} FROM read.openings WHERE brand_slug = expanding.slug AND ${where}
       ORDER BY published_at DESC, key DESC, number DESC LIMIT ${ROWS_OF_BRAND}) AS told`,
    parameters,
    OpeningRow,
  );
}
