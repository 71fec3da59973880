/**
 * Invented sources: how many items each publishes, when, on which host, and how many entries its feed lists.
 *
 * What is marked *fitted* follows from the publication times of nine Indian business outlets between 25 May and 31 July 2026
 * (2,446 items of the complete stream of five of them from 18 June to 31 July, 1,073 items with a time of day). Only these
 * numbers are kept. What is marked *assumed* could not be measured from a handful of outlets.
 */

import { observeArrivals } from '../../ingest/poll/schedule/arrival-pattern.ts';
import type { ArrivalPattern } from '../../schemas/poll.ts';
import { type Chance, chance } from '../generated-history.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Monday, 00:00 IST. */
export const MONDAY = Date.parse('2026-06-01T00:00:00+05:30');

/** Fitted: items by the hour of the day in IST. */
const HOURS = [34, 12, 12, 5, 6, 16, 15, 29, 39, 45, 52, 59, 60, 69, 85, 73, 75, 78, 78, 84, 63, 38, 37, 9];
/** Fitted: items of Monday to Friday over their mean. */
const WEEKDAYS = [0.95, 1.08, 1.01, 1.06, 0.9];
/** Fitted: Saturday over a working day, and Sunday, one value for each of the five outlets. */
const SATURDAY = 0.39;
const SUNDAYS: readonly [number, ...number[]] = [0.42, 0, 0, 0.25, 0.09];
/** Fitted: the standard deviation of the logarithm of items a day, over nine outlets: the busiest hundredth has 25 times the median. */
const SPREAD = 1.38;
/** Fitted: a day's volume varies by so much to both sides beyond chance (squared coefficient of variation 0.05). */
const DAY_VARIATION = 0.39;
/** Fitted: items that come with another one within five minutes, beyond chance. */
const FOLLOWING = 0.025;
/** Fitted: of 1,945 events how many were reported once, twice and so on. */
const REPORTS = [1_640, 202, 69, 19, 4, 1, 3, 3, 2];
/** Fitted: mean time from the first report of an event to each of the others (0.71 days). */
const REPORT_LAG = 17 * HOUR;

/** Assumed: entries that a feed lists; ten is the default of WordPress. */
const LISTED: readonly [number, ...number[]] = [10, 10, 10, 20, 20, 25, 30, 50, 100];
/** Assumed: sources per host on average; the host of rank r has as many as 1 / √r says. */
const SOURCES_PER_HOST = 5;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const HOURS_SUM = sum(HOURS);
/** What a source publishes in a week over what it publishes on a mean working day. */
const weekOf = (sunday: number): number => sum(WEEKDAYS) + SATURDAY + sunday;

/** The chance of one thing of one source, the same for the same seed. */
const chanceOf = (seed: number, source: number, what: number): Chance => {
  const draw = chance(
    Math.imul(seed, 0x9e3779b1) ^ Math.imul(source + 1, 0x85ebca6b) ^ Math.imul(what + 1, 0xc2b2ae35),
  );
  // The first number of neighbouring seeds is alike.
  draw.next();
  return draw;
};

/** A number of the standard normal distribution (Box and Muller). */
export const normal = (draw: Chance): number =>
  Math.sqrt(-2 * Math.log(1 - draw.next())) * Math.cos(2 * Math.PI * draw.next());

/** A gap of a Poisson process. @param rate events per unit of time */
const gap = (rate: number, draw: Chance): number => -Math.log(1 - draw.next()) / rate;

export interface VirtualSource {
  readonly number: number;
  readonly host: string;
  /** Mean of a week. */
  readonly itemsPerDay: number;
  readonly listed: number;
  readonly sunday: number;
}

export interface WorldSize {
  readonly sources: number;
  /** Mean over all sources. */
  readonly itemsPerDay: number;
  readonly seed: number;
}

