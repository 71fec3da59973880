/** Rows of enforcement: one for each public signal of rules. */
import type { BrandSlug } from '../../schemas/scalar.ts';
import { aboutIn, countWhere, factTable, slugIn } from '../rows.ts';
import { Action, type Enforcement, EnforcementStatus } from './fields.ts';
import { enforcementOf } from './read.ts';

interface EnforcementRow extends Enforcement {
  readonly firm_slug: BrandSlug | null;
  readonly brands: readonly BrandSlug[];
}

export const enforcementTable = factTable<EnforcementRow>({
  table: 'enforcement',
  file: import.meta.url,
  columns: [
    {
      name: 'regulator',
      type: 'text',
      filter: 'regulator',
      title: 'Regulator or court',
      sort: 'regulator',
      describe: 'Null where the text names none',
    },
    { name: 'firm', type: 'text', sort: 'firm' },
    { name: 'firm_slug', type: 'name' },
    {
      name: 'action',
      type: 'name',
      required: true,
      filter: 'action',
      title: 'Action',
      values: Action.options,
      sort: 'action',
    },
    {
      name: 'status',
      type: 'name',
      filter: 'status',
      title: 'Status',
      values: EnforcementStatus.options,
      sort: 'status',
      describe: 'Null where the headline does not say how far it is',
    },
    // Slugs of the brands that the report is about.
    { name: 'brands', type: 'names', required: true, filter: 'brand', isInternal: true },
  ],
  indexes: [
    'CREATE INDEX enforcement_newest ON enforcement (reported_at, key, number) INCLUDE (status, action)',
    'CREATE INDEX enforcement_of_brand ON enforcement USING gin (brands)',
  ],
  totals: {
    decided: countWhere(`t.status IN ('decided', 'settled')`),
    open: countWhere(`t.status IN ('proposed', 'pending', 'appealed', 'stayed')`),
    overturned: countWhere(`t.status = 'set aside'`),
    unstated: countWhere('t.status IS NULL'),
  },
  rowsOf(text) {
    const stated = enforcementOf(text);
    return stated ? [{ ...stated, firm_slug: slugIn(text, stated.firm), brands: aboutIn(text) }] : [];
  },
  // The kind of move is that of the text: what a further report states of a case is in its words already.
  combine: (rows) => rows,
});
