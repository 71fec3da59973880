/** Days, fiscal periods and festivals as Indian business readers name them. All days are IST days. */

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

/** The first day of a month; months outside 1 to 12 are of the years before or after. */
export const monthStart = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);

/** 1 for Monday to 7 for Sunday. */
export const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** The Indian fiscal year of a day, which starts on 1 April: 2027 for 1 April 2026 to 31 March 2027. */
export const fiscalYear = (day: string): number => Number(day.slice(0, 4)) + (Number(day.slice(5, 7)) >= 4 ? 1 : 0);

/** `9 November 2026`. */
export const spoken = (day: string): string =>
  `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;

/** Days by which Indian retail counts its seasons, in IST. Moving feasts as the government's lists of holidays name them. */

/** By name in lower case, the days of each year, `YYYY-MM-DD`. */
const MOVING: Readonly<Record<string, readonly string[]>> = {
  diwali: ['2024-10-31', '2025-10-20', '2026-11-08', '2027-10-29', '2028-10-17'],
  dhanteras: ['2024-10-29', '2025-10-18', '2026-11-06', '2027-10-27', '2028-10-15'],
  dussehra: ['2024-10-12', '2025-10-02', '2026-10-20', '2027-10-09', '2028-09-27'],
  navratri: ['2024-10-03', '2025-09-22', '2026-10-11', '2027-09-30', '2028-09-19'],
  'durga puja': ['2024-10-09', '2025-09-28', '2026-10-17', '2027-10-06', '2028-09-24'],
  'karwa chauth': ['2024-10-20', '2025-10-10', '2026-10-29', '2027-10-18', '2028-10-07'],
  'ganesh chaturthi': ['2024-09-07', '2025-08-27', '2026-09-14', '2027-09-04', '2028-08-23'],
  onam: ['2024-09-15', '2025-09-05', '2026-08-26', '2027-09-12', '2028-09-01'],
  'raksha bandhan': ['2024-08-19', '2025-08-09', '2026-08-28', '2027-08-17', '2028-08-05'],
  rakhi: ['2024-08-19', '2025-08-09', '2026-08-28', '2027-08-17', '2028-08-05'],
  'akshaya tritiya': ['2024-05-10', '2025-04-30', '2026-04-19', '2027-05-09', '2028-04-27'],
  holi: ['2024-03-25', '2025-03-14', '2026-03-04', '2027-03-22', '2028-03-11'],
  eid: ['2024-04-11', '2025-03-31', '2026-03-21', '2027-03-10', '2028-02-27'],
};

/** Month and day of feasts that do not move. */
const FIXED: Readonly<Record<string, string>> = {
  christmas: '12-25',
  'new year': '01-01',
  'republic day': '01-26',
  'independence day': '08-15',
  pongal: '01-14',
  "valentine's day": '02-14',
};

const NAMES = [...Object.keys(MOVING), 'deepavali', ...Object.keys(FIXED)];
/** A festival with its year, when the text has one. */
export const FESTIVAL = new RegExp(`(?:the )?(${NAMES.join('|')})(?: (?:of )?(\\d{4}))?`, 'i');

/**
 * The day of a festival.
 * @param name as `FESTIVAL` finds it
 * @param year null for the last one until `today`
 * @param today IST day, `YYYY-MM-DD`
 * @returns null for a year that the table lacks
 */
export function festivalDay(name: string, year: number | null, today: string): string | null {
  const key = name.toLowerCase().replace('deepavali', 'diwali');
  const fixed = FIXED[key];
  const days = fixed
    ? [1, 0].map((back) => `${Number(today.slice(0, 4)) - back}-${fixed}`).concat(year ? [`${year}-${fixed}`] : [])
    : (MOVING[key] ?? []);
  if (year !== null) return days.find((day) => day.startsWith(String(year))) ?? null;
  return (
    days
      .filter((day) => day <= today)
      .sort()
      .at(-1) ?? null
  );
}

interface FiscalPeriod {
  /** As results name it: `Q2 FY27`, `H1 FY27`, `FY26`. */
  readonly name: string;
  /** IST days, the second one left out. */
  readonly from: string;
  readonly to: string;
}

const two = (year: number): string => String(year % 100).padStart(2, '0');

/** @param year the one in which the fiscal year ends */
export function fiscalPeriod(part: string, year: number): FiscalPeriod {
  const [first, months] = part.startsWith('Q')
    ? [(Number(part[1]) - 1) * 3, 3]
    : part.startsWith('H')
      ? [(Number(part[1]) - 1) * 6, 6]
      : [0, 12];
  return {
    name: `${part}${part ? ' ' : ''}FY${two(year)}`,
    from: monthStart(year - 1, 4 + first),
    to: monthStart(year - 1, 4 + first + months),
  };
}

const MONTH_OF_QUARTER: Readonly<Record<string, number>> = { june: 1, september: 2, december: 3, march: 4 };
const WORD_OF_QUARTER: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4 };

const NAMED =
  /\b(?:(q[1-4]|[1-4]q|h[12])\s*(?:of\s*)?)?(?:fy|fiscal(?: year)?|financial year)\s?'?(?:20)?(\d\d)(?:\s?-\s?(?:20)?(\d\d))?\b/i;
const REVERSED = /\bfy\s?'?(?:20)?(\d\d)(?:\s?-\s?(?:20)?(\d\d))?\s+(q[1-4]|[1-4]q|h[12])\b/i;
const ALONE =
  /\b(q[1-4]|[1-4]q|h[12])(?:\s+(?:of\s+)?(?:(20\d\d)|(this|last|previous)\s+(?:fiscal|financial year|year|fy)))?\b/i;
const part = (text: string | undefined): string => (text ?? '').toUpperCase().replace(/^([1-4])Q$/, 'Q$1');
const QUARTER =
  /\b(?:(june|september|december|march|first|second|third|fourth)[ -]quarter)(?:\s+(?:of\s+)?(?:(20\d\d)|fy\s?'?(\d\d)))?/i;

/** The newest period of that name which had begun by `today`. */
function latest(part: string, today: string): FiscalPeriod {
  const year = fiscalYear(today);
  const period = fiscalPeriod(part, year);
  return period.to <= today ? period : fiscalPeriod(part, period.from <= today ? year : year - 1);
}

interface FoundPeriod extends FiscalPeriod {
  readonly start: number;
  readonly end: number;
}

/** The fiscal period that a text names, with the place of its words. @param today IST day */
export function fiscalIn(text: string, today: string): FoundPeriod | null {
  const at = (match: RegExpExecArray, period: FiscalPeriod): FoundPeriod => ({
    ...period,
    start: match.index,
    end: match.index + match[0].length,
  });
  const quarter = QUARTER.exec(text);
  if (quarter) {
    const word = quarter[1]?.toLowerCase() ?? '';
    const number = MONTH_OF_QUARTER[word] ?? WORD_OF_QUARTER[word] ?? 1;
    // A quarter by its last month belongs to the calendar year of that month.
    const calendar = quarter[2] ? Number(quarter[2]) + (number === 4 ? 0 : 1) : null;
    const year = quarter[3] ? 2000 + Number(quarter[3]) : calendar;
    return at(quarter, year === null ? latest(`Q${number}`, today) : fiscalPeriod(`Q${number}`, year));
  }
  const reversed = REVERSED.exec(text);
  if (reversed) return at(reversed, fiscalPeriod(part(reversed[3]), 2000 + Number(reversed[2] ?? reversed[1])));
  const named = NAMED.exec(text);
  if (named) return at(named, fiscalPeriod(part(named[1]), 2000 + Number(named[3] ?? named[2])));
  const alone = ALONE.exec(text);
  if (!alone) return null;
  const year = fiscalYear(today) - (alone[3] && /last|previous/i.test(alone[3]) ? 1 : 0);
  if (alone[3]) return at(alone, fiscalPeriod(part(alone[1]), year));
  // A quarter by a calendar year is of the fiscal year in which it lies: Q4 2026 ended in March 2026.
  if (alone[2])
    return at(alone, fiscalPeriod(part(alone[1]), Number(alone[2]) + (/^(?:Q4|H2)$/.test(part(alone[1])) ? 0 : 1)));
  return at(alone, latest(part(alone[1]), today));
}

/** `July 2026`: the month of an IST day. */
export const monthOf = (day: string): string => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
