/** How long to wait before a source is polled again. */
import { DAY } from '../../../language/days.ts';
import type { Arrivals, PollingHints } from '../../../schemas/poll.ts';

export const MIN_SECONDS = 600;
export const MAX_SECONDS = 86_400;
/** The longest wait for a source with an item within the last week. */
export const MAX_SECONDS_WHILE_ACTIVE = 7_200;
/** A server that asks for a longer pause is polled once a week all the same. */
const MAX_RETRY_SECONDS = 7 * 86_400;

const HOUR = 3_600_000;
const WEEK = 7 * DAY;

// When the items of a source arrive: counts by hour of the day in UTC, which fade to 1/e within a week.

/** The share of an hour in a day of Indian business news: most from 09:00 to 20:00 IST. */
const USUAL_HOURS = [5, 9, 15, 20, 24, 26, 26, 26, 26, 26, 26, 26, 25, 23, 19, 14, 11, 9, 6, 4, 2, 2, 2, 3];
/** A source of which nothing is known counts as one with an item a day. */
const ITEMS_AT_START = 7;
/** Maximum number of new items of one poll that are counted: an archive that reappears is no rhythm. */
const MAX_NEW_ITEMS = 50;

const endOfHour = (at: number): number => (Math.floor(at / HOUR) + 1) * HOUR;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Adds the new items of a poll, in the hour of the poll.
 * @param before null for a source of which nothing is known: what its first poll lists says nothing about its hours
 * @returns the same object where the poll adds nothing
 */
export function observeArrivals(before: Arrivals | null, items: number, now: Date): Arrivals {
  // Written by a clock that has been set back since, a moment means nothing.
  if (!before || Date.parse(before.as_of) > now.getTime()) return arrivalsAtStart(now);
  if (items === 0) return before;
  const counts = fade(before, now).map((count) => Math.round(count * 1_000) / 1_000);
  const hour = now.getUTCHours();
  return {
    as_of: now.toISOString(),
    by_hour: counts.with(hour, (counts[hour] ?? 0) + Math.min(items, MAX_NEW_ITEMS)),
  };
}

const arrivalsAtStart = (now: Date): Arrivals => ({
  as_of: now.toISOString(),
  by_hour: USUAL_HOURS.map((share) => (share / sum(USUAL_HOURS)) * ITEMS_AT_START),
});

function fade({ as_of, by_hour }: Arrivals, now: Date): number[] {
  const kept = Math.exp((Date.parse(as_of) - now.getTime()) / WEEK);
  return by_hour.map((count) => count * kept);
}

// Polls follow the square root of the items: that makes the mean delay least for a number of polls.

/** Polls of an hour in which one item is expected. */
const POLLS_AT_ONE_ITEM = 6;
/** What the hours of a day add up to, so that no day has more than 60 polls. */
const MAX_POLLS = 59;

/**
 * The polls of each hour of the day.
 * @param items expected in each hour
 * @param longest seconds of the longest wait
 */
function distributePolls(items: readonly number[], longest: number): number[] {
  const lowest = 3_600 / longest;
  const above = items.map((count) => Math.max(0, POLLS_AT_ONE_ITEM * Math.sqrt(count) - lowest));
  const scale = Math.min(1, (MAX_POLLS - 24 * lowest) / sum(above));
  return above.map((polls) => Math.min(3_600 / MIN_SECONDS, lowest + polls * scale));
}

/**
 * The time between two polls in seconds: fixed by the roster, or learnt from when items arrive.
 * @param arrivals null where nothing is known
 */
export function learnCadence(fixed: number | undefined, arrivals: Arrivals | null, now: Date): number {
  if (fixed !== undefined) return fixed;
  const counts = fade(arrivals ?? arrivalsAtStart(now), now);
  // An item of a week ago counts for 1/e.
  const longest = sum(counts) >= 1 / Math.E ? MAX_SECONDS_WHILE_ACTIVE : MAX_SECONDS;
  const polls = distributePolls(
    counts.map((count) => count / 7),
    longest,
  );
  // The next poll is due when the polls of the hours, added up from now on, come to one.
  const started = now.getTime();
  let missing = 1;
  for (let at = started; at < started + longest * 1_000; at = endOfHour(at)) {
    const rate = (polls[new Date(at).getUTCHours()] ?? 0) / HOUR;
    const left = endOfHour(at) - at;
    if (rate * left >= missing) return bounded((at - started + missing / rate) / 1_000, longest);
    missing -= rate * left;
  }
  return longest;
}

const bounded = (seconds: number, longest: number): number =>
  Math.round(Math.min(longest, Math.max(MIN_SECONDS, seconds)));

