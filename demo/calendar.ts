/**
 * Time and chance: dates as Indian newsrooms write them (IST, no daylight saving time, a fiscal year that starts on 1
 * April), the cycle of 120 days in which authored events recur, and deterministic chance: the same words always give
 * the same value, so that a restart of the newsroom changes nothing.
 */
import { createHash } from 'node:crypto';

/** A number from 0 (included) to 1 (excluded) that depends on the parts alone. */
export const chance = (...parts: readonly (string | number)[]): number =>
  createHash('sha256').update(parts.join('|')).digest().readUIntBE(0, 6) / 2 ** 48;

/** A whole number from `low` to `high`, both included. */
export const between = (low: number, high: number, ...parts: readonly (string | number)[]): number =>
  low + Math.floor(chance(...parts) * (high - low + 1));

/**
 * One element of a list.
 * @throws RangeError for an empty list
 */
export function pick<T>(list: readonly T[], ...parts: readonly (string | number)[]): T {
  const found = list[Math.floor(chance(...parts) * list.length)];
  if (found === undefined) throw new RangeError('nothing to pick from');
  return found;
}

/** The list in an order that depends on the parts alone. */
export const shuffle = <T>(list: readonly T[], ...parts: readonly (string | number)[]): T[] =>
  list
    .map((value, index) => ({ value, lot: chance(...parts, index) }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ value }) => value);

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const IST_OFFSET = 5.5 * HOUR;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

interface IstDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly monthName: string;
  readonly day: number;
  readonly weekday: string;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The date and time in India at a moment. */
export function istDate(at: Date): IstDate {
  const shifted = new Date(at.getTime() + IST_OFFSET);
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    monthName: MONTHS[shifted.getUTCMonth()] ?? '',
    day: shifted.getUTCDate(),
    weekday: WEEKDAYS[shifted.getUTCDay()] ?? '',
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** `5 December`, in IST. */
const dayAndMonth = (at: Date): string => `${istDate(at).day} ${istDate(at).monthName}`;

/** `5 December 2026, 4:05 PM`, in IST but without the zone, as on listing pages. */
export function listingDate(at: Date): string {
  const { day, monthName, year, hour, minute } = istDate(at);
  return `${day} ${monthName} ${year}, ${hour % 12 || 12}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** `2026-12-05 16:05:09`, in IST and without a zone. */
export function zonelessDate(at: Date): string {
  const { year, month, day, hour, minute, second } = istDate(at);
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`;
}

/** `Sat, 05 Dec 2026 16:05:09 IST`: a zone name that most date parsers do not know. */
export function namedZoneDate(at: Date): string {
  const { year, monthName, day, weekday, hour, minute, second } = istDate(at);
  const clock = `${two(hour)}:${two(minute)}:${two(second)}`;
  return `${weekday.slice(0, 3)}, ${two(day)} ${monthName.slice(0, 3)} ${year} ${clock} IST`;
}

/** `2026-12-05T16:05:09+05:30`. */
export const offsetDate = (at: Date): string => `${zonelessDate(at).replace(' ', 'T')}+05:30`;

/** The fiscal year that a moment falls in, by the calendar year in which it ends: November 2026 is in 2027 (FY27). */
export const fiscalYear = (at: Date): number => istDate(at).year + (istDate(at).month >= 4 ? 1 : 0);

const fiscalName = (year: number): string => `FY${two(year % 100)}`;

/** The words for dates in authored texts, such as `{period}` and `{+14d}`, as of a moment. @returns undefined for another word */
export function dateWords(at: Date): (word: string) => string | undefined {
  const { year, month, monthName } = istDate(at);
  const quarter = Math.floor(((month + 8) % 12) / 3) + 1;
  const reported = quarter === 1 ? 4 : quarter - 1;
  const reportedYear = quarter === 1 ? fiscalYear(at) - 1 : fiscalYear(at);
  const words: Record<string, string> = {
    year: String(year),
    month: monthName,
    fiscal: fiscalName(fiscalYear(at)),
    'last fiscal': fiscalName(fiscalYear(at) - 1),
    'next fiscal': fiscalName(fiscalYear(at) + 1),
    period: `Q${reported} ${fiscalName(reportedYear)}`,
    'short period': `Q${reported}`,
    quarter: `${['June', 'September', 'December', 'March'][reported - 1]} quarter`,
  };
  return (word) => {
    const days = /^\+(\d+)d$/.exec(word)?.[1];
    return days ? dayAndMonth(new Date(at.getTime() + Number(days) * DAY)) : words[word];
  };
}

// Authored events recur every 120 days, so that at any moment the last 120 days contain each exactly once.

export const CYCLE_DAYS = 120;
const CYCLE = CYCLE_DAYS * DAY;

/** 1 January 2020, 00:00 IST. */
const EPOCH = Date.UTC(2019, 11, 31, 18, 30);

const offsets = new Map<string, number>();

/** Milliseconds from the start of a cycle. Events happen between 9:00 and 20:00 IST. */
function offset(id: string, day: number | undefined): number {
  const known = offsets.get(`${id} ${day}`);
  if (known !== undefined) return known;
  const whole = Math.floor(day ?? chance('day', id) * CYCLE_DAYS);
  const found = whole * DAY + 9 * HOUR + Math.floor(chance('hour', id) * 11 * 60) * MINUTE;
  offsets.set(`${id} ${day}`, found);
  return found;
}

/** The time of an event in a cycle; cycle 0 begins in January 2020. */
export const timeInCycle = (event: { id: string; day?: number | undefined }, cycle: number): Date =>
  new Date(EPOCH + cycle * CYCLE + offset(event.id, event.day));

/** The cycle whose occurrence of the event is the latest that is not after `now`. */
export const currentCycle = (event: { id: string; day?: number | undefined }, now: Date): number =>
  Math.floor((now.getTime() - EPOCH - offset(event.id, event.day)) / CYCLE);
