/** Leadership moves: counted, read, listed, and the seats that they leave open. */
import type { Queryable } from '../../../log/postgres/database.ts';
import type { KnownCompany, Sector } from '../../../schemas/gazetteer.ts';
import type { Direction, LeadershipMove, LeadershipMoves, Lens, VacantSeat } from '../../../schemas/leadership.ts';
import { type About, referenceOf, windowOf } from '../about.ts';
import {
  type AppointmentRow,
  countByDirection,
  countByLens,
  newcomers,
  newestAppointments,
  type Scope,
} from './queries.ts';
import { readingOf } from './reading.ts';
import { AHEAD, vacantSeats } from './seats.ts';

export interface LeadershipQuestion {
  /** Its brands count too. */
  readonly company?: Pick<KnownCompany, 'slugs'> | undefined;
  readonly sector?: Sector | undefined;
  readonly lens?: Lens | 'all' | undefined;
  /** A role as people write it: `CFO`, `marketing head`. */
  readonly role?: string | undefined;
  readonly direction?: Direction | undefined;
  readonly days: number;
  /** Moves that are listed at most, 50 when unset. */
  readonly limit?: number | undefined;
}

/** So many exits are looked through for open seats, the newest. */
const EXITS = 200;
const SEATS = 20;

/** Who came, went and rose over the last days. A direction narrows the moves, not the seats to watch. */
export async function leadershipMoves(
  database: Queryable,
  question: LeadershipQuestion,
  about: About,
): Promise<LeadershipMoves> {
  const { role, direction, days, limit = 50 } = question;
  const scope: Scope = {
    ...windowOf(about.now, days),
    ...{ role, direction },
    lens: question.lens === 'all' ? undefined : question.lens,
    companies: companiesOf(question),
  };
  const [directions, lenses, moves, vacant] = await Promise.all([
    countByDirection(database, scope),
    countByLens(database, scope),
    newestAppointments(database, scope, limit),
    seatsToWatch(database, scope, about),
  ]);
  const of = (way: Direction): number => directions.find((counts) => counts.direction === way)?.moves ?? 0;
  const total = (count: (counts: (typeof directions)[number]) => number): number =>
    directions.reduce((all, counts) => all + count(counts), 0);
  const counts = {
    total: total((by) => by.moves),
    by_direction: { joined: of('joined'), left: of('left'), promoted: of('promoted') },
    week_count: total((by) => by.week),
    prior_week_count: total((by) => by.prior_week),
  };
  return {
    since: scope.since.toISOString(),
    until: scope.until.toISOString(),
    ...counts,
    reading: readingOf({ ...counts, days, lenses, vacant: vacant.length }),
    moves: moves.map((row) => toldMove(row, about)),
    seats_to_watch: vacant.slice(0, SEATS),
  };
}

/** Seats of a scope that were left and not filled since, newest first. */
export async function seatsToWatch(database: Queryable, scope: Scope, about: About): Promise<VacantSeat[]> {
  const exits = await newestAppointments(database, { ...scope, direction: 'left' }, EXITS);
  const companies = [...new Set(exits.flatMap(({ company_slug }) => company_slug ?? []))];
  const since = new Date(scope.since.getTime() - AHEAD);
  const arrivals = companies.length === 0 ? [] : await newcomers(database, companies, since, scope.until);
  return vacantSeats(exits, arrivals).map((row) => ({
    ...companyOf(row, about),
    company: companyOf(row, about).company ?? '',
    role: row.role ?? row.seats.join(' and '),
    person: row.person,
    vacant_since: row.since,
    signal: referenceOf(row, about.baseUrl),
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
    signal: referenceOf(row, about.baseUrl),
  };
}
