/** Dates as outlets write them: RFC 822, ISO 8601, Indian forms. What names no zone is Indian time. */
import { monthNumber } from './months.ts';
import { IST_MINUTES, zoneMinutes } from './zones.ts';

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** What stands around it. */
  readonly rest: string;
}

const MINUTE = 60_000;
const EARLIEST = Date.UTC(1990, 0, 1);

/**
 * Reads a date. Day comes before month where both are numbers, as in India.
 * A date without a time is the beginning of that day in IST.
 * @returns the moment, or null for what is no date of a day after 1990; words such as "2 hours ago" are none here,
 *   because they count from when the page was read: see `relativeTime`
 */
export function parseDate(text: string): Date | null {
  const plain = plainDate(text);
  const day = epochDay(plain) ?? ordinalDay(plain) ?? isoDay(plain) ?? namedDay(plain) ?? numberedDay(plain);
  if (day instanceof Date) return inRange(day);
  if (!day) return null;
  const time = timeIn(day.rest);
  const moment = new Date(Date.UTC(day.year, day.month - 1, day.day, 0, 0, 0, 0));
  // 31 November is no day, and Date.UTC would make 1 December of it.
  if (moment.getUTCMonth() !== day.month - 1 || moment.getUTCDate() !== day.day) return null;
  const local = moment.getTime() + (time?.milliseconds ?? 0);
  const zone = time ? zoneMinutes(time.after, local) : IST_MINUTES;
  return inRange(new Date(local - zone * MINUTE));
}

/** The text of a date in one line, with digits and hyphens of ASCII; more than 200 characters are cut off. */
export const plainDate = (text: string): string =>
  text
    .slice(0, 200)
    // In the scripts of India the digit 0 has a code point that ends in 6.
    .replace(
      /[\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f]/g,
      (digit) => String((digit.charCodeAt(0) - 6) & 0xf),
    )
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u200b-\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const inRange = (date: Date): Date | null =>
  date.getTime() >= EARLIEST && date.getUTCFullYear() < 10_000 ? date : null;

/** Seconds or milliseconds since 1970. */
function epochDay(text: string): Date | null {
  if (/^\d{10}$/.test(text)) return new Date(Number(text) * 1000);
  return /^\d{13}$/.test(text) ? new Date(Number(text)) : null;
}

/** `2026-325`, `2026325T…`: the day of the year, which ISO 8601 allows. */
function ordinalDay(text: string): Day | null {
  const found = /^(\d{4})-?(\d{3})(?![\d-])/.exec(text);
  const place = Number(found?.[2]);
  if (!found || place < 1 || place > 366) return null;
  const moment = new Date(Date.UTC(Number(found[1]), 0, place));
  return {
    year: Number(found[1]),
    month: moment.getUTCMonth() + 1,
    day: moment.getUTCDate(),
    rest: text.slice(found[0].length),
  };
}

/** `2026-11-21…`, `2026/11/21…`, `20261121T…`, `20261121103000`, `2026-11`, and the year alone at the whole text. */
function isoDay(text: string): Day | null {
  const found =
    /(?<![\d:])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text) ??
    /^(\d{4})()(\d{2})(\d{2})(?!\d)/.exec(text) ??
    /^((?:19|20)\d{2})()(\d{2})(\d{2})(?=\d{6}(?!\d))/.exec(text) ??
    /^(\d{4})(-)(\d{2})()$/.exec(text) ??
    /^((?:19|20)\d{2})()()()$/.exec(text);
  return found ? dayAt(text, found, found[1], Number(found[3] || '1'), found[4] || '1') : null;
}

/** `21 November 2026`, `21-Nov-26`, `21st Nov, 2026`, `November 21, 2026`, `Nov 21 10:00:00 IST 2026`. */
function namedDay(text: string): Day | null {
  const dayFirst =
    /(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[\s,.-]{0,3}(\p{L}[\p{L}\p{M}]{1,13})\.?[\s,'’-]{0,3}(\d{4}|\d{2})(?![\d:])/u;
  const monthFirst =
    /(?<![\p{L}\p{M}])(\p{L}[\p{L}\p{M}]{1,13})\.?[\s-]{0,2}(\d{1,2})(?:st|nd|rd|th)?[\s,-]{1,3}(\d{4})(?!\d)/u;
  const yearLast = /(\p{L}{3,9})\.? +(\d{1,2}) +(\d{1,2}:.{4,20}?) (\d{4})( [A-Z]{1,5}| [+-]\d{2}:?\d{2})?$/u;
  for (const [form, month, day, year] of [
    [dayFirst, 2, 1, 3],
    [monthFirst, 1, 2, 3],
  ] as const) {
    const found = form.exec(text);
    const number = found && monthNumber(found[month] ?? '');
    if (found && number) return dayAt(text, found, found[year], number, found[day]);
  }
  const found = yearLast.exec(text);
  const number = found && monthNumber(found[1] ?? '');
  return found && number
    ? { year: Number(found[4]), month: number, day: Number(found[2]), rest: `${found[3]}${found[5] ?? ''}` }
    : null;
}

/** `21/11/2026`, `21-11-26`, `21.11.2026`; month first only where the second number cannot be a month. */
function numberedDay(text: string): Day | null {
  const found = /(?<![\d:])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d:])/.exec(text);
  if (!found) return null;
  const [first, second] = [Number(found[1]), Number(found[3])];
  return second > 12
    ? dayAt(text, found, found[4], first, String(second))
    : dayAt(text, found, found[4], second, String(first));
}

function dayAt(text: string, found: RegExpExecArray, year = '', month: number, day = ''): Day {
  const short = Number(year);
  const full = year.length > 2 ? short : short < 70 ? 2000 + short : 1900 + short;
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
  return { year: full, month, day: Number(day), rest };
}

/** The first time of day in a text: `10:30`, `10.30 AM`, `1030` after T, `103000` alone, `10 pm`. */
function timeIn(text: string): { milliseconds: number; after: string } | null {
  const found =
    // Before the form with colons, which an offset after it has: `T103000+05:30`.
    /(?<![A-Za-z])T(\d{2})(\d{2})(\d{2})?(?:[.,](\d{1,9}))?()(?![\d:])/i.exec(text) ??
    /^ (\d{2})(\d{2})(\d{2})()()(?!\d)/.exec(text) ??
    /(?<!\d)(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?m\b\.?)?/i.exec(text) ??
    /(?<!\d)(\d{1,2})()()()\s*([ap]\.?m\b\.?)/i.exec(text);
  if (!found) return null;
  const half = found[5]?.toLowerCase()[0];
  const written = Number(found[1]);
  const hour = half ? (written % 12) + (half === 'p' ? 12 : 0) : written;
  const [minute, second] = [Number(found[2] || 0), Number(found[3] || 0)];
  // 24:00 and a leap second are times that people write.
  if (hour > 24 || minute > 59 || second > 60) return null;
  const thousandths = Math.trunc(Number(`0.${found[4] || 0}`) * 1000);
  return {
    milliseconds: ((hour * 60 + minute) * 60 + second) * 1000 + thousandths,
    after: text.slice(found.index + found[0].length),
  };
}
