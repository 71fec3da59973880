/** Figures of companies: revenue, profit and others, by period. */
import { defineFact } from '../fact.ts';
import { joined, percentInWords } from '../wording.ts';
import { isExpected, results as stored } from './fields.ts';
import { resultsReading } from './read.ts';
import { resultsTable } from './table.ts';

export const results = defineFact({
  kind: 'results',
  stored,
  read: resultsReading,
  table: resultsTable,
  page: {
    title: 'Results of companies',
    about: 'Revenue, profit and other figures, by quarter.',
    columns: [
      { name: 'Company', shows: 'company', link: 'company_slug' },
      { name: 'Quarter', shows: 'period', highFirst: true, longest: 20 },
      { name: 'Metric', shows: 'metric', isLabel: true },
      { name: 'Value', shows: 'value', isFigure: true, longest: 30 },
      { name: 'Growth', shows: 'growth_pct', highFirst: true },
    ],
    totals: [
      ['up', 'figures that grew'],
      ['down', 'figures that fell'],
      ['without', 'without a stated growth'],
    ],
    note: '{rows}. A row is one metric of one company and period, as reported; targets and forecasts have “expected” in their metric. Values are not added up.',
  },
  form: {
    title: 'Results',
    phrase: 'the results',
    parts: ['company', 'period', 'metric', 'value', ['growth_pct', 'growth in per cent']],
  },
  ask: {
    move: 'results',
    line: ({ company, period, metric, value, growth_pct }) => ({
      name: 'Result',
      value: joined([
        company,
        joined([metric.replaceAll(/[_-]/g, ' '), value], ' '),
        growth_pct !== null && percentInWords(growth_pct),
        period,
      ]),
      words: [value ?? (growth_pct === null ? null : `${Math.abs(growth_pct)}%`), company],
    }),
    columns: ['Company', 'Period', 'Metric', 'Value', 'Growth'],
    isListed: ({ metric, value, growth_pct }) => !isExpected(metric) && (value !== null || growth_pct !== null),
    cells: ({ company, period, metric, value, growth_pct }) => [
      company,
      period,
      metric,
      value,
      growth_pct === null ? null : `${growth_pct}%`,
    ],
  },
  example: { company: 'Kiri Foods', period: 'Q2 FY27', metric: 'revenue', value: '₹230 Cr', growth_pct: 18 },
});
