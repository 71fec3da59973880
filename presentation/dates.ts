/** Dates and times as readers in India see them: instants come in as UTC, text goes out in IST. */

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', ...options });

const DAY_KEY = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' });
const CLOCK = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const LONG_DAY = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const SHORT_DAY = format({ day: 'numeric', month: 'short', year: 'numeric' });
const WEEKDAY = format({ weekday: 'long' });
const DAY_AND_MONTH = format({ day: 'numeric', month: 'long' });
const YEAR = format({ year: 'numeric' });

/** The IST day of an instant, `2026-11-21`. */
export const istDay = (instant: string | Date): string => DAY_KEY.format(new Date(instant));
/** `10:02`, in IST. */
export const formatTime = (instant: string | Date): string => CLOCK.format(new Date(instant));
/** `Saturday 21 November 2026`. */
export const formatLongDay = (instant: string | Date): string => LONG_DAY.format(new Date(instant)).replace(',', '');
/** `21 Nov 2026`. */
export const formatShortDay = (instant: string | Date): string => SHORT_DAY.format(new Date(instant));
/** The parts of a day heading: `Saturday`, `21 November`, `2026`. */
export const formatDayParts = (instant: string): { weekday: string; day: string; year: string } => ({
  weekday: WEEKDAY.format(new Date(instant)),
  day: DAY_AND_MONTH.format(new Date(instant)),
  year: YEAR.format(new Date(instant)),
});
