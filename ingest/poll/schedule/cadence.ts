/** How long to wait before a source is polled again. */
import { DAY } from '../../../language/days.ts';
import type { ArrivalPattern, PollingHints } from '../../../schemas/poll.ts';
import { arrivalRates, endOfDay, endOfHour, hourOfWeek, nextHour, observeArrivals } from './arrival-pattern.ts';

export const MIN_SECONDS = 600;
export const MAX_SECONDS = 86_400;
/** The longest wait for a source of which less than a day is known. */
const MAX_SECONDS_WHILE_NEW = 1_800;
/** The longest wait for a source with an item within the last week. */
export const MAX_SECONDS_WHILE_ACTIVE = 7_200;
/** A server that asks for a longer pause is polled once a week all the same. */
const MAX_RETRY_SECONDS = 7 * 86_400;

const HOUR = 3_600_000;

/** Maximum polls of a source on a day of IST at a learnt cadence. A source with some six items a day reaches it. */
const MAX_POLLS = 60;
/** Below one item a day polls grow with the items, above with the square root of them. */
const POLLS_AT_ONE_ITEM = 25;
/**
 * How polls follow items over the hours. The mean delay is least where they go with the square root of the rate; more
 * than that favours the median, less the longest delays.
 */
const RATE_EXPONENT = 0.8;

const pollsOfDay = (items: number): number =>
  Math.min(MAX_POLLS, POLLS_AT_ONE_ITEM * (items < 1 ? items : Math.sqrt(items)));

/**
 * Shares the polls of a day out over its hours.
 * @param rates expected items in each hour of the day
 * @param longest seconds of the longest wait
 * @returns polls in each hour of the day
 */
export function distributePolls(rates: readonly number[], longest: number): number[] {
  const lowest = 3_600 / longest;
  const highest = 3_600 / MIN_SECONDS;
  const polls = pollsOfDay(sum(rates));
  const weights = rates.map((rate) => rate ** RATE_EXPONENT);
  const within = (wanted: number): number => (wanted > highest ? highest : wanted > lowest ? wanted : lowest);
  // The scale at which the day has its polls. Bounds on single hours leave no formula, but between them the polls grow in
  // proportion to the scale: each step assumes the bounds of the step before it, or else halves what is left.
  let [low, high] = [0, highest / Math.max(Number.MIN_VALUE, Math.min(...weights))];
  let scale = polls / Math.max(Number.MIN_VALUE, sum(weights));
  for (let step = 0; step < 60; step++) {
    let [total, growing] = [0, 0];
    for (let hour = 0; hour < weights.length; hour++) {
      const weight = weights[hour] ?? 0;
      const share = within(weight * scale);
      total += share;
      if (share > lowest && share < highest) growing += weight;
    }
    const missing = polls - total;
    if (Math.abs(missing) < 1e-9) break;
    if (missing < 0) high = scale;
    else low = scale;
    const proportional = scale + missing / growing;
    scale = proportional > low && proportional < high ? proportional : (low + high) / 2;
  }
  return weights.map((weight) => within(weight * scale));
}

