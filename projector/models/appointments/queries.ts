/** Who came, went and rose: counts and lists of what public signals tell. One event counts once. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import { Direction, Lens } from '../../../schemas/leadership.ts';
import { Cited } from '../about.ts';
import { conditionOf, type Scope } from './scope.ts';

export type { Scope } from './scope.ts';

const DirectionCount = z.object({ direction: Direction, moves: z.int(), week: z.int(), prior_week: z.int() });
const LensCount = z.object({ lens: Lens, moves: z.int() });
const AppointmentRow = Cited.extend({
  person: z.string(),
  role: z.string().nullable(),
  seats: z.array(z.string()),
  lenses: z.array(Lens),
  company: z.string().nullable(),
  company_slug: z.string().nullable(),
  direction: Direction,
  comes_from: z.string().nullable(),
  goes_to: z.string().nullable(),
  effective: z.string().nullable(),
  since: z.string(),
});
export type AppointmentRow = z.infer<typeof AppointmentRow>;
const COLUMNS =
  'key, slug, headline, published_at, person, role, seats, lenses, company, company_slug, direction, comes_from, goes_to, effective, since';
const NEWEST_FIRST = 'ORDER BY published_at DESC, key DESC, number DESC';

/** Moves by direction: of the window, of the 7 days before its end, and of the 7 days before those. */
export function countByDirection(database: Queryable, scope: Scope): Promise<z.infer<typeof DirectionCount>[]> {
  const { until } = scope;
  const weeks = new Date(until.getTime() - 14 * 86_400_000);
  const { where, parameters } = conditionOf({ ...scope, since: scope.since < weeks ? scope.since : weeks });
  const since = `$${parameters.push(scope.since)}::timestamptz`;
  return query(
    database,
    `SELECT direction, (count(*) FILTER (WHERE published_at >= ${since}))::int AS moves,
       (count(*) FILTER (WHERE published_at >= $2::timestamptz - interval '168 hours'))::int AS week,
       (count(*) FILTER (WHERE published_at >= $2::timestamptz - interval '336 hours'
         AND published_at < $2::timestamptz - interval '168 hours'))::int AS prior_week
     FROM read.appointments WHERE ${where} GROUP BY direction`,
    parameters,
    DirectionCount,
  );
}

/** Moves by what their roles are read for, most first. */
export function countByLens(database: Queryable, scope: Scope): Promise<z.infer<typeof LensCount>[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT lens, count(*)::int AS moves FROM read.appointments, unnest(lenses) AS lens
     WHERE ${where} GROUP BY lens ORDER BY moves DESC, lens`,
    parameters,
    LensCount,
  );
}

/** The moves told last, newest first. */
export function newestAppointments(database: Queryable, scope: Scope, limit: number): Promise<AppointmentRow[]> {
  const { where, parameters } = conditionOf(scope);
  return query(
    database,
    `SELECT ${COLUMNS} FROM read.appointments WHERE ${where} ${NEWEST_FIRST} LIMIT $${parameters.push(limit)}`,
    parameters,
    AppointmentRow,
  );
}

/** Who came to companies or rose in them since a moment: by them seats are filled. */
export const newcomers = (
  database: Queryable,
  companies: readonly string[],
  since: Date,
  until: Date,
): Promise<AppointmentRow[]> =>
  query(
    database,
    `SELECT ${COLUMNS} FROM read.appointments
     WHERE company_slug = ANY($1) AND published_at >= $2 AND published_at < $3 AND direction <> 'left' AND seats <> '{}'
     ${NEWEST_FIRST}`,
    [companies, since, until],
    AppointmentRow,
  );
