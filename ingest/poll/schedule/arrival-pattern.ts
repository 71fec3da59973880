/**
 * When the items of a source arrive: counts by weekday and hour in IST, in which weeks that are past count less and less.
 *
 * A count alone says little, since a source with ten items a day has less than one in an hour of the week. The rate of
 * an hour is therefore estimated from coarse to fine, each step drawn towards the one before it by as many items as it
 * lacks: the rate of the source, its profile over the day, its profile over the week, the hour itself.
 */
import { DAY } from '../../../language/days.ts';
import type { ArrivalPattern } from '../../../schemas/poll.ts';

export const HOURS_OF_WEEK = 168;
const HOUR = 3_600_000;
const WEEK = 7 * DAY;
/** IST is UTC+05:30 all year. */
const IST = 5.5 * HOUR;
/** 1 January 1970 was a Thursday; weeks are counted from Monday. */
const MONDAY = 3 * DAY;

/** What a count is worth a week later: half of what is known is of the last four weeks. */
const KEPT_PER_WEEK = 0.85;
/** Longer before the first poll the dates of a feed say nothing about its rhythm now. */
const MAX_BACKLOG = 28 * DAY;
/** An item that is found after so long arrived in one of the last hours of it. */
const MAX_INTERVAL = DAY;
/** Maximum number of new items of one poll that are counted: an archive that reappears is no rhythm. */
const MAX_NEW_ITEMS = 200;

/** The share of an hour in a day of Indian business news, 0 to 23 in IST, and of a day in the week, Monday first. */
const USUAL_HOURS = [5, 3, 2, 2, 2, 4, 6, 12, 18, 22, 26, 26, 26, 26, 26, 26, 26, 26, 24, 22, 16, 12, 10, 8];
const USUAL_DAYS = [1.15, 1.15, 1.15, 1.15, 1.15, 0.65, 0.6];

const normalizeToMeanOne = (shares: readonly number[]): readonly number[] => {
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => (share * shares.length) / sum);
};
const HOUR_PROFILE = normalizeToMeanOne(USUAL_HOURS);
const DAY_PROFILE = normalizeToMeanOne(USUAL_DAYS);

/** How many items each estimate is drawn to the coarser one by. */
const ITEMS_OF_RATE = 1;
const ITEMS_OF_PROFILE = 3;
const ITEMS_OF_HOUR = 8;

/** The hour of the week in IST, 0 for Monday 00:00 to 00:59, of a moment in milliseconds since 1970. */
export const hourOfWeek = (at: number): number => Math.floor(((at + IST + MONDAY) % WEEK) / HOUR);

/** The hour of the week after another. */
export const nextHour = (hour: number): number => (hour === HOURS_OF_WEEK - 1 ? 0 : hour + 1);

/** The end of the hour of the week in which a moment is; both in milliseconds since 1970. */
export const endOfHour = (at: number): number => (Math.floor((at + IST) / HOUR) + 1) * HOUR - IST;

/** The midnight in IST after a moment; both in milliseconds since 1970. */
export const endOfDay = (at: number): number => (Math.floor((at + IST) / DAY) + 1) * DAY - IST;

/** Items of one poll, for what they say about the rhythm. */
export interface Arrivals {
  /** The dates of new items by their outlet, null where it gives none. */
  readonly published: readonly (Date | null)[];
  /** The last poll that succeeded; null where there is none, or where nothing was learnt from it. */
  readonly after: Date | null;
  /** This poll. */
  readonly now: Date;
}

/**
 * Adds what a poll found.
 * @param before null for a source of which nothing is known; then the dates of everything that it lists are the beginning
 * @returns the same object where the poll adds nothing
 */
export function observeArrivals(before: ArrivalPattern | null, arrivals: Arrivals): ArrivalPattern {
  const now = arrivals.now.getTime();
  // Written by a clock that has been set back since: its moments mean nothing.
  if (!before || Date.parse(before.as_of) > now) return firstPattern(arrivals.published, now);
  const faded = fade(before, now);
  const dates = arrivals.published.slice(0, MAX_NEW_ITEMS);
  if (dates.length === 0) return faded;
  const after = Math.max(arrivals.after?.getTime() ?? 0, now - MAX_INTERVAL);
  const counts = [...faded.counts];
  const rates = dates.some((date) => !isExact(date, after, now)) ? arrivalRates(faded, now) : [];
  let latest = Date.parse(faded.last_item_at ?? '') || 0;
  for (const date of dates) {
    if (isExact(date, after, now)) {
      add(counts, date.getTime(), 1);
      latest = Math.max(latest, date.getTime());
    } else {
      spread(counts, rates, after, now);
      latest = Math.max(latest, after);
    }
  }
  return patternOf(Date.parse(faded.since), Date.parse(faded.as_of), latest, counts);
}