/** Polls an hour in each hour of the week; each day is computed on first use. */
function pollRate(rates: readonly number[], longest: number): (hour: number) => number {
  const days: (readonly number[] | undefined)[] = [];
  return (hour) => {
    const day = Math.floor(hour / 24);
    const polls = days[day] ?? distributePolls(rates.slice(day * 24, day * 24 + 24), longest);
    days[day] = polls;
    return polls[hour % 24] ?? 0;
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * The time between two polls in seconds: fixed by the roster, or learnt from when items arrive.
 * @param pattern null where nothing is known
 * @param pollsToday polls of the source since midnight in IST, this one included
 */
export function learnCadence(
  fixed: number | undefined,
  pattern: ArrivalPattern | null,
  now: Date,
  pollsToday: number,
): number {
  if (fixed !== undefined) return fixed;
  if (!pattern) return MAX_SECONDS_WHILE_NEW;
  const started = now.getTime();
  const active = started - Date.parse(pattern.last_item_at ?? '') <= 7 * DAY;
  const isNew = started - Date.parse(pattern.since) < DAY;
  const longest = isNew ? MAX_SECONDS_WHILE_NEW : active ? MAX_SECONDS_WHILE_ACTIVE : MAX_SECONDS;
  const rateIn = pollRate(arrivalRates(pattern, started), longest);
  const midnight = endOfDay(started);
  // What is learnt during a day redistributes its polls; polls that were made already count.
  const planned = pollsBetween(rateIn, started, midnight);
  const kept = Math.min(1, Math.max(0, MAX_POLLS - pollsToday) / planned);
  // The next poll is due when the rate, added up from now on, comes to one poll.
  let polls = 0;
  let [hour, end] = [hourOfWeek(started), endOfHour(started)];
  for (let at = started; at < started + longest * 1_000; at = end, end += HOUR, hour = nextHour(hour)) {
    const rate = Math.max(3_600 / longest, rateIn(hour) * (at < midnight ? kept : 1)) / HOUR;
    const left = end - at;
    if (polls + rate * left >= 1) return bounded((at - started + (1 - polls) / rate) / 1_000, longest);
    polls += rate * left;
  }
  return longest;
}

function pollsBetween(rateIn: (hour: number) => number, from: number, to: number): number {
  let polls = 0;
  let [hour, end] = [hourOfWeek(from), endOfHour(from)];
  for (let at = from; at < to; at = end, end += HOUR, hour = nextHour(hour))
    polls += (rateIn(hour) * (end - at)) / HOUR;
  return polls;
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

/** What decides of a source's earlier polls when it is due again; part of `PollState`. */
export interface CadenceState {
  readonly last_polled_at?: string | null;
  readonly last_success_at?: string | null;
  /** Polls on the day of the last one in IST, up to it. */
  readonly polls_today?: number;
  readonly arrival_pattern?: ArrivalPattern | null;
}

/** The number of polls of a source on this day in IST, including the one that began at `started`. */
export function countPollsToday({ last_polled_at, polls_today = 0 }: CadenceState, started: Date): number {
  const last = Date.parse(last_polled_at ?? '');
  return (endOfDay(last) === endOfDay(started.getTime()) ? polls_today : 0) + 1;
}

/** A poll that succeeded, as far as it decides when its source is due again. */
export interface SuccessfulPoll {
  readonly before: CadenceState;
  /** When it began. */
  readonly started: Date;
  /** The cadence that the roster fixes, in seconds. */
  readonly fixed: number | undefined;
  /** Nothing that was listed before is known. */
  readonly first: boolean;
  /** The dates of new items; of all where no pattern is known. */
  readonly published: readonly (Date | null)[];
  readonly news: number;
  readonly listed: number;
}

/** Learns from a poll that succeeded. @returns the pattern, the polls of this day, and the seconds until the next poll */
export function learnFromPoll(poll: SuccessfulPoll): { pattern: ArrivalPattern; pollsToday: number; cadence: number } {
  const { before, started, fixed, first, published, news, listed } = poll;
  const pattern = observeArrivals(before.arrival_pattern ?? null, {
    published,
    after: before.last_success_at ? new Date(before.last_success_at) : null,
    now: started,
  });
  const pollsToday = countPollsToday(before, started);
  const learnt = learnCadence(fixed, pattern, started, pollsToday);
  const since = Date.parse(before.last_success_at ?? '');
  const longest =
    fixed !== undefined || first || Number.isNaN(since)
      ? learnt
      : maxWaitBeforeLoss((started.getTime() - since) / 1_000, { news, listed });
  return { pattern, pollsToday, cadence: Math.min(learnt, longest) };
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
  for (let at = due; at <= due + 8 * DAY; at = (Math.floor(at / HOUR) + 1) * HOUR) {
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
