/** Leadership moves: counted, read, listed, and the seats that they leave open. */
import type { Queryable } from '../../../log/postgres/database.ts';
import type { KnownCompany, Sector } from '../../../schemas/gazetteer.ts';
import {
  type Direction,
  LENSES,
  type LeadershipMove,
  type LeadershipMoves,
  type Lens,
  type VacantSeat,
} from '../../../schemas/leadership.ts';
import { type About, citationOf, windowOf } from '../about.ts';
import { readRowCursor, rowCursor } from '../row-pages.ts';
import {
  type AppointmentRow,
  countMoves,
  type MoveCount,
  newcomers,
  newestAppointments,
  type Scope,
} from './queries.ts';
import { readingOf } from './reading.ts';
import { AHEAD, vacantSeats } from './seats.ts';

export interface LeadershipQuestion {
  /** Its brands count too. */
  readonly company?: Pick<KnownCompany, 'name' | 'slugs'> | undefined;
  readonly sector?: Sector | undefined;
  readonly lens?: Lens | 'all' | undefined;
  /** A role as people write it: `CFO`, `marketing head`. */
  readonly role?: string | undefined;
  readonly direction?: Direction | undefined;
  readonly days: number;
  /** Moves that are listed at most, 50 when unset. */
  readonly limit?: number | undefined;
  /** The next_cursor of the page before; its window is kept. */
  readonly cursor?: string | undefined;
}

/** Moves that a filter leaves out which are listed, where none fits it. */
const LEFT_OUT = 5;

/** So many exits are looked through for open seats, the newest. */
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
  about: About,
): Promise<LeadershipMoves> {
  const { role, direction, days, limit = 50, cursor } = question;
  const page = cursor === undefined ? { until: about.now, after: undefined } : readRowCursor(cursor);
  const all: Scope = { ...windowOf(page.until, days), companies: companiesOf(question) };
  const lens = question.lens === 'all' ? undefined : question.lens;
  const scope: Scope = { ...all, role, direction, lens };
  const isNarrowed = [role, direction, lens].some((filter) => filter !== undefined);
  const [counted, found, vacant, unfiltered] = await Promise.all([
    countMoves(database, scope),
    newestAppointments(database, scope, { limit: limit + 1, after: page.after }),
    seatsToWatch(database, scope, about),
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
  const moves = found.slice(0, limit);
  const last = moves.at(-1);
  return {
    since: scope.since.toISOString(),
    until: scope.until.toISOString(),
    ...counts,
    reading: readingOf({ ...counts, days, filters, left_out_total, lenses: byLens(counted), vacant: vacant.length }),
    next_cursor: found.length > limit && last ? rowCursor(scope.until, last) : null,
    moves: moves.map((row) => toldMove(row, about)),
    left_out_total,
    left_out: left_out.map((row) => toldMove(row, about)),
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

/** Moves by what their roles are read for, most first. */
const byLens = (counted: readonly MoveCount[]): { lens: Lens; moves: number }[] =>
  LENSES.map((lens) => ({ lens, moves: sum(counted.filter(({ lenses }) => lenses.includes(lens))).moves }))
    .filter(({ moves }) => moves > 0)
    .sort((one, other) => other.moves - one.moves);

/** Seats of a scope that were left and not filled since, newest first. */
export async function seatsToWatch(database: Queryable, scope: Scope, about: About): Promise<VacantSeat[]> {
  const exits = await newestAppointments(database, { ...scope, direction: 'left' }, { limit: EXITS });
  const companies = [...new Set(exits.flatMap(({ company_slug }) => company_slug ?? []))];
  const seats = [...new Set(exits.flatMap((exit) => exit.seats))];
  const since = new Date(scope.since.getTime() - AHEAD);
  const arrivals = companies.length === 0 ? [] : await newcomers(database, { companies, seats }, since, scope.until);
  return vacantSeats(exits, arrivals).map((row) => ({
    ...companyOf(row, about),
    company: companyOf(row, about).company ?? '',
    role: row.role ?? row.seats.join(' and '),
    person: row.person,
    vacant_since: row.since,
    ...citationOf(row, about.baseUrl),
  }));
}

function companiesOf({ company, sector }: LeadershipQuestion): readonly string[] | undefined {
  if (!company || !sector) return company?.slugs ?? sector?.slugs;
  return company.slugs.filter((slug) => sector.slugs.includes(slug));
}

/** The company of a row under the name and slug that it has now. */
function companyOf({ company, company_slug }: AppointmentRow, { gazetteer }: About) {
  const known = company_slug ? gazetteer.company(company_slug) : null;
  return { company: known?.name ?? company, company_slug: known?.slug ?? company_slug };
}

function toldMove(row: AppointmentRow, about: About): LeadershipMove {
  const { person, role, lenses, direction, comes_from, goes_to, effective } = row;
  return {
    ...{ person, role, lenses },
    ...companyOf(row, about),
    ...{ direction, from: comes_from, to: goes_to, effective },
    ...citationOf(row, about.baseUrl),
  };
}
