/** Sums of money in several currencies, for comparing them. */

/**
 * Rupees to a unit of each currency: the reference rates of Financial Benchmarks India (fbil.org.in) at the end of August
 * 2025, rounded. An answer that compares sums at these rates says so. When they are raised, raise the date here.
 */
export const RUPEES: Readonly<Record<string, number>> = { INR: 1, USD: 88, EUR: 102, GBP: 118 };

/** Rates of several years, and the rounding of two newsrooms, differ by this factor from `RUPEES`. */
const SPREAD = 1.15;

/** A sum in rupees at the lowest and at the highest rate; of a currency without a rate, the plain sum. */
export const rupeeRange = (value: number, currency: string): { readonly low: number; readonly high: number } => {
  const rate = RUPEES[currency] ?? 1;
  return rate === 1 ? { low: value, high: value } : { low: (value * rate) / SPREAD, high: value * rate * SPREAD };
};

/** A sum in rupees; of a currency without a rate and of what is no money, the plain sum. */
export const inRupees = (value: number, currency: string): number => value * (RUPEES[currency] ?? 1);

export const CRORE = 1e7;
const LAKH = 1e5;
const SIGNS: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£' };

const number = (value: number): string => value.toLocaleString('en-IN', { maximumFractionDigits: 2 });

/** A sum in the form of its currency: `₹590 crore`, `$82 million`; a plain number where the currency is empty. */
export function formatMoney(currency: string, value: number): string {
  if (currency === '') return number(value);
  if (currency === 'INR') return value >= CRORE ? `₹${number(value / CRORE)} crore` : `₹${number(value / LAKH)} lakh`;
  const sign = SIGNS[currency] ?? `${currency} `;
  return value >= 1e9 ? `${sign}${number(value / 1e9)} billion` : `${sign}${number(value / 1e6)} million`;
}
