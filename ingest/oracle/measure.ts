/** How many events that reference sources report we have no public signal of. Pure. */
import type { Item } from '../../schemas/item.ts';
import { ORACLE_SLO, ORACLE_WINDOW_HOURS, type OracleMeasurement, type OracleMiss } from '../../schemas/oracle.ts';

const HOUR = 3_600_000;
/** Misses that are kept to be looked at; an event must stay of moderate size. */
const MOST_MISSES = 100;

export type Nearest = OracleMiss['nearest'];

/** What became of a reference item: not to be checked, covered by a public signal, or missed. */
export type Check =
  | { readonly outcome: 'left out' }
  | { readonly outcome: 'covered' }
  | { readonly outcome: 'missed'; readonly headline: string; readonly nearest: Nearest };

/** The moment from which on items count. */
export const windowStart = (now: Date): Date => new Date(now.getTime() - ORACLE_WINDOW_HOURS * HOUR);

/** True for an item that a measurement looks at: found within the window, and not older by its own date. */
export function isInWindow({ published_at, first_seen_at }: Item, now: Date): boolean {
  const start = windowStart(now).getTime();
  return Date.parse(first_seen_at) >= start && (published_at === null || Date.parse(published_at) >= start);
}

/** Counts. @param checks newest first */
export function measure(
  checks: readonly { readonly item: Item; readonly check: Check }[],
  now: Date,
): OracleMeasurement {
  const checked = checks.filter(({ check }) => check.outcome !== 'left out').length;
  const misses = checks.flatMap(({ item, check }): OracleMiss[] =>
    check.outcome === 'missed'
      ? [
          {
            headline: check.headline,
            url: item.url,
            outlet: item.outlet,
            published_at: item.published_at,
            nearest: check.nearest,
          },
        ]
      : [],
  );
  return {
    measured_at: now.toISOString(),
    window_hours: ORACLE_WINDOW_HOURS,
    slo: ORACLE_SLO,
    checked,
    missed: misses.length,
    miss_rate: checked === 0 ? 0 : Math.round((misses.length / checked) * 10_000) / 10_000,
    misses: misses.slice(0, MOST_MISSES),
  };
}
