/** Rows of deals: one for each deal that a public signal reports. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import { aboutIn, completed, countWhere, type FactText, factTable, type Origin, slugIn, union } from '../rows.ts';
import { Deal } from './fields.ts';

/** A deal, with the slugs under which its text names the parties. */
interface DealRow extends Deal {
  readonly status: Exclude<Deal['status'], undefined>;
  readonly target_slug: BrandSlug | null;
  readonly brands: readonly BrandSlug[];
}
type Stated = DealRow & Origin;

function rowsOf(text: FactText): DealRow[] {
  const { deal } = text;
  if (deal === null) return [];
  const target_slug = slugIn(text, deal.target);
  const parties = deal.buyers.flatMap((buyer) => slugIn(text, buyer) ?? []);
  const brands = [...new Set([...(target_slug ? [target_slug] : []), ...parties, ...aboutIn(text)])];
  return [{ ...deal, status: deal.status ?? null, target_slug, brands }];
}

/** One signal has one deal: a further report completes it, where it speaks of a deal of the same type. */
const combine = (rows: readonly Stated[], more: readonly Stated[]): readonly Stated[] => {
  const [same, other] = [rows[0], more[0]];
  if (!same || !other) return same ? rows : more;
  if (same.type !== other.type) return rows;
  const filled = completed(same, other, ['amount', 'target', 'target_slug', 'status']);
  return [{ ...filled, buyers: union(same.buyers, other.buyers), brands: union(same.brands, other.brands) }];
};

export const dealsTable = factTable<DealRow>({
  table: 'deals',
  file: import.meta.url,
  columns: [
    {
      name: 'type',
      type: 'name',
      required: true,
      filter: 'type',
      title: 'Type',
      values: Deal.shape.type.options,
      sort: 'type',
    },
    {
      name: 'status',
      type: 'name',
      filter: 'status',
      title: 'Status',
      values: Deal.shape.status.unwrap().unwrap().options,
      sort: 'status',
      describe: 'Null where the headline does not say how far it is',
    },
    { name: 'amount', type: 'text', describe: 'As reported' },
    { name: 'target', type: 'text', sort: 'company' },
    { name: 'target_slug', type: 'name' },
    { name: 'buyers', type: 'names', required: true },
    // Slugs of the brands that the report is about.
    { name: 'brands', type: 'names', required: true, filter: 'brand', isInternal: true },
  ],
  indexes: [
    'CREATE INDEX deals_newest ON deals (reported_at, key, number) INCLUDE (type, status)',
    'CREATE INDEX deals_of_brand ON deals USING gin (brands)',
  ],
  totals: {
    completed: countWhere(`t.status = 'completed'`),
    agreed: countWhere(`t.status = 'agreed'`),
    rumoured: countWhere(`t.status = 'rumoured'`),
    unstated: countWhere('t.status IS NULL'),
  },
  rowsOf,
  combine,
});
