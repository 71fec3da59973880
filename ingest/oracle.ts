/**
 * The Oracle: how many events that reference sources report have no public signal. Measured on a schedule, stored as
 * events.
 */
import type { Logger } from 'pino';
import { backoff, pause } from '../log/backoff.ts';
import { logError } from '../log/errors.ts';
import type { EventStore } from '../log/event-store.ts';
import { newEvent } from '../schemas/events.ts';
import {
  ORACLE_SLO,
  ORACLE_STREAM,
  ORACLE_WINDOW_HOURS,
  type OracleMeasurement,
  type OracleMiss,
} from '../schemas/oracle.ts';
import type { Item } from '../schemas/poll.ts';
import { eventId, type SignalId } from '../schemas/scalar.ts';
import { scoreLikeness, THRESHOLD } from './match/comparison.ts';
import type { NearSignal } from './match/match-story.ts';
import type { ParentOf } from './match/report-features.ts';
import type { SignalIndex } from './match/signal-index.ts';
import { openTracker, type Tracker } from './match/signal-tracker.ts';
import type { Understander } from './understand/understander.ts';

const HOUR = 3_600_000;
/** Maximum number of misses in a measurement: an event must have a moderate size. */
const MAX_MISSES = 100;

type Nearest = OracleMiss['nearest'];

/** The outcome of a reference item: irrelevant (`left out`), covered by a public signal, or missed. */
type Check =
  | { readonly outcome: 'left out' }
  | { readonly outcome: 'covered' }
  | { readonly outcome: 'missed'; readonly headline: string; readonly nearest: Nearest };

/** The start of the window of items that count. */
const windowStart = (now: Date): Date => new Date(now.getTime() - ORACLE_WINDOW_HOURS * HOUR);

/** Whether an item counts: found within the window, and not older by its own date. */
export function isInWindow({ published_at, first_seen_at }: Item, now: Date): boolean {
  const start = windowStart(now).getTime();
  return Date.parse(first_seen_at) >= start && (published_at === null || Date.parse(published_at) >= start);
}

/** Counts the misses among checked items. @param checks newest first */
export function countMisses(
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
    misses: misses.slice(0, MAX_MISSES),
  };
}

// Checking: an item is matched with the signals as if it were a story, but none is published.

interface Scored {
  readonly id: SignalId;
  readonly score: number;
}

/**
 * Checks an item against the public signals.
 * @param tracker at the end of the store, see `catchUp`
 */
async function checkItem(item: Item, understander: Understander, tracker: Tracker): Promise<Check> {
  const { relevant, understanding, vector } = await understander.understand(item);
  if (!relevant) return { outcome: 'left out' };
  const features = tracker.features({
    ...{ item, understanding, understood_by: understander.version },
    ...(vector && { vector }),
  });
  const known = await tracker.ofItem(item);
  const scored = (await tracker.near(features))
    .map((near): Scored => ({ id: near.id, score: bestOf(near, features) }))
    .sort((one, other) => other.score - one.score);
  const same = [...(known ? [known] : []), ...scored.filter(({ score }) => score >= THRESHOLD).map(({ id }) => id)];
  for (const id of same)
    if ((await tracker.state(tracker.window.resolve(id)))?.status === 'public') return { outcome: 'covered' };
  return { outcome: 'missed', headline: understanding.headline, nearest: nearestOf(scored) };
}

const bestOf = (near: NearSignal, features: Parameters<typeof scoreLikeness>[0]): number =>
  Math.max(0, ...near.reports.map((report) => scoreLikeness(report, features).score));

function nearestOf([first]: readonly Scored[]): Nearest {
  return first && first.score > 0 ? { signal_id: first.id, score: Math.round(first.score * 1000) / 1000 } : null;
}

export interface OracleOptions {
  readonly store: EventStore;
  /** Items of reference sources first seen since a moment, newest first. */
  readonly items: (since: Date) => Promise<readonly Item[]>;
  /** The index of all signals; without it, the store is read from its beginning. */
  readonly index?: SignalIndex;
  readonly understander: Understander;
  readonly parentOf: ParentOf;
  readonly logger: Logger;
  readonly clock: () => Date;
}

/** Milliseconds between two measurements. */
const INTERVAL = 600_000;
/** Milliseconds before the first measurement, and after one without items: the items of a first poll become signals. */
const FIRST_DELAY = 20_000;
/** Maximum number of signals in memory: those that a measurement needs, three days and a week around them. */
const MAX_SIGNALS = 10_000;

/** Measures once. Stores nothing when no reference source has reported anything. */
export async function measureCoverage(
  options: OracleOptions,
  tracker: Tracker = trackerOf(options),
): Promise<OracleMeasurement> {
  const { store, understander, clock } = options;
  await tracker.catchUp();
  await tracker.save();
  const now = clock();
  const items = (await options.items(windowStart(now))).filter((item) => isInWindow(item, now));
  // Two reference sources may list the same article.
  const distinct = [...new Map(items.map((item) => [item.url, item])).values()];
  const checks: { item: Item; check: Awaited<ReturnType<typeof checkItem>> }[] = [];
  for (const item of distinct) checks.push({ item, check: await checkItem(item, understander, tracker) });
  const measured = countMisses(checks, now);
  if (distinct.length > 0) {
    const about = { id: eventId('OracleMeasured', measured.measured_at), time: measured.measured_at };
    await store.append(ORACLE_STREAM, [newEvent('OracleMeasured', measured, about)], 'any');
  }
  return measured;
}

const trackerOf = ({ store, logger, parentOf, index }: OracleOptions): Tracker =>
  openTracker(store, logger, { capacity: MAX_SIGNALS, parentOf, index });

/** Measures every ten minutes until the signal aborts. Every error is retried with a backoff. */
export async function runOracle(options: OracleOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { logger, signal } = options;
  const tracker = trackerOf(options);
  await pause(FIRST_DELAY, signal);
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { miss_rate, checked, missed, slo } = await measureCoverage(options, tracker);
      failures = 0;
      logger[miss_rate > slo ? 'warn' : 'info']({ miss_rate, checked, missed, slo }, 'measured the coverage');
      await pause(checked > 0 ? INTERVAL : FIRST_DELAY, signal);
    } catch (error) {
      logError(logger, error, {}, 'measuring the coverage failed, retrying');
      await pause(backoff(failures++, { base: 1_000, maximum: 60_000 }, Math.random), signal);
    }
  }
}
