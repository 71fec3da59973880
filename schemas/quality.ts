/** The quality of the record, as its page and the API show it. */
import { z } from 'zod';
import { Instant } from './scalar.ts';
import { ASPECTS } from './signal.ts';

const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

/** A share with its 95 % interval by Wilson. */
export const Proportion = z.object({
  value: share,
  low: share.describe('Lower end of the 95 % interval (Wilson)'),
  high: share.describe('Upper end'),
});
export type Proportion = z.infer<typeof Proportion>;

export const FactPrecision = z.object({
  fact: z
    .enum(ASPECTS)
    .describe(
      'signal: it is a move; one_event: its reports are of one event, which no other signal has; the others are its fields',
    ),
  judged: count.describe('Signals of the sample whose fact an operator judged'),
  right: count,
  precision: Proportion.nullable().describe('right ÷ judged; null where none was judged'),
  needed: count.describe('How many more have to be judged before the interval is narrow enough to rely on'),
});
export type FactPrecision = z.infer<typeof FactPrecision>;

export const SamplePrecision = z.object({
  window_days: count,
  sampled: count.describe('Signals that were drawn at random, at most 20 a day'),
  judged: count.describe('How many of them an operator judged'),
  facts: z.array(FactPrecision),
});

export const OracleRecall = z.object({
  measured_at: Instant,
  window_hours: count,
  checked: count.describe('Moves that reference sources reported'),
  found: count.describe('How many of them a public signal reports'),
  recall: Proportion.nullable().describe('found ÷ checked; null where fewer than 10 were checked'),
  goal: share,
  days: z
    .array(z.object({ date: z.string().describe('IST day'), checked: count, found: count }))
    .describe('The last measurement of each of the last 30 days, oldest first; each looks back `window_hours`'),
});

const seconds = z.number().nonnegative();
const Percentiles = z.object({ p50: seconds, p90: seconds, p99: seconds });

export const Freshness = z.object({
  window_days: count,
  signals: count.describe('Public signals of the window whose times are all recorded'),
  left_out: count.describe(
    'The others: no date, a date without a time of day, one after the poll that found it, or an entry of the first poll of a source',
  ),
  to_page: Percentiles.nullable().describe('Seconds from the publication by the outlet until the signal was public'),
  to_poll: Percentiles.nullable().describe('Seconds from the publication by the outlet until a poll found it'),
  within: z
    .array(z.object({ seconds: count, signals: count }))
    .describe('How many were public within so many seconds, shortest first'),
});
export type Freshness = z.infer<typeof Freshness>;

export const ReleaseFigures = z.object({
  measured_on: z.iso.date().describe('Day of the measurement, before the release'),
  set: z.string().describe('What it was measured on'),
  figures: z.array(z.object({ figure: z.string(), ...Proportion.shape })),
});
export type ReleaseFigures = z.infer<typeof ReleaseFigures>;

export const PublicCorrection = z.object({
  at: Instant,
  what: z.enum(['corrected', 'retracted', 'split', 'merged']),
  why: z.string(),
  fields: z.array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  signal: z
    .object({ headline: z.string(), url: z.string() })
    .nullable()
    .describe('The signal as it is now; null where it is no longer public'),
});

export const Quality = z.object({
  generated_at: Instant,
  precision: SamplePrecision,
  recall: OracleRecall.nullable().describe('null before the first measurement'),
  freshness: Freshness,
  release: ReleaseFigures.describe('Measured on labelled headlines before the release, not on the live record'),
  corrections: z.object({
    url: z.string().describe('The page with the whole log'),
    latest: z.array(PublicCorrection).max(20).describe('Newest first'),
  }),
});
export type Quality = z.infer<typeof Quality>;
