/** Figures of a text by value and unit, for comparing two tellings: ₹230 Cr, Rs 230 crore and INR 2.3 Bn are one. */

export interface Figure {
  readonly value: number;
  /** `inr`, `usd`, `%` (basis points count as hundredths of it), or `` for a plain count. */
  readonly unit: 'inr' | 'usd' | '%' | '';
}

const FIGURE =
  /(₹|\brs\.?|\binr|us\$|\$|\busd)?\s?(\d[\d,]*(?:\.\d+)?)\s?(?:-|\s)?(lakh crores?|lakh cr|crores?|cr|lakhs?|billion|bn|b|million|mn|m|thousand|k|per cent|percent|pc|%|bps|basis points)?(?![\w])/gi;
const SCALE: Record<string, number> = {
  lakh: 1e5,
  lakhs: 1e5,
  crore: 1e7,
  crores: 1e7,
  cr: 1e7,
  'lakh crore': 1e12,
  'lakh crores': 1e12,
  'lakh cr': 1e12,
  billion: 1e9,
  bn: 1e9,
  b: 1e9,
  million: 1e6,
  mn: 1e6,
  m: 1e6,
  thousand: 1e3,
  k: 1e3,
};
const PERCENT = new Set(['per cent', 'percent', 'pc', '%']);
const BASIS = new Set(['bps', 'basis points']);
const MAXIMUM = 12;

function unitOf(currency: string, scale: string): Figure['unit'] {
  if (/₹|rs|inr/i.test(currency)) return 'inr';
  if (/\$|usd/i.test(currency)) return 'usd';
  return /cr|lakh crore/.test(scale) ? 'inr' : '';
}

/**
 * The first dozen figures of a text. Years, and single digits without a unit, tell nothing and are left out.
 * @param text any text; only its first 2,000 characters are read
 */
export function figuresOf(text: string): Figure[] {
  const found: Figure[] = [];
  for (const [, currency = '', digits = '', suffix = ''] of text.slice(0, 2_000).matchAll(FIGURE)) {
    const scale = suffix.toLowerCase();
    const number = Number(digits.replaceAll(',', ''));
    if (!Number.isFinite(number) || number === 0) continue;
    if (PERCENT.has(scale)) found.push({ value: number, unit: '%' });
    else if (BASIS.has(scale)) found.push({ value: number / 100, unit: '%' });
    else if (currency || scale) found.push({ value: number * (SCALE[scale] ?? 1), unit: unitOf(currency, scale) });
    else if (number >= 10 && !(number >= 1990 && number <= 2060)) found.push({ value: number, unit: '' });
    if (found.length >= MAXIMUM) break;
  }
  return found;
}

/** Rupees to a dollar, wide enough for years of exchange rates and the rounding of two newsrooms. */
const RUPEES = [80, 102] as const;

/** How well two figures agree: 1 for the same value within rounding, 0.5 for dollars told in rupees, else 0. */
export function agreement(a: Figure, b: Figure): number {
  if (a.unit === b.unit) {
    const larger = Math.max(a.value, b.value);
    return Math.abs(a.value - b.value) <= larger * (a.unit === '%' ? 0.005 : 0.006) ? 1 : 0;
  }
  const [rupees, dollars] = a.unit === 'inr' && b.unit === 'usd' ? [a, b] : [b, a];
  if (rupees.unit !== 'inr' || dollars.unit !== 'usd') return 0;
  const rate = rupees.value / dollars.value;
  return rate >= RUPEES[0] && rate <= RUPEES[1] ? 0.5 : 0;
}
