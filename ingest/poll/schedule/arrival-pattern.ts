/**
 * When the items of a source arrive: counts by weekday and hour in IST, in which weeks that are past count less and less.
 *
 * A count alone says little, since a source with ten items a day has less than one in an hour of the week. The rate of
 * an hour is therefore estimated from coarse to fine, each step drawn towards the one before it by as many items as it
 * lacks: the rate of the source, its profile over the day, its profile over the week, the hour itself.
 */
import type { ArrivalPattern } from '../../../schemas/poll.ts';

export const HOURS_OF_WEEK = 168;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
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
  const found = arrivals.published.slice(0, MAX_NEW_ITEMS);
  if (found.length === 0) return faded;
  const after = Math.max(arrivals.after?.getTime() ?? 0, now - MAX_INTERVAL);
  const counts = [...faded.counts];
  const rates = found.some((date) => !isExact(date, after, now)) ? arrivalRates(faded, now) : [];
  let latest = Date.parse(faded.last_item_at ?? '') || 0;
  for (const date of found) {
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

/** For how many hours each hour of the week was observed, faded as the counts are. */
function exposures(pattern: ArrivalPattern, now: number): number[] {
  const since = Date.parse(pattern.since);
  const asOf = Date.parse(pattern.as_of);
  const hours = Array.from({ length: HOURS_OF_WEEK }, () => 0);
  const weeks = Math.min(52, Math.round((asOf - since) / WEEK));
  const past = (KEPT_PER_WEEK * (1 - KEPT_PER_WEEK ** weeks)) / (1 - KEPT_PER_WEEK);
  for (let hour = 0; hour < HOURS_OF_WEEK; hour++) hours[hour] = past;
  for (let at = asOf; at < now; at = endOfHour(at)) {
    const hour = hourOfWeek(at);
    hours[hour] = (hours[hour] ?? 0) + (Math.min(endOfHour(at), now) - at) / HOUR;
  }
  return hours;
}

// Every poll computes the rates of its source: plain loops take half the time of iterators and callbacks.

function sum(values: readonly number[]): number {
  let total = 0;
  for (let at = 0; at < values.length; at++) total += values[at] ?? 0;
  return total;
}

/** Adds up the hours of the week by the hour of the day, or by the day. */
function totals(values: readonly number[], length: 7 | 24): number[] {
  const all = Array.from({ length }, () => 0);
  for (let hour = 0; hour < values.length; hour++) {
    const place = length === 24 ? hour % 24 : Math.floor(hour / 24);
    all[place] = (all[place] ?? 0) + (values[hour] ?? 0);
  }
  return all;
}

/** An hour shares with its neighbours: outlets are no clocks. */
const smooth = (values: readonly number[]): number[] =>
  values.map((value, place) => {
    const length = values.length;
    return value / 2 + (values[(place + 1) % length] ?? 0) / 4 + (values[(place + length - 1) % length] ?? 0) / 4;
  });

/**
 * The expected items an hour for each hour of the week in IST, Monday 00:00 first.
 * @param now milliseconds since 1970
 */
export function arrivalRates(pattern: ArrivalPattern, now: number): number[] {
  const observed = exposures(pattern, now);
  const usual = USUAL_RATES;
  // Nothing is known of a source: one item a day.
  const rate =
    (sum(pattern.counts) + ITEMS_OF_RATE) / (sum(observed.map((hours, at) => hours * (usual[at] ?? 0))) + 24);
  const expected = observed.map((hours, at) => hours * rate * (usual[at] ?? 0));
  const byHour = smooth(totals(pattern.counts, 24));
  const expectedByHour = smooth(totals(expected, 24));
  const byDay = totals(pattern.counts, 7);
  const expectedByDay = totals(expected, 7);
  const factor = (found: number | undefined, wanted: number | undefined): number =>
    ((found ?? 0) + ITEMS_OF_PROFILE) / ((wanted ?? 0) + ITEMS_OF_PROFILE);
  const hours = smooth(pattern.counts);
  const rates = observed.map((exposure, at) => {
    const day = Math.floor(at / 24);
    const coarse =
      rate *
      (usual[at] ?? 0) *
      factor(byHour[at % 24], expectedByHour[at % 24]) *
      factor(byDay[day], expectedByDay[day]);
    return (coarse * ((hours[at] ?? 0) + ITEMS_OF_HOUR)) / (coarse * exposure + ITEMS_OF_HOUR);
  });
  const known = Date.parse(pattern.last_item_at ?? pattern.since);
  const silentDays = (now - known) / DAY;
  // After a week without items, the silence itself limits how frequent they are.
  const maximum = silentDays > 7 ? 7 / silentDays : Number.POSITIVE_INFINITY;
  const scale = Math.min(1, maximum / sum(rates));
  return rates.map((value) => value * scale);
}
