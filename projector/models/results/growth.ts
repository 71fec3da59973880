/** Key numbers of a season, and the growth that is compared. Pure. */
import type { GroupSeason, KeyNumber } from '../../../schemas/group.ts';

/** In the order in which a company's figures are read. */
const METRICS = ['revenue', 'sales', 'GMV', 'profit', 'loss', 'ebitda', 'margin', 'volume'];

const placeOf = (metric: string): number => (METRICS.includes(metric) ? METRICS.indexOf(metric) : METRICS.length);

/** Company by company, each one's figures in the order in which they are read. */
export const inOrder = (numbers: readonly KeyNumber[]): KeyNumber[] =>
  numbers.toSorted(
    (one, other) =>
      (one.company < other.company ? -1 : one.company > other.company ? 1 : 0) ||
      placeOf(one.metric) - placeOf(other.metric) ||
      (one.metric < other.metric ? -1 : 1),
  );

const REVENUE = ['revenue', 'sales'];

/**
 * The growth of each company, highest first: of revenue, or of sales where no revenue is told. Where no company tells
 * either, the growth of profit is compared.
 */
export function growthOf(numbers: readonly KeyNumber[]): GroupSeason['growth'] {
  const grown = (metrics: readonly string[]): GroupSeason['growth'] => {
    const best = new Map<string, GroupSeason['growth'][number]>();
    for (const { company, company_slug, metric, growth_pct } of inOrder(numbers))
      if (growth_pct !== null && metrics.includes(metric) && !best.has(company_slug))
        best.set(company_slug, { company, company_slug, metric, growth_pct });
    return [...best.values()].sort((one, other) => other.growth_pct - one.growth_pct);
  };
  const revenue = grown(REVENUE);
  return revenue.length > 0 ? revenue : grown(['profit']);
}
