/** The Oracle's schedule: measures, and stores each measurement as an event. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';
import type { EventStore } from '../../log/event-store.ts';
import { newEvent } from '../../schemas/events.ts';
import type { Item } from '../../schemas/item.ts';
import { ORACLE_STREAM, type OracleMeasurement } from '../../schemas/oracle.ts';
import { eventId } from '../../schemas/scalar.ts';
import type { ParentOf } from '../match/parents.ts';
import type { SignalIndex } from '../match/signal-index.ts';
import { openTracker, type Tracker } from '../match/tracker.ts';
import type { PreparedCatalogue } from '../understand/catalogue.ts';
import { checkItem } from './check.ts';
import { isInWindow, measure, windowStart } from './measure.ts';

export interface OracleOptions {
  readonly store: EventStore;
  /** Items of reference sources first seen since a moment, newest first. */
  readonly items: (since: Date) => Promise<readonly Item[]>;
  /** The index of all signals; unset, the store is read from its beginning. */
  readonly index?: SignalIndex;
  readonly catalogue: PreparedCatalogue;
  readonly parentOf: ParentOf;
  readonly logger: Logger;
  readonly clock: () => Date;
}

/** Milliseconds between two measurements. */
const EVERY = 600_000;
/** The first one waits for what a first poll brings to become signals; so does one that found nothing to check. */
const SOON = 20_000;
/** Signals in memory: about those that a measurement needs, three days and a week around them. */
const SIGNALS = 10_000;

/** Measures once. Nothing is stored when no reference source has reported anything. */
export async function measureOnce(
  options: OracleOptions,
  tracker: Tracker = trackerOf(options),
): Promise<OracleMeasurement> {
  const { store, catalogue, clock } = options;
  await tracker.catchUp();
  await tracker.save();
  const now = clock();
  const items = (await options.items(windowStart(now))).filter((item) => isInWindow(item, now));
  // Two reference sources may list one article; it is one event either way.
  const distinct = [...new Map(items.map((item) => [item.url, item])).values()];
  const checks: { item: Item; check: Awaited<ReturnType<typeof checkItem>> }[] = [];
  for (const item of distinct) checks.push({ item, check: await checkItem(item, catalogue, tracker) });
  const measured = measure(checks, now);
  if (distinct.length > 0) {
    const about = { id: eventId('OracleMeasured', measured.measured_at), time: measured.measured_at };
    await store.append(ORACLE_STREAM, [newEvent('OracleMeasured', measured, about)], 'any');
  }
  return measured;
}

const trackerOf = ({ store, logger, parentOf, index }: OracleOptions): Tracker =>
  openTracker(store, logger, { capacity: SIGNALS, parentOf, index });

/** Measures every ten minutes until the signal aborts, through restarts of what it talks to. */
export async function runOracle(options: OracleOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { logger, signal } = options;
  const tracker = trackerOf(options);
  await pause(SOON, signal);
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { miss_rate, checked, missed, slo } = await measureOnce(options, tracker);
      failures = 0;
      logger[miss_rate > slo ? 'warn' : 'info']({ miss_rate, checked, missed, slo }, 'measured the coverage');
      await pause(checked > 0 ? EVERY : SOON, signal);
    } catch (error) {
      logError(logger, error, {}, 'measuring failed, trying again');
      await pause(backoff(failures++, { base: 1_000, maximum: 60_000 }, Math.random), signal);
    }
  }
}
