/** Money of deals, as answers add it up. */
import { type Figure, findFigures } from '../../ingest/understand/figures.ts';
import type { Evidence } from '../evidence.ts';

export interface MoneyTold {
  readonly evidence: Evidence;
  readonly brand: string | null;
  readonly currency: string;
  /** In units of the currency, rupees or dollars. */
  readonly value: number;
  /** As the signal writes it. */
  readonly written: string;
}

/** What a dollar and other moneys count in rupees when amounts of several are compared; said wherever it is used. */
export const RUPEES: Readonly<Record<string, number>> = { INR: 1, USD: 88, EUR: 102, GBP: 118 };

const CRORE = 1e7;
/** Less is the price of a share or a product, not what a company raised. */
const LEAST_DEAL = 1e6;

/** The figure of an amount where the stored text writes it, so that it can be cited as it stands there. */
function written(stored: string, amount: Figure): string | null {
  const line = stored.split('\n');
  for (const text of line) {
    const found = findFigures(text).find(
      ({ kind, value, unit }) =>
        kind === 'money' && unit === amount.unit && Math.abs(value - amount.value) < amount.value / 1e6,
    );
    if (found) return text.slice(found.start, found.end);
  }
  return null;
}

const TYPES = { raised: ['funding', 'stake_sale'], spent: ['acquisition'] } as const;
/** Money that is sought is not raised yet. */
const SOUGHT =
  /\b(?:to raise|seeks?|seeking|eyes|plans?|in talks|looks? to|in sight|ahead of|files|proposes?|may raise)\b/i;

/** Amounts that signals tell, one each: raised by the company whose deal it is, or spent by its buyer. */
export const moneyTold = (evidence: readonly Evidence[], what: 'raised' | 'spent'): MoneyTold[] =>
  evidence.flatMap((one) => {
    const { deal } = one.facts;
    if (!deal || deal.amount === null || !(TYPES[what] as readonly string[]).includes(deal.type)) return [];
    if (one.signal.move !== 'deals' || (what === 'raised' && SOUGHT.test(one.signal.headline))) return [];
    const amount = findFigures(deal.amount).find(({ kind }) => kind === 'money');
    const text = amount && written(one.stored, amount);
    if (!amount || !text || amount.value < LEAST_DEAL) return [];
    const names = what === 'raised' ? [deal.target] : deal.buyers;
    const brand = one.signal.brands.find(({ name }) => names.includes(name))?.slug ?? one.about[0] ?? null;
    return [{ evidence: one, brand, currency: amount.unit, value: amount.value, written: text }];
  });

const number = (value: number): string => value.toLocaleString('en-IN', { maximumFractionDigits: 2 });

/** A sum in the form of its currency: `₹590 crore`, `$82 million`. */
export function money(currency: string, value: number): string {
  if (currency === 'INR') return value >= CRORE ? `₹${number(value / CRORE)} crore` : `₹${number(value / 1e5)} lakh`;
  const sign = { USD: '$', EUR: '€', GBP: '£' }[currency] ?? `${currency} `;
  return value >= 1e9 ? `${sign}${number(value / 1e9)} billion` : `${sign}${number(value / 1e6)} million`;
}

/** The sums by currency, the largest first. */
export function sums(told: readonly MoneyTold[]): readonly { readonly currency: string; readonly value: number }[] {
  const by = new Map<string, number>();
  for (const { currency, value } of told) by.set(currency, (by.get(currency) ?? 0) + value);
  return [...by]
    .map(([currency, value]) => ({ currency, value }))
    .sort((one, other) => other.value * (RUPEES[other.currency] ?? 1) - one.value * (RUPEES[one.currency] ?? 1));
}

/** Sums of several currencies in rupees. */
export const inRupees = (told: readonly MoneyTold[]): number =>
  told.reduce((sum, { currency, value }) => sum + value * (RUPEES[currency] ?? 1), 0);
