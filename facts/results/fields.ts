import { z } from 'zod';
import { storedFact } from '../../schemas/stored-fact.ts';

/** A figure of a company, of one metric and period. */
export const Result = z.object({
  company: z.string(),
  /** `Q1 FY27`, `FY26`, `H1 FY27`; the Indian fiscal year starts on 1 April. */
  period: z.string().nullable(),
  /** `revenue`; `fmcg revenue` of a part of the company; `expected revenue` of a target or forecast. */
  metric: z.string(),
  value: z.string().nullable(),
  growth_pct: z.number().nullable(),
});
export type Result = z.infer<typeof Result>;

/** Whether a metric is of figures that are still to come, a target or forecast: `expected revenue`, `outlook`. */
export const isExpected = (metric: string): boolean => metric === 'outlook' || metric.startsWith('expected ');

export const results = storedFact({
  schema: Result,
  fields: {
    result: Result.nullable(),
    /** Further figures of the same company and period, each of another metric; unset where there are none. */
    other_results: z.array(Result).optional(),
  },
  field: 'result',
  details: ({ value }) => value,
  words: ({ company, period, metric, value, growth_pct }) => [
    company,
    period,
    metric,
    value,
    growth_pct === null ? null : `${growth_pct} %`,
  ],
});
