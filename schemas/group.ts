/** A group of businesses in a results season. */
import { z } from 'zod';
import { CitedReport, SignalReference } from './reference.ts';
import { SignalItem } from './resources.ts';
import { Instant, IstDay } from './scalar.ts';

/** A quarter of the Indian fiscal year, which starts on 1 April: `Q2 FY27` is July to September 2026. */
export const Quarter = z.string().regex(/^Q[1-4] FY\d\d$/, 'must be a quarter such as "Q2 FY27"');
export type Quarter = z.infer<typeof Quarter>;

export const Company = z.object({ name: z.string(), slug: z.string(), url: z.string() });
export type Company = z.infer<typeof Company>;

export const KeyNumber = z.object({
  company: z.string(),
  company_slug: z.string(),
  metric: z.string().describe('`revenue`, `profit`, `sales` and such'),
  value: z.string().nullable().describe('As the source wrote it'),
  growth_pct: z.number().nullable().describe('Against the same quarter of the year before, in per cent, where told'),
  signal: SignalReference.describe('The report of the value, or of the growth where no value is reported'),
  ...CitedReport,
  growth_signal: SignalReference.nullable().describe('The report of the growth where `signal` does not state it'),
});
export type KeyNumber = z.infer<typeof KeyNumber>;

/** Everything of the answer but its chart, which is drawn from `growth`. */
export const GroupSeason = z.object({
  group: z.object({ name: z.string(), slug: z.string(), url: z.string() }),
  quarter: Quarter,
  quarter_since: IstDay.describe('First day of the quarter'),
  quarter_until: IstDay.describe('Last day of the quarter'),
  quarter_status: z
    .enum(['not_begun', 'running', 'ended'])
    .describe('Whether the quarter has begun and ended: nobody reports one that has not'),
  season: z.object({
    reported: z.int().nonnegative().describe('Companies of the group that reported the quarter'),
    expected: z.int().nonnegative().describe('Companies of the group that report results'),
    not_yet: z.array(Company).describe('Those that did not report yet'),
  }),
  growth: z
    .array(z.object({ company: z.string(), company_slug: z.string(), metric: z.string(), growth_pct: z.number() }))
    .describe(
      "Growth by company, highest first: of revenue, else of sales; of profit where no company's revenue is told",
    ),
  key_numbers: z.array(KeyNumber).describe('Company by company, the newest report of each metric'),
  moves: z.array(SignalItem).max(10).describe('The latest moves of the group, newest first'),
  moves_total: z.int().nonnegative().describe('Moves of the group in the last 90 days'),
  what_to_watch: z.array(
    z.object({
      text: z.string(),
      signal: SignalReference.nullable().describe('Null where counts alone say it'),
      outlet: CitedReport.outlet,
      source_url: CitedReport.source_url,
      published_at: Instant.nullable(),
    }),
  ),
});
export type GroupSeason = z.infer<typeof GroupSeason>;

export const GroupAnswer = GroupSeason.extend({
  chart_html: z.string().describe('Self-contained fragment: an inline SVG, and a table with the same figures'),
});
export type GroupAnswer = z.infer<typeof GroupAnswer>;
