/** The Oracle: what reference sources report, compared with the public signals. Measurements are in one stream. */
import { z } from 'zod';
import { openEvents } from './personal.ts';
import { Instant, SignalId } from './scalar.ts';

/** Hours that a measurement looks back. */
export const ORACLE_WINDOW_HOURS = 72;
/** The share of misses that we promise to stay under. */
export const ORACLE_SLO = 0.1;

/** Checked items below which a share says nothing: it counts as not measured. */
export const ORACLE_ENOUGH = 10;

export const OracleMiss = z.object({
  headline: z.string(),
  url: z.string(),
  outlet: z.string(),
  published_at: Instant.nullable(),
  /** The signal that came closest without being the same event, and its score; null when none was near. */
  nearest: z.object({ signal_id: SignalId, score: z.number() }).nullable(),
});
export type OracleMiss = z.infer<typeof OracleMiss>;

/**
 * What says that a reference item is a move: understanding, or a reading that does not depend on it: the section in its
 * address, several outlets that report the same event of a brand of the catalogue, or the word of an operator.
 */
export const ORACLE_READINGS = ['understanding', 'section', 'several_outlets', 'operator'] as const;

/** A reference item that was checked. */
export const OracleCheck = z.object({
  headline: z.string(),
  url: z.string(),
  outlet: z.string(),
  published_at: Instant.nullable(),
  reading: z.enum(ORACLE_READINGS),
  /** The public signal that reports it; null where it was missed. */
  signal_id: SignalId.nullable(),
});
export type OracleCheck = z.infer<typeof OracleCheck>;

export const OracleMeasurement = z.object({
  measured_at: Instant,
  window_hours: z.int().positive(),
  slo: z.number(),
  /** Items of reference sources that are moves by one reading or another. */
  checked: z.int().nonnegative(),
  missed: z.int().nonnegative(),
  /** missed ÷ checked; 0 when nothing was checked. */
  miss_rate: z.number().min(0).max(1),
  /** The newest ones; `missed` counts all. */
  misses: z.array(OracleMiss),
  /** The newest of the items that were checked. Unset in version 1.0, as is the number of those that no reading takes for a move. */
  sample: z.array(OracleCheck).optional(),
  left_out: z.int().nonnegative().optional(),
});
export type OracleMeasurement = z.infer<typeof OracleMeasurement>;

/** Whether enough was checked for a share of misses to mean something. */
export const isMeasured = ({ checked }: Pick<OracleMeasurement, 'checked'>): boolean => checked >= ORACLE_ENOUGH;

/** The word of an operator on a reference item. */
export const OracleJudgement = z.object({ url: z.string(), is_move: z.boolean(), by: z.string() });

export const OracleEvents = openEvents({
  OracleMeasured: { 1: OracleMeasurement },
  OracleJudged: { 1: OracleJudgement },
} as const);
export const ORACLE_STREAM = 'oracle-measurements';
/** Judgements are in a stream of their own: a measurement reads all of them. */
export const ORACLE_JUDGEMENTS = 'oracle-judgements';
export const ORACLE_PREFIX = 'oracle-';
