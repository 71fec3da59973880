/**
 * The Oracle: how many events that reference sources report have no public signal. Measured on a schedule, stored as
 * events.
 */
import type { Logger } from 'pino';
import { keepRunning, pause, RETRY } from '../log/backoff.ts';
import { logError } from '../log/errors.ts';
import type { EventStore } from '../log/event-store.ts';
import { newEvent, readEvent } from '../schemas/events.ts';
import {
  isMeasured,
  ORACLE_JUDGEMENTS,
  ORACLE_SLO,
  ORACLE_STREAM,
  ORACLE_WINDOW_HOURS,
  type OracleCheck,
  type OracleMeasurement,
  type OracleMiss,
} from '../schemas/oracle.ts';
import type { Item } from '../schemas/poll.ts';
import { eventId, type SignalId } from '../schemas/scalar.ts';
import { scoreLikeness, THRESHOLD } from './match/comparison.ts';
import type { NearSignal } from './match/match-story.ts';
import type { ParentOf } from './match/report-features.ts';
import type { SignalIndex } from './match/signal-index.ts';
import { Tracker } from './match/signal-tracker.ts';
import type { Understander } from './understand/understander.ts';

const HOUR = 3_600_000;
/** Maximum number of misses in a measurement: an event must have a moderate size. */
const MAX_MISSES = 100;
const MAX_SAMPLE = 100;

type Nearest = OracleMiss['nearest'];

type Reading = OracleCheck['reading'];

/** The outcome of a reference item: no move by any reading (`left out`), covered by a public signal, or missed. */
type Check =
  | { readonly outcome: 'left out' }
  | { readonly outcome: 'covered'; readonly reading: Reading; readonly signal: SignalId }
  | { readonly outcome: 'missed'; readonly reading: Reading; readonly headline: string; readonly nearest: Nearest };

const windowStart = (now: Date): Date => new Date(now.getTime() - ORACLE_WINDOW_HOURS * HOUR);

/** Milliseconds in which an item has to become a signal: younger ones are checked by the next measurement. */
const PIPELINE_TIME = 120_000;

/**
 * Whether an item counts: found within the window, not older by its own date, and so long ago that the outlets' items of the
 * same time have passed the pipeline.
 */
export function isInWindow({ published_at, first_seen_at }: Item, now: Date): boolean {
  const start = windowStart(now).getTime();
  const firstSeen = Date.parse(first_seen_at);
  return (
    firstSeen >= start &&
    firstSeen <= now.getTime() - PIPELINE_TIME &&
    (published_at === null || Date.parse(published_at) >= start)
  );
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
    sample: checks.flatMap(asSample).slice(0, MAX_SAMPLE),
    left_out: checks.length - checked,
  };
}

/** A checked item as the sample lists it; nothing for one that was left out. */
const asSample = ({ item, check }: { readonly item: Item; readonly check: Check }): OracleCheck[] =>
  check.outcome === 'left out'
    ? []
    : [
        {
          headline: check.outcome === 'missed' ? check.headline : item.title,
          url: item.url,
          outlet: item.outlet,
          published_at: item.published_at,
          reading: check.reading,
          signal_id: check.outcome === 'covered' ? check.signal : null,
        },
      ];

// Readings: what says that an item is a move. Understanding may be wrong just where the Oracle has to notice it, so that an item
// which it takes for noise is read a second time, in a way that does not depend on its verdict.

/** Sections of outlets that hold moves, as parts of an address. */
const SECTION =
  /[/-](?:mergers?-(?:and-)?acquisitions?|m-and-a|fund-?rais\w*|funding|ipos?|store-(?:launch|opening)e?s?|expansions?|people-movements?|appointments?|leadership-changes?|(?:quarterly-)?(?:results|earnings))(?=[/-]|$)/i;

/** Outlets that have to report an event, the item's own included, before it counts as one. */
const SEVERAL = 3;

/** The outlet that wrote an item: an aggregator names it at the end of the title. */
const writtenBy = ({ title, outlet }: Item): string =>
  (/ [-–|] ([^-–|]{2,40})$/.exec(title)?.[1] ?? outlet).toLowerCase();

/** The section of an address; none where the last part, the name of the article, has the word. */
const isInSection = (url: string): boolean => {
  const { pathname } = new URL(url);
  return SECTION.test(pathname.slice(0, pathname.lastIndexOf('/')));
};

/** A reference item as it was understood, to be read and matched. */
interface ReadItem {
  readonly item: Item;
  readonly relevant: boolean;
  readonly headline: string;
  /** Brands of the catalogue that it is about. */
  readonly brands: readonly string[];
  readonly features: Features;
}

/** Whether several outlets report the event of an item. @param others about one of its brands */
function isReportedBySeveral(one: ReadItem, others: readonly ReadItem[]): boolean {
  const outlets = new Set([writtenBy(one.item)]);
  for (const other of others)
    if (!outlets.has(writtenBy(other.item)) && scoreLikeness(other.features, one.features).score >= THRESHOLD)
      outlets.add(writtenBy(other.item));
  return outlets.size >= SEVERAL;
}

/**
 * The reading by which each item is a move; null for none.
 * @param judged the word of operators, by address
 */
