/** A group of businesses in a results season, and the quarters of the Indian fiscal year. */
import { z } from 'zod';
import { CitedReport, SignalItem, SignalReference } from './resources.ts';
import { Instant, IstDay, StoredBrandSlug } from './scalar.ts';

/** A quarter of the Indian fiscal year, which starts on 1 April: `Q2 FY27` is July to September 2026. */
export const Quarter = z.string().regex(/^Q[1-4] FY\d\d$/, 'must be a quarter such as "Q2 FY27"');
export type Quarter = z.infer<typeof Quarter>;

export const Company = z.object({ name: z.string(), slug: StoredBrandSlug, url: z.string() });
export type Company = z.infer<typeof Company>;

export const KeyNumber = z.object({
  company: z.string(),
  company_slug: StoredBrandSlug,
  metric: z.string().describe('`revenue`, `profit`, `sales` and such'),
  value: z.string().nullable().describe('As the source wrote it'),
  growth_pct: z
    .number()
    .nullable()
    .describe('Against the same quarter of the year before, in per cent, where reported'),
  signal: SignalReference.describe('The report of the value, or of the growth where no value is reported'),
  ...CitedReport,
  growth_signal: SignalReference.nullable().describe('The report of the growth where `signal` does not state it'),
});
export type KeyNumber = z.infer<typeof KeyNumber>;

/** Everything of the answer but its chart, which is drawn from `growth`. */
export const GroupSeason = z.object({
  group: z.object({ name: z.string(), slug: z.string(), url: z.string() }),
  quarter: Quarter,
  quarter_since: IstDay.describe('First day of the quarter'),
  quarter_until: IstDay.describe('Last day of the quarter'),
  quarter_status: z
    .enum(['not_begun', 'running', 'ended'])
    .describe('Whether the quarter has begun and ended: no company reports before its end'),
  season: z.object({
    reported: z.int().nonnegative().describe('Companies of the group that reported the quarter'),
    expected: z.int().nonnegative().describe('Companies of the group that report results'),
    not_yet: z.array(Company).describe('Those that did not report yet'),
  }),
  growth: z
    .array(z.object({ company: z.string(), company_slug: StoredBrandSlug, metric: z.string(), growth_pct: z.number() }))
    .describe(
      'Growth by company, highest first: of revenue, else of sales; of profit where no company reports revenue',
    ),
  key_numbers: z.array(KeyNumber).describe('Company by company, the newest report of each metric'),
  moves: z.array(SignalItem).max(10).describe('The latest moves of the group, newest first'),
  moves_total: z.int().nonnegative().describe('Moves of the group in the last 90 days'),
  what_to_watch: z.array(
    z.object({
      text: z.string(),
      signal: SignalReference.nullable().describe('Null where counts alone say it'),
      outlet: CitedReport.outlet,
      source_url: CitedReport.source_url,
      published_at: Instant.nullable(),
    }),
  ),
});
export type GroupSeason = z.infer<typeof GroupSeason>;

export const GroupAnswer = GroupSeason.extend({
  chart_html: z.string().describe('Self-contained fragment: an inline SVG, and a table with the same figures'),
});
export type GroupAnswer = z.infer<typeof GroupAnswer>;

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
  // The quarter that ends the period: half a year that is still running has no results.
  const quarter = name.startsWith('Q') ? Number(name[1]) : name === 'H1' ? 2 : name === '9M' ? 3 : 4;
  const late = quarter > last.quarter && !(quarter === last.quarter + 1 && Number(day.slice(8)) > 20);
  return `${name} FY${String(late ? last.year - 1 : last.year).padStart(2, '0')}`;
}

/** `Q2 FY27`, of a quarter and a year of two digits. */
export const quarterName = ({ quarter, year }: { quarter: number; year: number }): Quarter =>
  `Q${quarter} FY${String(year % 100).padStart(2, '0')}`;

/** When a quarter is, as a number that grows from quarter to quarter. */
export const quarterOrder = (quarter: Quarter): number => Number(quarter.slice(-2)) * 4 + Number(quarter[1]);

/** First and last day of a quarter, YYYY-MM-DD in IST: Q2 FY27 is 1 July to 30 September 2026. */
export function quarterDays(quarter: Quarter): { readonly since: string; readonly until: string } {
  const [part, year] = [Number(quarter[1]), 2000 + Number(quarter.slice(-2))];
  const day = (month: number, date: number): string =>
    new Date(Date.UTC(year - 1, month, date)).toISOString().slice(0, 10);
  const first = part * 3;
  return { since: day(first, 1), until: day(first + 3, 0) };
}

/** The quarter that a month ends: `Sep 2026`. */
const MONTH_YEAR = /\b(june?|sept?(?:ember)?|dec(?:ember)?|mar(?:ch)?)\s+(20\d\d)\b/i;
const ENDS: Readonly<Record<string, number>> = { j: 1, s: 2, d: 3, m: 4 };

/**
 * A quarter as people write it: `Q2 FY27`, `2QFY27`, `q2 2026-27`, `Q2 2027`, `September quarter`, `Sep 2026`.
 * @param day today in IST, YYYY-MM-DD: a quarter without a year is the last one of that number
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
