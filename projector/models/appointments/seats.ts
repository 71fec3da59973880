/** Seats that were left and not filled since. Pure. */
import type { AppointmentRow } from './queries.ts';

/** A successor is often told of before the exit is: so long before it still fills the seat. */
export const AHEAD = 30 * 86_400_000;

/** Seats of which a company has several, or that nobody can take over. */
const UNWATCHED = new Set([
  'vice president',
  'general manager',
  'independent director',
  'non-executive director',
  'executive director',
  'additional director',
  'director',
  'founder',
]);

type Seat = Pick<AppointmentRow, 'key' | 'person' | 'seats' | 'company_slug' | 'published_at'>;

const watched = ({ seats }: Seat): string[] => seats.filter((seat) => !UNWATCHED.has(seat));

const sameSeat = (one: Seat, other: Seat): boolean =>
  one.company_slug === other.company_slug && watched(one).some((seat) => other.seats.includes(seat));

/**
 * @param exits newest first; those of a company without a slug are passed over, nobody can be told to have followed
 * @param arrivals from `AHEAD` before the oldest exit on
 * @returns one exit a seat, the newest, newest first
 */
export function vacantSeats<Row extends Seat>(exits: readonly Row[], arrivals: readonly Seat[]): Row[] {
  const vacant: Row[] = [];
  for (const exit of exits) {
    if (exit.company_slug === null || watched(exit).length === 0) continue;
    const filled = arrivals.some(
      (arrival) =>
        sameSeat(exit, arrival) &&
        arrival.person !== exit.person &&
        arrival.published_at.getTime() >= exit.published_at.getTime() - AHEAD,
    );
    if (!filled && !vacant.some((newer) => sameSeat(newer, exit))) vacant.push(exit);
  }
  return vacant;
}
