/** Queries of appointments: counts and lists. One event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { Direction, Lens } from '../../schemas/leadership.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import { seatsOf } from './appointments-read-model.ts';
import {
  CITED_COLUMNS,
  Cited,
  followsRow,
  JOIN_SIGNALS,
  PLACED_COLUMNS,
  Placed,
  type RowPlace,
} from './query-parts.ts';

export interface Scope {
  /** Published from then on. */
  readonly since: Date;
  /** Published before then. */
  readonly until: Date;
  /** Slugs of the companies that count; unset for all. */
  readonly companies?: readonly BrandSlug[] | undefined;
  readonly lens?: Lens | undefined;
  /** A role as people write it: `CFO`, `marketing head`. */
  readonly role?: string | undefined;
  readonly direction?: Direction | undefined;
}

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** @returns the condition, and the parameters that it names from $1 on */
function conditionOf(scope: Scope): { where: string; parameters: unknown[] } {
  const parameters: unknown[] = [scope.since, scope.until];
  const where = ['published_at >= $1', 'published_at < $2'];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  if (scope.companies) where.push(`company_slug = ANY(${parameter(scope.companies)})`);
  if (scope.lens) where.push(`${parameter(scope.lens)} = ANY(lenses)`);
  if (scope.direction) where.push(`direction = ${parameter(scope.direction)}`);
  // A role that names a seat is found however it is written, any other by its words.
  if (scope.role)
    where.push(`(seats && ${parameter(seatsOf(scope.role))} OR role ILIKE ${parameter(`%${literal(scope.role)}%`)})`);
  return { where: where.join(' AND '), parameters };
}

const MoveCount = z.object({
  direction: Direction,
  lenses: z.array(Lens),
  moves: z.int(),
  week: z.int(),
  prior_week: z.int(),
});
export type MoveCount = z.infer<typeof MoveCount>;
const AppointmentRow = Cited.extend({
  ...Placed.shape,
  person: z.string(),
  role: z.string().nullable(),
  seats: z.array(z.string()),
  lenses: z.array(Lens),
  company: z.string().nullable(),
  company_slug: StoredBrandSlug.nullable(),
  direction: Direction,
  comes_from: z.string().nullable(),
  goes_to: z.string().nullable(),
  effective: z.string().nullable(),
  since: z.string(),
});
export type AppointmentRow = z.infer<typeof AppointmentRow>;
const COLUMNS = `${CITED_COLUMNS}, ${PLACED_COLUMNS}, row.person, row.role, row.seats, row.lenses, row.company,
  row.company_slug, row.direction, row.comes_from, row.goes_to, row.effective, row.since`;
const NEWEST_FIRST = 'ORDER BY published_at DESC, key DESC, number DESC';

/**
 * Moves by direction and by what their roles are read for together, so that both are counted in one pass: of the window,
 * of the 7 days before its end, and of the 7 days before those.
 */
export function countMoves(database: Queryable, scope: Scope): Promise<MoveCount[]> {
  const { until } = scope;
  const weeks = new Date(until.getTime() - 14 * 86_400_000);
  const { where, parameters } = conditionOf({ ...scope, since: scope.since < weeks ? scope.since : weeks });
  const since = `$${parameters.push(scope.since)}::timestamptz`;
  return query(
    database,
    `SELECT direction, lenses, (count(*) FILTER (WHERE published_at >= ${since}))::int AS moves,
       (count(*) FILTER (WHERE published_at >= $2::timestamptz - interval '168 hours'))::int AS week,
       (count(*) FILTER (WHERE published_at >= $2::timestamptz - interval '336 hours'
         AND published_at < $2::timestamptz - interval '168 hours'))::int AS prior_week
     FROM read.appointments WHERE ${where} GROUP BY direction, lenses`,
    parameters,
    MoveCount,
  );
}

/**
 * The newest moves, newest first.
 * @param after the last row of the page before
 */
export function newestAppointments(
  database: Queryable,
  scope: Scope,
  { limit, after }: { readonly limit: number; readonly after?: RowPlace | undefined },
): Promise<AppointmentRow[]> {
  const { where, parameters } = conditionOf(scope);
  const then = after ? ` AND ${followsRow(after, parameters)}` : '';
  return query(
    database,
    `SELECT ${COLUMNS} FROM (
       SELECT * FROM read.appointments WHERE ${where}${then} ${NEWEST_FIRST} LIMIT $${parameters.push(limit)}) AS row
     ${JOIN_SIGNALS} ORDER BY row.published_at DESC, row.key DESC, row.number DESC`,
    parameters,
    AppointmentRow,
  );
}

const Arrival = AppointmentRow.pick({ key: true, person: true, seats: true, company_slug: true, published_at: true });

/** Who came to companies or rose in them since a moment, in one of some seats: by them seats are filled. */
export const newcomers = (
  database: Queryable,
  { companies, seats }: { readonly companies: readonly string[]; readonly seats: readonly string[] },
  since: Date,
  until: Date,
): Promise<z.infer<typeof Arrival>[]> =>
  query(
    database,
    `SELECT key, person, seats, company_slug, published_at FROM read.appointments
     WHERE company_slug = ANY($1) AND published_at >= $2 AND published_at < $3 AND direction <> 'left' AND seats && $4`,
    [companies, since, until, seats],
    Arrival,
  );
