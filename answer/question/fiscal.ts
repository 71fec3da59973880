/** Periods of the Indian fiscal year: Q1 FY27 is April to June 2026. */
import { fiscalYear, monthStart } from './days.ts';

export interface FiscalPeriod {
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
  /\b(?:(q[1-4]|h[12])\s*(?:of\s*)?)?(?:fy|fiscal(?: year)?|financial year)\s?'?(?:20)?(\d\d)(?:\s?-\s?(?:20)?(\d\d))?\b/i;
const ALONE = /\b(q[1-4]|h[12])(?:\s+(20\d\d))?\b/i;
const QUARTER =
  /\b(?:(june|september|december|march|first|second|third|fourth)[ -]quarter)(?:\s+(?:of\s+)?(?:(20\d\d)|fy\s?'?(\d\d)))?/i;

/** The newest period of that name which had begun by `today`. */
function latest(part: string, today: string): FiscalPeriod {
  const year = fiscalYear(today);
  const period = fiscalPeriod(part, year);
  return period.to <= today ? period : fiscalPeriod(part, period.from <= today ? year : year - 1);
}

export interface FoundPeriod extends FiscalPeriod {
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
  const named = NAMED.exec(text);
  if (named) return at(named, fiscalPeriod(named[1]?.toUpperCase() ?? '', 2000 + Number(named[3] ?? named[2])));
  const alone = ALONE.exec(text);
  return alone ? at(alone, latest(alone[1]?.toUpperCase() ?? '', today)) : null;
}