/**
 * The longest wait after which a feed still lists everything that came in between: until half of it is new, if items go
 * on arriving as fast as since the poll before.
 * @returns seconds, no less than the shortest wait
 */
export function maxWaitBeforeLoss(seconds: number, poll: { readonly news: number; readonly listed: number }): number {
  if (poll.news === 0) return MAX_SECONDS;
  return bounded((seconds * poll.listed) / poll.news / 2, MAX_SECONDS);
}

/** A poll that succeeded, as far as it decides when its source is due again. */
export interface SuccessfulPoll {
  readonly arrivals: Arrivals | null;
  /** The poll before that succeeded; null where nothing that was listed before is known. */
  readonly after: Date | null;
  /** When it began. */
  readonly started: Date;
  /** The cadence that the roster fixes, in seconds. */
  readonly fixed: number | undefined;
  readonly news: number;
  readonly listed: number;
}

/** Learns from a poll that succeeded. @returns the arrivals and the seconds until the next poll */
export function learnFromPoll(poll: SuccessfulPoll): { arrivals: Arrivals; cadence: number } {
  const { after, started, fixed, news, listed } = poll;
  const arrivals = observeArrivals(poll.arrivals, news, started);
  const learnt = learnCadence(fixed, arrivals, started);
  if (fixed !== undefined || !after) return { arrivals, cadence: learnt };
  const seconds = (started.getTime() - after.getTime()) / 1_000;
  return { arrivals, cadence: Math.min(learnt, maxWaitBeforeLoss(seconds, { news, listed })) };
}

export interface Wait {
  readonly now: Date;
  readonly cadenceSeconds: number;
  /** True where the roster fixes the cadence: then what the outlet says of its feed does not lengthen it. */
  readonly fixed: boolean;
  /** Failures in a row, this poll included. */
  readonly failures: number;
  readonly retryAt: Date | null;
  /** Seconds for which the response is fresh, 0 when the outlet does not state it. */
  readonly freshSeconds: number;
  /** How often the feed may be read; null when it does not state it. */
  readonly hints?: PollingHints | null;
  /** Seconds that robots.txt asks for between two requests, 0 when it states none. */
  readonly crawlDelaySeconds?: number;
  /** From 0 to 1: how much of a tenth is added, so that sources do not stay in step. */
  readonly jitter: number;
}

/** The moment of the next poll. Failures double the wait up to a day; what an outlet asks for is respected. */
export function nextPollAt(wait: Wait): Date {
  const { hints = null, crawlDelaySeconds = 0 } = wait;
  const stated = wait.fixed || wait.failures > 0 ? 0 : Math.max(wait.freshSeconds, hints?.minimum_seconds ?? 0);
  const wished = Math.min(Math.max(stated, crawlDelaySeconds), MAX_SECONDS);
  const doubled = wait.cadenceSeconds * 2 ** Math.min(Math.max(wait.failures - 1, 0), 20);
  const seconds = Math.min(MAX_SECONDS, Math.max(wished, doubled * (1 + wait.jitter * 0.1)));
  const requested = wait.retryAt ? (wait.retryAt.getTime() - wait.now.getTime()) / 1000 : 0;
  const due = wait.now.getTime() + Math.max(seconds, Math.min(requested, MAX_RETRY_SECONDS)) * 1000;
  return new Date(hints && !wait.fixed ? afterSkipped(due, hints) : due);
}

/** Whether a feed names hours or days in which it should not be read. */
export const isSkipping = (hints: PollingHints | null): boolean =>
  hints !== null && hints.skip_hours.length + hints.skip_days.length > 0;

/** The first moment from `due` on that is in no hour and on no day to be skipped; `due` where all are. */
function afterSkipped(due: number, { skip_hours, skip_days }: PollingHints): number {
  for (let at = due; at <= due + 8 * DAY; at = endOfHour(at)) {
    const date = new Date(at);
    if (!skip_hours.includes(date.getUTCHours()) && !skip_days.includes(date.getUTCDay())) return at;
  }
  return due;
}

/**
 * Whether a source may wait until a moment that was stored, by this process or another: one that no wait
 * leads to was written by a clock that has been set since, and is ignored.
 * @param skips whether its feed names hours or days to be skipped, which may put a poll off for longer
 */
export function mayWaitUntil(due: number, failures: number, now: number, skips = false): boolean {
  const longest = failures > 0 || skips ? MAX_RETRY_SECONDS + (skips ? MAX_SECONDS : 0) : MAX_SECONDS;
  return due > now && due - now <= longest * 1_000;
}