/** Whether a date states when an item appeared: it is after the last poll, and has a time of day. */
const isExact = (date: Date | null, after: number, now: number): date is Date =>
  date !== null && date.getTime() > after && date.getTime() <= now && !isDayAlone(date.getTime());

/** Midnight in UTC or IST is how an outlet writes a day without a time. */
const isDayAlone = (at: number): boolean => at % DAY === 0 || (at + IST) % DAY === 0;

function firstPattern(published: readonly (Date | null)[], now: number): ArrivalPattern {
  const times = published
    .map((date) => date?.getTime() ?? Number.NaN)
    .filter((at) => at > now - MAX_BACKLOG && at <= now);
  const since = Math.min(now, ...times);
  const asOf = since + Math.floor((now - since) / WEEK) * WEEK;
  const counts = Array.from({ length: HOURS_OF_WEEK }, () => 0);
  for (const at of times) {
    const weight = KEPT_PER_WEEK ** Math.max(0, Math.ceil((asOf - at) / WEEK));
    if (isDayAlone(at)) spread(counts, USUAL_RATES, at - ((at + IST) % DAY), at - ((at + IST) % DAY) + DAY, weight);
    else add(counts, at, weight);
  }
  return patternOf(since, asOf, Math.max(0, ...times), counts);
}

/** Lets whole weeks that have passed count. In single steps of a poll, rounding would keep small counts for ever. */
function fade(pattern: ArrivalPattern, now: number): ArrivalPattern {
  const weeks = Math.floor((now - Date.parse(pattern.as_of)) / WEEK);
  if (weeks === 0) return pattern;
  const kept = KEPT_PER_WEEK ** weeks;
  return {
    ...pattern,
    as_of: new Date(Date.parse(pattern.as_of) + weeks * WEEK).toISOString(),
    counts: pattern.counts.map((count) => roundCount(count * kept)),
  };
}

const roundCount = (count: number): number => Math.round(count * 100) / 100;

function patternOf(since: number, asOf: number, latest: number, counts: readonly number[]): ArrivalPattern {
  return {
    since: new Date(since).toISOString(),
    as_of: new Date(asOf).toISOString(),
    last_item_at: latest > 0 ? new Date(latest).toISOString() : null,
    counts: counts.map(roundCount),
  };
}

function add(counts: number[], at: number, weight: number): void {
  const hour = hourOfWeek(at);
  counts[hour] = (counts[hour] ?? 0) + weight;
}

/** Counts an item that arrived at an unknown moment: in each hour by how probable it is there. */
function spread(counts: number[], rates: readonly number[], from: number, to: number, weight = 1): void {
  const parts: { at: number; share: number }[] = [];
  for (let at = from; at < to; at = endOfHour(at))
    parts.push({ at, share: (Math.min(endOfHour(at), to) - at) * (rates[hourOfWeek(at)] ?? 0) });
  const sum = parts.reduce((total, { share }) => total + share, 0);
  for (const { at, share } of parts) add(counts, at, sum > 0 ? (weight * share) / sum : weight / parts.length);
}

const usualRate = (hour: number): number => (HOUR_PROFILE[hour % 24] ?? 1) * (DAY_PROFILE[Math.floor(hour / 24)] ?? 1);
const USUAL_RATES: readonly number[] = Array.from({ length: HOURS_OF_WEEK }, (_, hour) => usualRate(hour));

// Every poll computes the rates of its source: plain loops over arrays that are used again take a sixth of the time of
// iterators, callbacks and new arrays. The functions that fill them do not wait, so that no two calls share them.
const exposure = new Float64Array(HOURS_OF_WEEK);
const expected = new Float64Array(HOURS_OF_WEEK);
const smoothed = new Float64Array(HOURS_OF_WEEK);
const byHour = new Float64Array(24);
const expectedByHour = new Float64Array(24);
const hourFactors = new Float64Array(24);
const byDay = new Float64Array(7);
const expectedByDay = new Float64Array(7);

