/** Figures of a text for comparing two reports: ₹230 Cr, Rs 230 crore and INR 2.3 Bn are one. */
import { type Figure as FoundFigure, findFigures } from '../../language/figures.ts';
import { rupeeRange } from '../../language/money.ts';

export interface Figure {
  readonly value: number;
  /** `inr`, `usd` or another currency, `%` (basis points count as hundredths of it), `fy` for a fiscal year, `x` for times, `` for a count. */
  readonly unit: string;
}

export const isMoney = (figure: Figure): boolean => figure.unit === 'inr' || figure.unit === 'usd';

interface Placed {
  readonly start: number;
  readonly figure: Figure;
}

const MAXIMUM = 12;

const unitOf = ({ kind, unit }: FoundFigure): string =>
  kind === 'money' ? unit.toLowerCase() : kind === 'percent' || kind === 'bps' ? '%' : kind === 'multiple' ? 'x' : '';

/** A figure as it is compared; a range counts by both of its ends. */
function comparable(figure: FoundFigure): Figure[] {
  const [unit, factor] = [unitOf(figure), figure.kind === 'bps' ? 0.01 : 1];
  const ends = figure.high === figure.value ? [figure.value] : [figure.value, figure.high];
  return ends.map((value) => ({ value: value * factor, unit }));
}

/** A number that counts nothing the rules know, such as a share count: no year and nothing small. */
const BARE = /(?<![\w.,₹$])\d[\d,]*(?:\.\d+)?(?![\w%])/g;

/** A fiscal year. */
const FISCAL_YEAR = /\bFY\s?(?:20)?(\d\d)\b/gi;

const isYear = (value: number): boolean => value >= 1990 && value <= 2060;

function bareNumbers(text: string, others: readonly FoundFigure[]): Placed[] {
  return [...text.matchAll(BARE)].flatMap(({ 0: digits, index: start }) => {
    const value = Number(digits.replaceAll(',', ''));
    if (!(value >= 10) || isYear(value) || others.some((one) => start >= one.start && start < one.end)) return [];
    return [{ start, figure: { value, unit: '' } }];
  });
}

const fiscalYears = (text: string): Placed[] =>
  [...text.matchAll(FISCAL_YEAR)].map(({ 1: year, index: start }) => ({
    start,
    figure: { value: Number(year), unit: 'fy' },
  }));

/** Smaller counts occur everywhere; they agree with nothing. */
const MIN_COUNT = 5;
const isComparable = ({ value, unit }: Figure): boolean => value !== 0 && (unit !== '' || value >= MIN_COUNT);

/**
 * The first dozen figures of a report, as understanding finds them.
 * @returns those of the headline, and those of headline and summary together
 */
export function figuresOf(title: string, summary: string): { title: Figure[]; all: Figure[] } {
  const text = `${title} . ${summary}`;
  const figures = findFigures(text);
  const values = [
    ...figures.flatMap((one) => comparable(one).map((figure) => ({ start: one.start, figure }))),
    ...bareNumbers(text, figures),
    ...fiscalYears(text),
  ]
    .filter(({ figure }) => isComparable(figure))
    .slice(0, MAXIMUM);
  const inTitle = values.filter(({ start }) => start < title.length);
  return { title: inTitle.map(({ figure }) => figure), all: values.map(({ figure }) => figure) };
}

/** How well two figures agree: 1 for the same value within rounding, 0.5 for dollars given in rupees, else 0. */
export function agreement(a: Figure, b: Figure): number {
  if (a.unit === b.unit) {
    const larger = Math.max(Math.abs(a.value), Math.abs(b.value));
    return Math.abs(a.value - b.value) <= larger * (a.unit === '%' ? 0.005 : 0.006) ? 1 : 0;
  }
  const [rupees, dollars] = a.unit === 'inr' && b.unit === 'usd' ? [a, b] : [b, a];
  if (rupees.unit !== 'inr' || dollars.unit !== 'usd') return 0;
  const { low, high } = rupeeRange(dollars.value, 'USD');
  return rupees.value >= low && rupees.value <= high ? 0.5 : 0;
}

/** The best agreement of any figure of one with any of the other. */
export function bestAgreement(a: readonly Figure[], b: readonly Figure[]): number {
  let best = 0;
  for (const one of a) for (const other of b) best = Math.max(best, agreement(one, other));
  return best;
}