/** @returns one source of the world; the same for the same number and seed */
export function virtualSource(number: number, { sources, itemsPerDay, seed }: WorldSize): VirtualSource {
  const draw = chanceOf(seed, number, 0);
  const hosts = Math.max(1, Math.round(sources / SOURCES_PER_HOST));
  return {
    number,
    // A log-normal distribution with this mean.
    itemsPerDay: itemsPerDay * Math.exp(SPREAD * normal(draw) - SPREAD ** 2 / 2),
    host: `host-${Math.floor(hosts * draw.next() ** 2)}.example`,
    listed: draw.one(LISTED),
    sunday: draw.one(SUNDAYS),
  };
}

/** Yields the arrivals of a source from a midnight in IST on, ascending, in milliseconds since 1970. */
export function* arrivals(source: VirtualSource, seed: number, from: number, days: number): Generator<number> {
  const working = (source.itemsPerDay * 7) / weekOf(source.sunday) / (1 + FOLLOWING);
  const first = Math.round((from - MONDAY) / DAY);
  let late: number[] = [];
  for (let day = first; day < first + days; day++) {
    const draw = chanceOf(seed, source.number, 1_000 + day);
    const weekday = ((day % 7) + 7) % 7;
    const ofWeek = weekday === 6 ? source.sunday : weekday === 5 ? SATURDAY : (WEEKDAYS[weekday] ?? 1);
    const items = working * ofWeek * (1 - DAY_VARIATION + 2 * DAY_VARIATION * draw.next());
    for (const [hour, share] of HOURS.entries()) {
      const rate = (items * share) / HOURS_SUM;
      const times = late;
      late = [];
      const begins = MONDAY + day * DAY + hour * HOUR;
      if (rate > 0)
        for (let at = gap(rate, draw); at < 1; at += gap(rate, draw)) {
          times.push(begins + at * HOUR);
          if (!draw.happens(FOLLOWING)) continue;
          const after = begins + at * HOUR + draw.next() * 5 * MINUTE;
          (after < begins + HOUR ? times : late).push(after);
        }
      times.sort((one, other) => one - other);
      for (const time of times) yield Math.floor(time);
    }
  }
}

/** Maximum number of items from which the rhythm of a source before the simulation is learnt. */
const MAX_LEARNT = 500;

/** What a poller has learnt of a source in the four weeks before a midnight in IST. */
export function learntPattern(source: VirtualSource, seed: number, until: number): ArrivalPattern {
  const days = Math.min(28, Math.max(7, Math.ceil(MAX_LEARNT / source.itemsPerDay)));
  const published = [...arrivals(source, seed, until - days * DAY, days)].slice(-4 * MAX_LEARNT);
  return observeArrivals(null, { published: published.map((at) => new Date(at)), after: null, now: new Date(until) });
}

/** A report of an event of the invented news: which event, when it was published, by which source. */
export interface PlannedReport {
  readonly event: number;
  /** 0 for the first report of the event. */
  readonly nth: number;
  readonly source: number;
  readonly published: number;
}

/**
 * Draws which sources report which events when. A source reports as often as it publishes.
 * @param rates items a day of each source
 */
export function planReports(rates: readonly number[], events: number, days: number, seed: number): PlannedReport[] {
  const draw = chanceOf(seed, -2, 0);
  const upTo: number[] = [];
  for (const rate of rates) upTo.push((upTo.at(-1) ?? 0) + rate);
  const someSource = (): number => {
    const wanted = draw.next() * (upTo.at(-1) ?? 0);
    let [low, high] = [0, upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const oneOf = (weights: readonly number[]): number => {
    let left = draw.next() * sum(weights);
    for (const [place, weight] of weights.entries()) {
      left -= weight;
      if (left < 0) return place;
    }
    return 0;
  };
  const planned: PlannedReport[] = [];
  for (let event = 0; event < events; event++) {
    const day = Math.floor(draw.next() * days);
    const first = MONDAY + day * DAY + (oneOf(HOURS) + draw.next()) * HOUR;
    const reports = 1 + oneOf(REPORTS);
    for (let nth = 0; nth < reports; nth++) {
      const published = Math.floor(nth === 0 ? first : first + gap(1 / REPORT_LAG, draw));
      if (published < MONDAY + days * DAY) planned.push({ event, nth, source: someSource(), published });
    }
  }
  return planned.sort((one, other) => one.published - other.published);
}
