/** Calendar days in IST (UTC+5:30, no summer time), as `YYYY-MM-DD`. */

const OFFSET = 5.5 * 3_600_000;
export const DAY = 86_400_000;

export const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The IST day of a moment. */
export const dayOf = (moment: Date): string => new Date(moment.getTime() + OFFSET).toISOString().slice(0, 10);

/** The first moment of a day. */
export const startOf = (day: string): Date => new Date(Date.parse(`${day}T00:00:00Z`) - OFFSET);

/** The day so many days later, or earlier. */
export const plusDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

/** The first day of a month; months beyond 1 to 12 run into the years beside. */
export const monthStart = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);

/** 1 for Monday to 7 for Sunday. */
export const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** The Indian fiscal year of a day, which starts on 1 April: 2027 for 1 April 2026 to 31 March 2027. */
export const fiscalYear = (day: string): number => Number(day.slice(0, 4)) + (Number(day.slice(5, 7)) >= 4 ? 1 : 0);

/** `9 November 2026`. */
export const spoken = (day: string): string =>
  `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
