/** Periods of the Indian fiscal year, which starts on 1 April: `Q2 FY27` is July to September 2026. Days are IST days. */
import { Quarter } from '../schemas/moves-by-kind.ts';
import { monthStart, plusDays } from './days.ts';

/** The fiscal year of a day: 2027 for 1 April 2026 to 31 March 2027. */
export const fiscalYear = (day: string): number => Number(day.slice(0, 4)) + (Number(day.slice(5, 7)) >= 4 ? 1 : 0);

const two = (year: number): string => String(year % 100).padStart(2, '0');

interface FiscalPeriod {
  /** As results name it: `Q2 FY27`, `H1 FY27`, `FY26`. */
  readonly name: string;
  /** IST days, the second one left out. */
  readonly from: string;
  readonly to: string;
}

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
const partName = (text: string | undefined): string => (text ?? '').toUpperCase().replace(/^([1-4])Q$/, 'Q$1');
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
  if (reversed) return at(reversed, fiscalPeriod(partName(reversed[3]), 2000 + Number(reversed[2] ?? reversed[1])));
  const named = NAMED.exec(text);
  if (named) return at(named, fiscalPeriod(partName(named[1]), 2000 + Number(named[3] ?? named[2])));
  const alone = ALONE.exec(text);
  if (!alone) return null;
  const year = fiscalYear(today) - (alone[3] && /last|previous/i.test(alone[3]) ? 1 : 0);
  if (alone[3]) return at(alone, fiscalPeriod(partName(alone[1]), year));
  // A quarter by a calendar year is of the fiscal year in which it lies: Q4 2026 ended in March 2026.
  if (alone[2])
    return at(
      alone,
      fiscalPeriod(partName(alone[1]), Number(alone[2]) + (/^(?:Q4|H2)$/.test(partName(alone[1])) ? 0 : 1)),
    );
  return at(alone, latest(partName(alone[1]), today));
}

// Quarters as results name them.

interface QuarterNumber {
  readonly quarter: number;
  /** The one in which the fiscal year ends. */
  readonly year: number;
}

/** The quarter of a day, or one of those before it. @param back how many quarters before */
export function quarterOf(day: string, back = 0): QuarterNumber {
  const running = Math.floor(((Number(day.slice(5, 7)) + 8) % 12) / 3);
  const all = fiscalYear(day) * 4 + running - back;
  return { quarter: (all % 4) + 1, year: Math.floor(all / 4) };
}

/** `Q2 FY27`. */
export const quarterName = ({ quarter, year }: QuarterNumber): Quarter => fiscalPeriod(`Q${quarter}`, year).name;

/** When a quarter is, as a number that grows from quarter to quarter. */
export const quarterOrder = (quarter: Quarter): number => Number(quarter.slice(-2)) * 4 + Number(quarter[1]);

/** First and last day of a quarter: `Q2 FY27` is 2026-07-01 to 2026-09-30. */
export function quarterDays(quarter: Quarter): { readonly since: string; readonly until: string } {
  const { from, to } = fiscalPeriod(quarter.slice(0, 2), 2000 + Number(quarter.slice(-2)));
  return { since: from, until: plusDays(to, -1) };
}

const FULL_YEAR = /\b(?:fy|fiscal(?: year)?|financial year)\s?'?(?:20)?(\d\d)(?:\s?[-–]\s?(?:20)?(\d\d))?\b/i;
const NAMED_QUARTERS: readonly (readonly [RegExp, number])[] = [
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
  const named = part ? undefined : NAMED_QUARTERS.find(([form]) => form.test(text));
  const name = part?.[1]?.toUpperCase() ?? (named && `Q${named[1]}`);
  if (!name) return yearOf === null ? null : `FY${two(yearOf)}`;
  const own = part?.[2] ? Number(part[2]) : yearOf;
  if (own !== null) return `${name} FY${two(own)}`;
  if (!day) return null;
  const last = quarterOf(day, 1);
  // The quarter that ends the period: half a year that is still running has no results.
  const quarter = name.startsWith('Q') ? Number(name[1]) : name === 'H1' ? 2 : name === '9M' ? 3 : 4;
  const late = quarter > last.quarter && !(quarter === last.quarter + 1 && Number(day.slice(8)) > 20);
  return `${name} FY${two(late ? last.year - 1 : last.year)}`;
}

/** The quarter that a month ends: `Sep 2026`. */
const MONTH_YEAR = /\b(june?|sept?(?:ember)?|dec(?:ember)?|mar(?:ch)?)\s+(20\d\d)\b/i;
const ENDS: Readonly<Record<string, number>> = { j: 1, s: 2, d: 3, m: 4 };

/**
 * A quarter as people write it: `Q2 FY27`, `2QFY27`, `q2 2026-27`, `Q2 2027`, `September quarter`, `Sep 2026`.
 * @param day today: a quarter without a year is the last one of that number
 * @returns null for what names no quarter
 */
export function readQuarter(text: string, day: string): Quarter | null {
  const month = MONTH_YEAR.exec(text);
  if (month) {
    const quarter = ENDS[(month[1] ?? '')[0]?.toLowerCase() ?? ''] ?? 0;
    return quarterName({ quarter, year: Number(month[2]) + (quarter === 4 ? 0 : 1) });
  }
  const plain = text
    .replace(/\b([1-4])\s?q/i, 'Q$1 ')
    .replace(/\bq\s([1-4])\b/i, 'Q$1')
    .replace(/(?:\bfy\s?)?20\d\d\s?[-–/]\s?(?:20)?(\d\d)\b/i, 'FY$1')
    .replace(/(?<!fy\s?)\b20(\d\d)\b/i, 'FY$1');
  return Quarter.safeParse(periodIn(plain, day)).data ?? null;
}
