/** Rows of results: one for each figure of a company that a public signal reports. */
import { statedFacts } from '../../schemas/facts.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { completed, completedRows, countWhere, factTable, type Origin, slugIn } from '../rows.ts';
import type { Result } from './fields.ts';

/** A result, with the slug of its company where the text names the company. */
interface ResultRow extends Result {
  readonly company_slug: BrandSlug | null;
}
type Stated = ResultRow & Origin;

const isSameMetric = (one: Stated, other: Stated): boolean =>
  one.company === other.company &&
  one.metric === other.metric &&
  (one.period === null || other.period === null || one.period === other.period);

export const resultsTable = factTable<ResultRow>({
  table: 'results',
  file: import.meta.url,
  columns: [
    { name: 'company', type: 'text', required: true, sort: 'company' },
    { name: 'company_slug', type: 'name', filter: 'brand' },
    {
      name: 'period',
      type: 'text',
      filter: 'quarter',
      title: 'Quarter',
      sort: 'quarter',
      // By year, and within it by quarter.
      sortedBy: `right(t.period, 4) || ' ' || left(t.period, 10)`,
      describe: 'As reported: Q2 FY27, H1 FY27, FY26',
    },
    { name: 'metric', type: 'text', required: true, filter: 'metric', title: 'Metric', sort: 'metric' },
    { name: 'value', type: 'text', describe: 'As the source wrote it' },
    { name: 'growth_pct', type: 'number', sort: 'growth' },
  ],
  indexes: [
    'CREATE INDEX results_of_company ON results (company_slug, period, reported_at, key)',
    'CREATE INDEX results_newest ON results (reported_at, key, number) INCLUDE (company_slug, growth_pct)',
    `CREATE INDEX results_of_period ON results (period, reported_at, key) INCLUDE (company_slug)
      WHERE value IS NOT NULL OR growth_pct IS NOT NULL`,
  ],
  // A report without a figure says that a company reported, and nothing else.
  listed: '(t.value IS NOT NULL OR t.growth_pct IS NOT NULL)',
  totals: {
    up: countWhere('t.growth_pct > 0'),
    down: countWhere('t.growth_pct < 0'),
    without: countWhere('t.growth_pct IS NULL'),
  },
  rowsOf: (text) => statedFacts(text, 'results').map((one) => ({ ...one, company_slug: slugIn(text, one.company) })),
  // A metric gets the value or growth that it lacks, a new one is added.
  combine: (rows, more) =>
    completedRows(rows, more, isSameMetric, (row, other) =>
      completed(row, other, ['period', 'value', 'growth_pct', 'company_slug']),
    ),
});