function readingsOf(items: readonly ReadItem[], judged: ReadonlyMap<string, boolean>): (Reading | null)[] {
  const ofBrand = Map.groupBy(
    items.flatMap((one) => one.brands.map((brand) => ({ brand, one }))),
    ({ brand }) => brand,
  );
  return items.map((one): Reading | null => {
    const word = judged.get(one.item.url);
    if (word !== undefined) return word ? 'operator' : null;
    if (one.relevant) return 'understanding';
    if (isInSection(one.item.url)) return 'section';
    const others = new Set(one.brands.flatMap((brand) => (ofBrand.get(brand) ?? []).map((other) => other.one)));
    return isReportedBySeveral(one, [...others]) ? 'several_outlets' : null;
  });
}

/** The word of operators on items by their addresses; the last one counts. */
async function judgements(store: EventStore): Promise<ReadonlyMap<string, boolean>> {
  const events = (await store.read(ORACLE_JUDGEMENTS)).map((event) => readEvent(event));
  return new Map(
    events.flatMap((event) => (event.type === 'OracleJudged' ? [[event.data.url, event.data.is_move]] : [])),
  );
}

/** Records the word of an operator on a reference item, for the next measurement. */
export async function judgeReference(
  store: EventStore,
  { url, is_move, by }: { readonly url: string; readonly is_move: boolean; readonly by: string },
  now: Date,
): Promise<void> {
  const about = { id: eventId('OracleJudged', url, by, now.toISOString()), time: now.toISOString() };
  await store.append(ORACLE_JUDGEMENTS, [newEvent('OracleJudged', { url, is_move, by }, about)], 'any');
}

// Checking: an item is matched with the signals as if it were a story, but none is published.

interface Scored {
  readonly id: SignalId;
  readonly score: number;
}

/** Understands an item. @param tracker at the end of the store, see `catchUp` */
async function readItem(item: Item, understander: Understander, tracker: Tracker): Promise<ReadItem> {
  const { relevant, understanding, vector } = await understander.understand(item);
  const about = understanding.brands.filter(({ role, provisional }) => role === 'primary' && !provisional);
  return {
    item,
    relevant,
    headline: understanding.headline,
    brands: about.map(({ slug }) => slug),
    features: tracker.features({
      item,
      understanding,
      understood_by: understander.version,
      ...(vector && { vector }),
    }),
  };
}

/** Checks an item that is a move against the public signals. */
async function checkItem({ item, headline, features }: ReadItem, reading: Reading, tracker: Tracker): Promise<Check> {
  const signal = await tracker.ofItem(item);
  const scored = (await tracker.near(features))
    .map((near): Scored => ({ id: near.id, score: bestOf(near, features) }))
    .sort((one, other) => other.score - one.score);
  const same = [...(signal ? [signal] : []), ...scored.filter(({ score }) => score >= THRESHOLD).map(({ id }) => id)];
  for (const id of same) {
    const signal = tracker.window.resolve(id);
    if ((await tracker.state(signal))?.status === 'public') return { outcome: 'covered', reading, signal };
  }
  return { outcome: 'missed', reading, headline, nearest: nearestOf(scored) };
}

type Features = Parameters<typeof scoreLikeness>[1];

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

/** Longest time between two measurements, in milliseconds. */
const INTERVAL = 600_000;
/** Milliseconds before the first measurement. */
const FIRST_DELAY = 20_000;

/**
 * Milliseconds to wait after so many measurements of a process: each time twice as long. While a record is first filled a
 * measurement is outdated soon; the reference items of the first polls count from their third minute on.
 */
export const pauseAfter = (measurements: number): number => Math.min(INTERVAL, FIRST_DELAY * 2 ** measurements);
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
  const read: ReadItem[] = [];
  for (const item of distinct) read.push(await readItem(item, understander, tracker));
  const readings = readingsOf(read, await judgements(store));
  const checks: { item: Item; check: Check }[] = [];
  for (const [index, one] of read.entries()) {
    const reading = readings[index] ?? null;
    checks.push({ item: one.item, check: reading ? await checkItem(one, reading, tracker) : { outcome: 'left out' } });
  }
  const measured = countMisses(checks, now);
  if (distinct.length > 0) {
    const about = { id: eventId('OracleMeasured', measured.measured_at), time: measured.measured_at };
    await store.append(ORACLE_STREAM, [newEvent('OracleMeasured', measured, about)], 'any');
  }
  return measured;
}

const trackerOf = ({ store, logger, parentOf, index }: OracleOptions): Tracker =>
  new Tracker(store, logger, { capacity: MAX_SIGNALS, parentOf, index });

/** Measures soon after the start, then less and less often down to every ten minutes, until the signal aborts. Retries every error. */
export async function runOracle(options: OracleOptions & { readonly signal: AbortSignal }): Promise<void> {
  const { logger, signal } = options;
  const tracker = trackerOf(options);
  await pause(FIRST_DELAY, signal);
  let measurements = 0;
  const measure = async (): Promise<void> => {
    const coverage = await measureCoverage(options, tracker);
    const { miss_rate, checked, missed, slo } = coverage;
    const level = isMeasured(coverage) && miss_rate > slo ? 'warn' : 'info';
    logger[level]({ miss_rate, checked, missed, slo }, 'measured the coverage');
    measurements++;
    await pause(pauseAfter(measurements), signal);
  };
  await keepRunning(measure, {
    ...RETRY.job,
    every: 0,
    signal,
    failed: (error) => logError(logger, error, {}, 'measuring the coverage failed, retrying'),
  });
}
