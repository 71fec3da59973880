/**
 * Leadership moves: appointments counted and listed, where one event counts once, summed up in a sentence, and the
 * seats that they leave open.
 */

import { z } from 'zod';
import { seatsOf, singleSeats } from '../../facts/people/roles.ts';
import { formatCount, joinNames } from '../../language/prose.ts';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Gazetteer, KnownCompany, Sector } from '../../schemas/directory.ts';
import {
  Direction,
  LENSES,
  type LeadershipMove,
  type LeadershipMoves,
  Lens,
  type VacantSeat,
} from '../../schemas/moves-by-kind.ts';
import { type BrandSlug, StoredBrandSlug } from '../../schemas/scalar.ts';
import {
  Cited,
  citationOf,
  cutPage,
  newestRows,
  Placed,
  pageOf,
  type QueryContext,
  type RowPlace,
  windowOf,
} from './query-parts.ts';

interface Scope {
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
  const where = ['reported_at >= $1', 'reported_at < $2'];
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
type MoveCount = z.infer<typeof MoveCount>;
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
type AppointmentRow = z.infer<typeof AppointmentRow>;
const APPOINTMENTS = {
  table: 'appointments',
  columns: `row.person, row.role, row.seats, row.lenses, row.company, row.company_slug, row.direction, row.comes_from,
  row.goes_to, row.effective, row.since`,
  row: AppointmentRow,
};

/**
 * Moves by direction and by what their roles are read for together, so that both are counted in one pass: of the window,
 * of the 7 days before its end, and of the 7 days before those.
 */
function countMoves(database: Queryable, scope: Scope): Promise<MoveCount[]> {
  const { until } = scope;
  const weeks = new Date(until.getTime() - 14 * 86_400_000);
  const { where, parameters } = conditionOf({ ...scope, since: scope.since < weeks ? scope.since : weeks });
  const since = `$${parameters.push(scope.since)}::timestamptz`;
  return query(
    database,
    `SELECT direction, lenses, (count(*) FILTER (WHERE reported_at >= ${since}))::int AS moves,
       (count(*) FILTER (WHERE reported_at >= $2::timestamptz - interval '168 hours'))::int AS week,
       (count(*) FILTER (WHERE reported_at >= $2::timestamptz - interval '336 hours'
         AND reported_at < $2::timestamptz - interval '168 hours'))::int AS prior_week
     FROM read.appointments WHERE ${where} GROUP BY direction, lenses`,
    parameters,
    MoveCount,
  );
}

const newestAppointments = (
  database: Queryable,
  scope: Scope,
  page: { readonly limit: number; readonly after?: RowPlace | undefined },
): Promise<AppointmentRow[]> => newestRows(database, APPOINTMENTS, conditionOf(scope), page);

const Arrival = AppointmentRow.pick({ key: true, person: true, seats: true, company_slug: true, reported_at: true });

/** Who came to companies or rose in them since a moment, in one of some seats: by them seats are filled. */
const newcomers = (
  database: Queryable,
  { companies, seats }: { readonly companies: readonly string[]; readonly seats: readonly string[] },
  since: Date,
  until: Date,
): Promise<z.infer<typeof Arrival>[]> =>
  query(
    database,
    `SELECT key, person, seats, company_slug, reported_at FROM read.appointments
     WHERE company_slug = ANY($1) AND reported_at >= $2 AND reported_at < $3 AND direction <> 'left' AND seats && $4`,
    [companies, since, until, seats],
    Arrival,
  );

/** Milliseconds. A successor is often reported before the exit; one reported this long before it still fills the seat. */
const AHEAD = 30 * 86_400_000;

type Seat = Pick<AppointmentRow, 'key' | 'person' | 'seats' | 'company_slug' | 'reported_at'>;

/**
 * The slugs under which the seats of a company are reported. An owner that has one brand alone is one company with it:
 * Avenue Supermarts with DMart.
 */
function seatSlugs(slug: BrandSlug, gazetteer: Gazetteer): readonly BrandSlug[] {
  const owner = gazetteer.profileOf(slug)?.owner;
  const whole = owner ? gazetteer.company(owner.slug) : null;
  return whole?.reporting.includes(slug) ? whole.reporting : (gazetteer.company(slug)?.reporting ?? [slug]);
}

/**
 * @param exits newest first; those of a company without a slug are skipped, since no successor can be found
 * @param arrivals from `AHEAD` before the oldest exit on
 * @param houseOf the company whose seats those of a slug are
 * @returns one exit a seat, the newest, newest first
 */
export function vacantSeats<Row extends Seat>(
  exits: readonly Row[],
  arrivals: readonly Seat[],
  houseOf: (slug: BrandSlug) => BrandSlug = (slug) => slug,
): Row[] {
  const isSameSeat = (one: Seat, other: Seat): boolean =>
    one.company_slug !== null &&
    other.company_slug !== null &&
    houseOf(one.company_slug) === houseOf(other.company_slug) &&
    singleSeats(one.seats).some((seat) => other.seats.includes(seat));
  const vacant: Row[] = [];
  for (const exit of exits) {
    if (exit.company_slug === null || singleSeats(exit.seats).length === 0) continue;
    const filled = arrivals.some(
      (arrival) =>
        isSameSeat(exit, arrival) &&
        arrival.person !== exit.person &&
        arrival.reported_at.getTime() >= exit.reported_at.getTime() - AHEAD,
    );
    if (!filled && !vacant.some((newer) => isSameSeat(newer, exit))) vacant.push(exit);
  }
  return vacant;
}

/** What the moves were narrowed by, as it was understood. */
interface Filters {
  readonly role?: string | undefined;
  readonly lens?: Lens | undefined;
  readonly direction?: Direction | undefined;
  readonly company?: string | undefined;
  readonly sector?: string | undefined;
}

interface Counts {
  readonly days: number;
  readonly filters: Filters;
  /** Moves of the same companies and days that role, lens or direction leave out. */
  readonly left_out_total: number;
  readonly total: number;
  readonly by_direction: { readonly joined: number; readonly left: number; readonly promoted: number };
  readonly week_count: number;
  readonly prior_week_count: number;
  /** Most first. */
  readonly lenses: readonly { readonly lens: Lens; readonly moves: number }[];
  /** Seats that were left and not filled since. */
  readonly vacant: number;
}

/** A lens as sentences name it. */
export const LENS_NAMES: Readonly<Record<Lens, string>> = {
  c_suite: 'the C-suite',
  board: 'the board',
  founders: 'founders',
  marketing: 'marketing',
  technology: 'technology',
  finance: 'finance',
  operations: 'operations',
  people: 'human resources',
};

const orNone = (count: number): string => (count === 0 ? 'none' : String(count));

/** ` for role CMO, direction joined, at Kiri Foods`; empty without a filter. */
export function filterWords({ role, lens, direction, company, sector }: Filters): string {
  const narrowed = [role && `role ${role}`, lens && `lens ${lens}`, direction && `direction ${direction}`].filter(
    Boolean,
  );
  return [
    narrowed.length > 0 ? ` for ${narrowed.join(', ')}` : '',
    company ? ` at ${company}` : '',
    sector ? ` in ${sector}` : '',
  ].join('');
}

/** The sentence when no move fits, with how many there are without role, lens and direction. */
function noneFound({ days, filters, left_out_total }: Counts): string {
  const filterCount = [filters.role, filters.lens, filters.direction].filter((filter) => filter !== undefined).length;
  const none = `No leadership moves found${filterWords(filters)} in the last ${days} days`;
  if (filterCount === 0) return `${none}.`;
  const without = filterCount === 1 ? 'without that filter' : 'without these filters';
  return `${none}; ${orNone(left_out_total)} ${without}.`;
}

/** The sentence; what is not counted is left out. */
export function readingOf(counts: Counts): string {
  const { days, total, filters, by_direction, week_count, prior_week_count, lenses, vacant, left_out_total } = counts;
  if (total === 0) return noneFound(counts);
  const { joined, left, promoted } = by_direction;
  const ways = [
    [joined, 'joined'],
    [left, 'left'],
    [promoted, promoted === 1 ? 'was promoted' : 'were promoted'],
  ] as const;
  const how = joinNames(
    ways.flatMap(([count, way]) => (count > 0 ? [`${count} ${way}`] : [])),
    3,
  );
  // Most moves of any role are of the C-suite: what sets them apart is the part of the company.
  const parts = lenses.filter(({ lens }) => lens !== 'c_suite').slice(0, 2);
  const most = joinNames(
    parts.map(({ lens, moves }) => `${LENS_NAMES[lens]} (${moves})`),
    2,
  );
  const open = vacant === 0 ? '' : `; ${formatCount(vacant, 'seat')} left with no successor reported`;
  const others = left_out_total === 0 ? '' : `; ${formatCount(left_out_total, 'other move')} left out by the filter`;
  return (
    `${formatCount(total, 'leadership move')}${filterWords(filters)} in the last ${days} days: ${how}; ` +
    `${orNone(week_count)} in the last 7 days against ${orNone(prior_week_count)} in the 7 before` +
    `${most ? `; most in ${most}` : ''}${open}${others}.`
  );
}

interface LeadershipQuestion {
  /** Its brands count too. */
  readonly company?: Pick<KnownCompany, 'slug' | 'name' | 'slugs'> | undefined;
  readonly sector?: Sector | undefined;
  readonly lens?: Lens | 'all' | undefined;
  /** A role as people write it: `CFO`, `marketing head`. */
  readonly role?: string | undefined;
  readonly direction?: Direction | undefined;
  readonly days: number;
  /** Maximum of listed moves; default 50. */
  readonly limit?: number | undefined;
  /** The next_cursor of the page before; it contains the window. */
  readonly cursor?: string | undefined;
}

/** Moves that a filter leaves out which are listed, where none fits it. */
const LEFT_OUT = 5;

/** Newest exits that are searched for vacant seats. */
const EXITS = 100;
const SEATS = 20;

/**
 * Who came, went and rose over the last days. A direction narrows the moves, not the seats to watch. What a role, a lens
 * or a direction leaves out of the companies and days asked about is counted, and listed where nothing fits.
 * @throws CursorError
 */
export async function leadershipMoves(
  database: Queryable,
  question: LeadershipQuestion,
  context: QueryContext,
): Promise<LeadershipMoves> {
  const { role, direction, days, limit = 50, cursor } = question;
  const page = pageOf(cursor, context.now);
  const all: Scope = { ...windowOf(page.until, days), companies: companiesOf(question, context.gazetteer) };
  const lens = question.lens === 'all' ? undefined : question.lens;
  const scope: Scope = { ...all, role, direction, lens };
  const isNarrowed = [role, direction, lens].some((filter) => filter !== undefined);
  const [counted, rows, vacant, unfiltered] = await Promise.all([
    countMoves(database, scope),
    newestAppointments(database, scope, { limit: limit + 1, after: page.after }),
    seatsToWatch(database, scope, context),
    isNarrowed ? countMoves(database, all) : [],
  ]);
  const of = (way: Direction): number => sum(counted.filter((by) => by.direction === way)).moves;
  const { moves: total, week, prior_week } = sum(counted);
  const left_out_total = isNarrowed ? sum(unfiltered).moves - total : 0;
  const left_out =
    total === 0 && left_out_total > 0 ? await newestAppointments(database, all, { limit: LEFT_OUT }) : [];
  const counts = {
    total,
    by_direction: { joined: of('joined'), left: of('left'), promoted: of('promoted') },
    week_count: week,
    prior_week_count: prior_week,
  };
  const filters = { role, lens, direction, company: question.company?.name, sector: question.sector?.name };
  const { listed, next_cursor } = cutPage(rows, limit, scope.until);
  return {
    since: scope.since.toISOString(),
    until: scope.until.toISOString(),
    ...counts,
    reading: readingOf({ ...counts, days, filters, left_out_total, lenses: byLens(counted), vacant: vacant.length }),
    next_cursor,
    moves: listed.map((row) => moveDocument(row, context)),
    left_out_total,
    left_out: left_out.map((row) => moveDocument(row, context)),
    seats_to_watch: vacant.slice(0, SEATS),
  };
}

type Sums = Pick<MoveCount, 'moves' | 'week' | 'prior_week'>;

const sum = (counted: readonly Sums[]): Sums =>
  counted.reduce(
    (all, { moves, week, prior_week }) => ({
      moves: all.moves + moves,
      week: all.week + week,
      prior_week: all.prior_week + prior_week,
    }),
    { moves: 0, week: 0, prior_week: 0 },
  );

/** Moves by the lenses of their roles, the highest count first. */
const byLens = (counted: readonly MoveCount[]): { lens: Lens; moves: number }[] =>
  LENSES.map((lens) => ({ lens, moves: sum(counted.filter(({ lenses }) => lenses.includes(lens))).moves }))
    .filter(({ moves }) => moves > 0)
    .sort((one, other) => other.moves - one.moves);

/** Vacant seats of a scope, newest first. */
export async function seatsToWatch(database: Queryable, scope: Scope, context: QueryContext): Promise<VacantSeat[]> {
  const exits = await newestAppointments(database, { ...scope, direction: 'left' }, { limit: EXITS });
  const houses = exits.flatMap(({ company_slug }) => (company_slug ? seatSlugs(company_slug, context.gazetteer) : []));
  const companies = [...new Set(houses)];
  const seats = [...new Set(exits.flatMap((exit) => exit.seats))];
  const since = new Date(scope.since.getTime() - AHEAD);
  const arrivals = companies.length === 0 ? [] : await newcomers(database, { companies, seats }, since, scope.until);
  return vacantSeats(exits, arrivals, (slug) => seatSlugs(slug, context.gazetteer)[0] ?? slug).map((row) => ({
    ...companyOf(row, context),
    company: companyOf(row, context).company ?? '',
    role: row.role ?? row.seats.join(' and '),
    person: row.person,
    vacant_since: row.since,
    ...citationOf(row, context.baseUrl),
  }));
}

function companiesOf({ company, sector }: LeadershipQuestion, gazetteer: Gazetteer): readonly BrandSlug[] | undefined {
  if (!company) return sector?.slugs;
  const slugs = [...new Set([...company.slugs, ...seatSlugs(company.slug, gazetteer)])];
  return sector ? slugs.filter((slug) => sector.slugs.includes(slug)) : slugs;
}

/** The company of a row under the name and slug that it has now. */
function companyOf({ company, company_slug }: AppointmentRow, { gazetteer }: QueryContext) {
  const current = company_slug ? gazetteer.company(company_slug) : null;
  return { company: current?.name ?? company, company_slug: current?.slug ?? company_slug };
}

function moveDocument(row: AppointmentRow, context: QueryContext): LeadershipMove {
  const { person, role, lenses, direction, comes_from, goes_to, effective } = row;
  return {
    person,
    role,
    lenses,
    ...companyOf(row, context),
    direction,
    from: comes_from,
    to: goes_to,
    effective,
    ...citationOf(row, context.baseUrl),
  };
}

const Appointed = z.object({
  person: z.string(),
  role: z.string().nullable(),
  company: z.string().nullable(),
  slug: z.string(),
});

/** Everyone who took or left a seat since then, each with the newest signal of it; the newest people first. */
export const appointedPeople = (
  database: Queryable,
  since: Date,
  limit: number,
): Promise<z.infer<typeof Appointed>[]> =>
  query(
    database,
    `SELECT person, role, company, slug FROM (
       SELECT DISTINCT ON (lower(person)) person, role, company, slug, reported_at FROM read.appointments
       WHERE reported_at >= $1 ORDER BY lower(person), reported_at DESC, key DESC, number DESC) AS one
     ORDER BY reported_at DESC LIMIT $2`,
    [since, limit],
    Appointed,
  );
