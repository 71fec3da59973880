/** The rules of a source's health. */
import type { SourceHealth } from '../../../schemas/resources.ts';
import type { HourOfPolls } from './row.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FAILING = 3;
/** A source is slow when it is silent for twice its usual gap, and for 12 hours at least: outlets sleep at night. */
const SLOW_GAPS = 2;
const SLOW_LEAST = 12 * HOUR;
const SILENT_GAPS = 3;
const SILENT_LEAST = DAY;
/** So large a share of failures in a day counts as "some failures". */
const FLAKY = 0.1;

export interface HealthFacts {
  readonly paused: boolean;
  readonly last_polled_at: Date | null;
  readonly last_success_at: Date | null;
  readonly last_item_at: Date | null;
  readonly consecutive_failures: number;
  readonly usual_gap_seconds: number | null;
  readonly hours: readonly HourOfPolls[];
}

/** The hours of the 24 before `now`. */
export const lastDay = (hours: readonly HourOfPolls[], now: Date): HourOfPolls[] =>
  hours.filter(({ hour }) => Date.parse(hour) > now.getTime() - DAY);

/**
 * `paused`; `failing` after 3 failures in a row; `silent` when polls succeed but nothing new came for 3 times the
 * usual gap and 24 hours at least; `degraded` with some failures, when slower than its normal, or before its first
 * poll; else `healthy`.
 */
export function healthOf(facts: HealthFacts, now: Date): SourceHealth {
  if (facts.paused) return 'paused';
  if (facts.consecutive_failures >= FAILING) return 'failing';
  if (!facts.last_polled_at || facts.consecutive_failures > 0) return 'degraded';
  const gap = (facts.usual_gap_seconds ?? 0) * 1000;
  // A source that never had an item is measured from its first poll that is still known.
  const since = facts.last_item_at?.getTime() ?? Date.parse(facts.hours[0]?.hour ?? now.toISOString());
  const quiet = now.getTime() - since;
  if (quiet > Math.max(SILENT_GAPS * gap, SILENT_LEAST)) return 'silent';
  if (quiet > Math.max(SLOW_GAPS * gap, SLOW_LEAST)) return 'degraded';
  const day = lastDay(facts.hours, now);
  const polls = day.reduce((sum, hour) => sum + hour.polls, 0);
  const failures = day.reduce((sum, hour) => sum + hour.failures, 0);
  return failures > polls * FLAKY ? 'degraded' : 'healthy';
}
