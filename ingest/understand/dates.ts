/** Dates as Indian news writes them, relative to the item's own day in IST. Null rather than guessed. */

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const DAY_MONTH = new RegExp(
  `\\b(?:on|from|by|effective(?: from)?|w\\.?e\\.?f\\.?|since|dated)\\s+(\\d{1,2})(?:st|nd|rd|th)?\\s+(${MONTH})\\b(?:,?\\s+(20\\d\\d))?`,
  'i',
);
const MONTH_DAY = new RegExp(
  `\\b(?:on|from|by|effective(?: from)?|w\\.?e\\.?f\\.?|since|dated)\\s+(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?:,?\\s+(20\\d\\d))?`,
  'i',
);
const WEEKDAY = new RegExp(`\\bon\\s+(${DAYS.join('|')})\\b`, 'i');

const noon = (day: string): number => Date.parse(`${day}T12:00:00Z`);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const valid = (year: number, month: number, day: number): string | null => {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? dayOf(date.getTime()) : null;
};
const monthOf = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3).toLowerCase()));

/** The year that brings a day and month nearest to the item's day. */
function nearest(month: number, day: number, around: string): string | null {
  const year = Number(around.slice(0, 4));
  const days = [year - 1, year, year + 1].flatMap((each) => valid(each, month, day) ?? []);
  const distance = (each: string): number => Math.abs(noon(each) - noon(around));
  return days.sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

/**
 * The day that a text names for its event: `on 24 August 2026`, `from 1 April`, `on Monday` (the last one up to and
 * including the item's day), `today`, `yesterday`.
 * @param around the item's day in IST; without it only a full date is read
 * @returns a day in IST, `YYYY-MM-DD`
 */
export function dayIn(text: string, around: string | null): string | null {
  const first = DAY_MONTH.exec(text);
  const second = MONTH_DAY.exec(text);
  const [month, day, year] = first ? [first[2], first[1], first[3]] : second ? [second[1], second[2], second[3]] : [];
  if (month && day) {
    if (year) return valid(Number(year), monthOf(month), Number(day));
    return around ? nearest(monthOf(month), Number(day), around) : null;
  }
  if (!around) return null;
  const weekday = WEEKDAY.exec(text);
  if (weekday) {
    const back = (new Date(noon(around)).getUTCDay() - DAYS.indexOf((weekday[1] ?? '').toLowerCase()) + 7) % 7;
    return dayOf(noon(around) - back * 86_400_000);
  }
  if (/\byesterday\b/i.test(text)) return dayOf(noon(around) - 86_400_000);
  if (/\b(?:today|earlier in the day)\b/i.test(text)) return around;
  return null;
}

/** The start of a day in IST as an RFC 3339 time in UTC. */
export const instantOf = (day: string): string => new Date(Date.parse(`${day}T00:00:00+05:30`)).toISOString();

/** The Indian fiscal year of a day, starting on 1 April: 27 for 1 April 2026 to 31 March 2027. */
export const fiscalYear = (day: string): number =>
  (Number(day.slice(0, 4)) + (Number(day.slice(5, 7)) >= 4 ? 1 : 0)) % 100;

/** The quarter that companies report on a day: the one that ended last before it. */
export function reportedQuarter(day: string): { quarter: number; year: number } {
  const month = Number(day.slice(5, 7));
  const year = fiscalYear(day);
  const running = Math.floor(((month + 8) % 12) / 3) + 1;
  return running === 1 ? { quarter: 4, year: year - 1 } : { quarter: running - 1, year };
}

const FULL_YEAR = /\b(?:fy|fiscal(?: year)?|financial year)\s?'?(?:20)?(\d\d)(?:\s?[-–]\s?(?:20)?(\d\d))?\b/i;
const NAMED: readonly [RegExp, number][] = [
  [/\b(?:april|apr)\s?(?:-|–|to)\s?june?\b|\bjune quarter\b|\bfirst[- ]quarter\b/i, 1],
  [/\b(?:july?)\s?(?:-|–|to)\s?sep\w*\b|\bsept(?:ember)? quarter\b|\bsecond[- ]quarter\b/i, 2],
  [/\boct\w*\s?(?:-|–|to)\s?dec\w*\b|\bdec(?:ember)? quarter\b|\bthird[- ]quarter\b/i, 3],
  [/\bjan\w*\s?(?:-|–|to)\s?mar\w*\b|\bmarch quarter\b|\bfourth[- ]quarter\b/i, 4],
];

/**
 * The fiscal period of a result: `Q1 FY27`, `H1 FY27`, `FY26`. A quarter without a year is the last one of that
 * number that had ended, or nearly, on the item's day.
 */
export function periodIn(text: string, day: string | null): string | null {
  const year = FULL_YEAR.exec(text);
  const yearOf = year ? Number(year[2] ?? year[1]) : null;
  const part = /\b(q[1-4]|h[12]|9m)(?:\s?fy\s?'?(?:20)?(\d\d))?\b/i.exec(text);
  const named = part ? undefined : NAMED.find(([form]) => form.test(text));
  const name = part?.[1]?.toUpperCase() ?? (named ? `Q${named[1]}` : null);
  if (!name) return yearOf === null ? null : `FY${String(yearOf).padStart(2, '0')}`;
  const own = part?.[2] ? Number(part[2]) : yearOf;
  if (own !== null) return `${name} FY${String(own).padStart(2, '0')}`;
  if (!day) return null;
  const last = reportedQuarter(day);
  const quarter = Number(name[1]);
  const late =
    name.startsWith('Q') && quarter > last.quarter && !(quarter === last.quarter + 1 && Number(day.slice(8)) > 20);
  return `${name} FY${String(late ? last.year - 1 : last.year).padStart(2, '0')}`;
}
