/** Figures that signals state: stores, money, and both added up by brand. */
import { type Figure, findFigures } from '../ingest/understand/figures.ts';
import type { BrandSlug } from '../schemas/scalar.ts';
import type { Opening } from '../schemas/story.ts';
import type { Measure } from './question/question-intent.ts';
import type { Evidence } from './retrieve-evidence.ts';

interface StatedAmount {
  readonly evidence: Evidence;
  readonly brand: BrandSlug | null;
  readonly currency: string;
  /** In units of the currency, rupees or dollars. */
  readonly value: number;
  /** As the signal writes it. */
  readonly written: string;
}

/** Exchange rates in rupees, for comparing amounts in several currencies; an answer that uses them says so. */
export const RUPEES: Readonly<Record<string, number>> = { INR: 1, USD: 88, EUR: 102, GBP: 118 };

const CRORE = 1e7;
/** A lower amount is the price of a share or a product, not what a company raised. */
const MIN_DEAL = 1e6;

/** The figure of an amount where the stored text writes it, so that it can be quoted. */
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
/** Words of a deal that is not closed yet. */
const SOUGHT =
  /\b(?:to raise|seeks?|seeking|eyes|plans?|in talks|looks? to|in sight|ahead of|files|proposes?|may raise)\b/i;

/** Amounts that signals state, one each: raised by the company whose deal it is, or spent by its buyer. */
export const statedAmounts = (evidence: readonly Evidence[], what: 'raised' | 'spent'): StatedAmount[] =>
  evidence.flatMap((one) => {
    const { deal } = one.facts;
    if (!deal || deal.amount === null || !(TYPES[what] as readonly string[]).includes(deal.type)) return [];
    if (one.signal.move !== 'deals' || (what === 'raised' && SOUGHT.test(one.signal.headline))) return [];
    const amount = findFigures(deal.amount).find(({ kind }) => kind === 'money');
    const text = amount && written(one.stored, amount);
    if (!amount || !text || amount.value < MIN_DEAL) return [];
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
export function sums(
  amounts: readonly StatedAmount[],
): readonly { readonly currency: string; readonly value: number }[] {
  const by = new Map<string, number>();
  for (const { currency, value } of amounts) by.set(currency, (by.get(currency) ?? 0) + value);
  return [...by]
    .map(([currency, value]) => ({ currency, value }))
    .sort((one, other) => other.value * (RUPEES[other.currency] ?? 1) - one.value * (RUPEES[one.currency] ?? 1));
}

/** Sums of several currencies in rupees. */
const inRupees = (amounts: readonly StatedAmount[]): number =>
  amounts.reduce((sum, { currency, value }) => sum + value * (RUPEES[currency] ?? 1), 0);

export type StoreStatus = 'opened' | 'closed' | 'planned';

/** A headline about planned stores. */
const PLANNED_WORDS =
  /\b(?:to open|to add|plans?|planning|will (?:open|add)|sets? (?:its )?sights|lines? up|chalks? out|eyes|eyeing|targets?|aims?|maps? out|by fy ?\d\d|by 20\d\d|intends?|in the works|expansion plan|over the next|blueprint)\b|-store expansion/i;
const GONE = /\b(?:loses|shuts?|shutters?|pulls? down|clos(?:es?|ed|ing)|winds? up|exits?|vacates)\b/i;
/** `reaches 840 stores`, `410th door`: a number that counts the whole chain, of which one is new. */
const CHAIN_TOTAL =
  /\b(?:reach(?:es|ed)?|cross(?:es|ed)?|hits?|completes?|touches|now (?:has|at)|takes .* (?:count|tally|total))\b|\d(?:st|nd|rd|th)\b/i;
const WORDS: Readonly<Record<string, number>> = {
  ...{ two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12 },
};
const LOOSE =
  /\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve)(?: (?!sq\b|per\b|pc\b|percent\b|years?\b|days?\b)[\w'’.&-]+){0,4} (?:stores?|outlets?|showrooms?|doors|cafes|shops|restaurants)\b/i;

const statusOf = (opening: Opening, headline: string): StoreStatus => {
  if (opening.status === 'closed' || GONE.test(headline)) return 'closed';
  if (PLANNED_WORDS.test(headline)) return 'planned';
  return opening.status === 'announced' || (opening.status === 'planned' && !CHAIN_TOTAL.test(headline))
    ? 'planned'
    : 'opened';
};

/** A number of new stores follows the verb, whatever the total of the chain is. */
const FRESH =
  /\b(?:adds?|opens?|opened|brings?|gets?|launches|unveils|cuts the ribbon on)\s+(?:another\s+)?(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve)\b(?![.,]\d|(?:st|nd|rd|th)\b|\s+sq\b)/i;

const NEWLY_CLOSED =
  /\b(?:closes?|closed|shuts?|shutters|loses|vacates)\s+(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve)\b(?![.,]\d)/i;
/** Headlines about what the chain has, not about an opening. */
const EXISTING = /\bnow has\b|\bdraws? (?:steady )?crowds\b/i;

/** The number of stores of an opening; one where it states none. */
function numberOf(opening: Opening, headline: string, status: StoreStatus): number {
  const stated = findFigures(headline).find(
    ({ kind, unit }) =>
      kind === 'count' && /stores?|outlets?|showrooms?|caf|restaurants?|doors|shops?|boutiques?/.test(unit),
  );
  const fresh = (status === 'closed' ? NEWLY_CLOSED : FRESH).exec(headline)?.[1]?.toLowerCase();
  if (fresh && (stated === undefined || LOOSE.test(headline))) return WORDS[fresh] ?? Number(fresh);
  if (
    CHAIN_TOTAL.test(headline) &&
    (stated === undefined || stated.value === opening.stores || opening.stores === null)
  )
    return 1;
  if (opening.stores !== null) return Math.max(1, opening.stores);
  if (stated) return Math.max(1, stated.value);
  const loose = LOOSE.exec(headline)?.[1]?.toLowerCase();
  return loose ? (WORDS[loose] ?? Number(loose)) : 1;
}

interface StatedStores {
  readonly evidence: Evidence;
  /** Slug of the brand whose stores they are; null where the signal names no brand for them. */
  readonly brand: BrandSlug | null;
  readonly city: string | null;
  readonly stores: number;
}

/**
 * Stores of one status, signal by signal. The headline decides where it says that stores are planned or closed.
 * @param cities counted are only stores in these, when there are any
 */
export const statedStores = (
  evidence: readonly Evidence[],
  status: StoreStatus,
  cities: readonly string[] = [],
): StatedStores[] =>
  evidence.flatMap((one) => {
    const { signal, facts } = one;
    if (signal.move !== 'stores' && signal.move !== 'strategy') return [];
    if (EXISTING.test(signal.headline)) return [];
    return facts.openings
      .filter((opening) => statusOf(opening, signal.headline) === status)
      .filter(({ city }) => cities.length === 0 || city === null || cities.includes(city))
      .map((opening) => ({
        evidence: one,
        brand: signal.brands.find(({ name }) => name === opening.brand)?.slug ?? one.about[0] ?? null,
        city: opening.city,
        stores: numberOf(opening, signal.headline, status),
      }));
  });

export interface Tally {
  /** Slug of the brand. */
  readonly brand: BrandSlug;
  /** By which brands are compared. */
  readonly value: number;
  /** The figure in words, such as `12` or `₹590 crore and $12 million`. */
  readonly figure: string;
  readonly evidence: readonly Evidence[];
  /** True where amounts of several currencies were put together. */
  readonly mixed: boolean;
}

interface Stated {
  readonly brand: BrandSlug | null;
  readonly evidence: Evidence;
}

function byBrand<One extends Stated>(stated: readonly One[]): Map<BrandSlug, One[]> {
  const groups = new Map<BrandSlug, One[]>();
  for (const one of stated) if (one.brand !== null) groups.set(one.brand, [...(groups.get(one.brand) ?? []), one]);
  return groups;
}

const tallies = <One extends Stated>(
  stated: readonly One[],
  measure: (group: readonly One[]) => Pick<Tally, 'value' | 'figure' | 'mixed'>,
): Tally[] =>
  [...byBrand(stated)]
    .map(([brand, group]) => ({
      brand,
      ...measure(group),
      evidence: [...new Set(group.map(({ evidence }) => evidence))],
    }))
    .sort((one, other) => other.value - one.value || (one.brand < other.brand ? -1 : 1));

/**
 * Adds up a measure for every brand that the evidence is about, the highest first.
 * @param cities of stores that count; all when there are none
 */
export function tally(evidence: readonly Evidence[], measure: Measure, cities: readonly string[]): Tally[] {
  if (measure.of === 'stores')
    return tallies(statedStores(evidence, measure.status, cities), (group) => {
      const value = group.reduce((sum, { stores }) => sum + stores, 0);
      return { value, figure: value.toLocaleString('en-IN'), mixed: false };
    });
  if (measure.of === 'moves') {
    const moves = evidence.flatMap((one) => one.about.map((brand) => ({ brand, evidence: one })));
    return tallies(moves, ({ length }) => ({ value: length, figure: String(length), mixed: false }));
  }
  return tallies(statedAmounts(evidence, measure.of), (group) => {
    const totals = sums(group);
    const figure = totals.map(({ currency, value }) => money(currency, value)).join(' and ');
    // A single amount is quoted as its signal writes it.
    const [only] = group;
    return {
      value: inRupees(group),
      figure: group.length === 1 && only ? only.written : figure,
      mixed: totals.length > 1,
    };
  });
}
