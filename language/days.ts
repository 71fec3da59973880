/** Calendar days in IST (UTC+05:30, no summer time), as `YYYY-MM-DD`. */

export const DAY = 86_400_000;
const IST = 5.5 * 3_600_000;

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The IST day of a moment: `2026-11-21`. @throws RangeError for what is no time */
export const istDay = (moment: string | number | Date): string =>
  new Date(new Date(moment).getTime() + IST).toISOString().slice(0, 10);

/** How many IST days lie between two moments; 0 on the same day. */
export const daysBetween = (one: string, other: string): number =>
  Math.abs(Date.parse(istDay(one)) - Date.parse(istDay(other))) / DAY;

/** The first moment of an IST day. */
export const startOfDay = (day: string): Date => new Date(Date.parse(`${day}T00:00:00Z`) - IST);

/** The day so many days later, or earlier. */
export const plusDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

/** The first day of a month; months outside 1 to 12 are of the years before or after. */
export const monthStart = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);

/** 1 for January, by its name or its first three letters; 0 for what is no month. */
export const monthNumber = (name: string): number =>
  MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1;

export const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');

/** 1 for Monday to 7 for Sunday. */
export const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** `November 2026`. */
export const monthInWords = (day: string): string => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;

/** `9 November 2026`. */
export const dayInWords = (day: string): string => `${Number(day.slice(8))} ${monthInWords(day)}`;

/** The IST day of a moment in words: `9 November 2026`. */
export const formatDay = (moment: string | number | Date): string => dayInWords(istDay(moment));
