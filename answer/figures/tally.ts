/** A measure taken brand by brand, each figure with the signals it was taken from. */
import type { Evidence } from '../evidence.ts';
import type { Measure } from '../question/intent.ts';
import { inRupees, money, moneyTold, sums } from './money.ts';
import { storesTold } from './stores.ts';

export interface Tally {
  /** Slug of the brand. */
  readonly brand: string;
  /** By which brands are compared. */
  readonly value: number;
  /** The figure in words, such as `12` or `₹590 crore and $12 million`. */
  readonly figure: string;
  readonly evidence: readonly Evidence[];
  /** True where amounts of several currencies were put together. */
  readonly mixed: boolean;
}

interface Told {
  readonly brand: string | null;
  readonly evidence: Evidence;
}

function byBrand<One extends Told>(told: readonly One[]): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of told) if (one.brand !== null) groups.set(one.brand, [...(groups.get(one.brand) ?? []), one]);
  return groups;
}

const tallies = <One extends Told>(
  told: readonly One[],
  measure: (group: readonly One[]) => Pick<Tally, 'value' | 'figure' | 'mixed'>,
): Tally[] =>
  [...byBrand(told)]
    .map(([brand, group]) => ({
      brand,
      ...measure(group),
      evidence: [...new Set(group.map(({ evidence }) => evidence))],
    }))
    .sort((one, other) => other.value - one.value || (one.brand < other.brand ? -1 : 1));

/**
 * Takes a measure of every brand that the evidence tells of, the most first.
 * @param cities of stores that count; all when there are none
 */
export function tally(evidence: readonly Evidence[], measure: Measure, cities: readonly string[]): Tally[] {
  if (measure.of === 'stores')
    return tallies(storesTold(evidence, measure.status, cities), (group) => {
      const value = group.reduce((sum, { stores }) => sum + stores, 0);
      return { value, figure: value.toLocaleString('en-IN'), mixed: false };
    });
  if (measure.of === 'moves') {
    const told = evidence.flatMap((one) => one.about.map((brand) => ({ brand, evidence: one })));
    return tallies(told, ({ length }) => ({ value: length, figure: String(length), mixed: false }));
  }
  return tallies(moneyTold(evidence, measure.of), (group) => {
    const totals = sums(group);
    const figure = totals.map(({ currency, value }) => money(currency, value)).join(' and ');
    // One amount alone is told as its signal writes it.
    const [only] = group;
    return {
      value: inRupees(group),
      figure: group.length === 1 && only ? only.written : figure,
      mixed: totals.length > 1,
    };
  });
}
