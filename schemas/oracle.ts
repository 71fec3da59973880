/** The Oracle: what reference sources report, compared with the public signals. Measurements are in one stream. */
import { z } from 'zod';
import { Instant, SignalId } from './scalar.ts';

/** Hours that a measurement looks back. */
export const ORACLE_WINDOW_HOURS = 72;
/** The share of misses that we promise to stay under. */
export const ORACLE_SLO = 0.1;

export const OracleMiss = z.object({
  headline: z.string(),
  url: z.string(),
  outlet: z.string(),
  published_at: Instant.nullable(),
  /** The signal that came closest without being the same event, and its score; null when none was near. */
  nearest: z.object({ signal_id: SignalId, score: z.number() }).nullable(),
});
export type OracleMiss = z.infer<typeof OracleMiss>;

export const OracleMeasurement = z.object({
  measured_at: Instant,
  window_hours: z.int().positive(),
  slo: z.number(),
  /** Relevant items of reference sources. */
  checked: z.int().nonnegative(),
  missed: z.int().nonnegative(),
  /** missed ÷ checked; 0 when nothing was checked. */
  miss_rate: z.number().min(0).max(1),
  /** The newest ones; `missed` counts all. */
  misses: z.array(OracleMiss),
});
export type OracleMeasurement = z.infer<typeof OracleMeasurement>;

export const OracleEvents = { OracleMeasured: { 1: OracleMeasurement } } as const;
export const ORACLE_STREAM = 'oracle-measurements';
export const ORACLE_PREFIX = 'oracle-';