/** Writes into `exposure` for how many hours each hour of the week was observed, faded as the counts are. */
function fillExposure(pattern: ArrivalPattern, now: number): void {
  const asOf = Date.parse(pattern.as_of);
  const weeks = Math.min(52, Math.round((asOf - Date.parse(pattern.since)) / WEEK));
  exposure.fill((KEPT_PER_WEEK * (1 - KEPT_PER_WEEK ** weeks)) / (1 - KEPT_PER_WEEK));
  let hour = hourOfWeek(asOf);
  let end = endOfHour(asOf);
  for (let at = asOf; at < now; at = end, end += HOUR) {
    exposure[hour] = (exposure[hour] ?? 0) + (Math.min(end, now) - at) / HOUR;
    hour = nextHour(hour);
  }
}

type Numbers = readonly number[] | Float64Array;

function sum(values: Numbers): number {
  let total = 0;
  for (let at = 0; at < values.length; at++) total += values[at] ?? 0;
  return total;
}

/** Adds up the hours of the week by the hour of the day. */
function addByHour(values: Numbers, into: Float64Array): void {
  into.fill(0);
  for (let day = 0; day < 7; day++)
    for (let hour = 0; hour < 24; hour++) into[hour] = (into[hour] ?? 0) + (values[day * 24 + hour] ?? 0);
}

/** Adds up the hours of the week by the day. */
function addByDay(values: Numbers, into: Float64Array): void {
  for (let day = 0; day < 7; day++) {
    let total = 0;
    for (let hour = 0; hour < 24; hour++) total += values[day * 24 + hour] ?? 0;
    into[day] = total;
  }
}

/** An hour shares with its neighbours: outlets are no clocks. @param into another array than `values` */
function smooth(values: Numbers, into: Float64Array): void {
  const last = values.length - 1;
  for (let place = 0; place <= last; place++) {
    const after = values[place === last ? 0 : place + 1] ?? 0;
    const before = values[place === 0 ? last : place - 1] ?? 0;
    into[place] = (values[place] ?? 0) / 2 + after / 4 + before / 4;
  }
}

/**
 * The expected items an hour for each hour of the week in IST, Monday 00:00 first.
 * @param now milliseconds since 1970
 */
export function arrivalRates(pattern: ArrivalPattern, now: number): number[] {
  const { counts } = pattern;
  fillExposure(pattern, now);
  let weighted = 0;
  for (let at = 0; at < HOURS_OF_WEEK; at++) weighted += (exposure[at] ?? 0) * (USUAL_RATES[at] ?? 0);
  // Nothing is known of a source: one item a day.
  const rate = (sum(counts) + ITEMS_OF_RATE) / (weighted + 24);
  for (let at = 0; at < HOURS_OF_WEEK; at++) expected[at] = (exposure[at] ?? 0) * rate * (USUAL_RATES[at] ?? 0);
  const factor = (actual: number | undefined, wanted: number | undefined): number =>
    ((actual ?? 0) + ITEMS_OF_PROFILE) / ((wanted ?? 0) + ITEMS_OF_PROFILE);
  // `smoothed` carries the sums by hour until it receives the smoothed counts.
  const sums = smoothed.subarray(0, 24);
  addByHour(counts, sums);
  smooth(sums, byHour);
  addByHour(expected, sums);
  smooth(sums, expectedByHour);
  for (let hour = 0; hour < 24; hour++) hourFactors[hour] = factor(byHour[hour], expectedByHour[hour]);
  addByDay(counts, byDay);
  addByDay(expected, expectedByDay);
  smooth(counts, smoothed);
  // An array of the right size, all of which is overwritten.
  const rates = USUAL_RATES.slice();
  for (let day = 0; day < 7; day++) {
    const dayFactor = factor(byDay[day], expectedByDay[day]);
    for (let hour = 0; hour < 24; hour++) {
      const at = day * 24 + hour;
      const coarse = rate * (USUAL_RATES[at] ?? 0) * (hourFactors[hour] ?? 0) * dayFactor;
      rates[at] = (coarse * ((smoothed[at] ?? 0) + ITEMS_OF_HOUR)) / (coarse * (exposure[at] ?? 0) + ITEMS_OF_HOUR);
    }
  }
  const latest = Date.parse(pattern.last_item_at ?? pattern.since);
  const silentDays = (now - latest) / DAY;
  // After a week without items, the silence itself limits how frequent they are.
  const maximum = silentDays > 7 ? 7 / silentDays : Number.POSITIVE_INFINITY;
  const scale = Math.min(1, maximum / sum(rates));
  if (scale < 1) for (let at = 0; at < HOURS_OF_WEEK; at++) rates[at] = (rates[at] ?? 0) * scale;
  return rates;
}
