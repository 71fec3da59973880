import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFreshSeconds, parseRetryAfter } from '../../../../ingest/poll/poll-error.ts';
import {
  learnCadence,
  MAX_SECONDS,
  MAX_SECONDS_WHILE_ACTIVE,
  MIN_SECONDS,
  maxWaitBeforeLoss,
  nextPollAt,
  observeArrivals,
} from '../../../../ingest/poll/schedule/cadence.ts';
import { Arrivals } from '../../../../schemas/poll.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const wait = { now: NOW, cadenceSeconds: 600, fixed: false, failures: 0, retryAt: null, freshSeconds: 0, jitter: 0 };
const secondsTo = (date: Date): number => (date.getTime() - NOW.getTime()) / 1000;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The arrivals of four weeks with this many items in each hour of the day in UTC, polled at the end of each hour. */
function arrivalsOf(items: (hour: number) => number): Arrivals {
  let arrivals: Arrivals | null = null;
  for (let at = NOW.getTime() - 28 * DAY; at <= NOW.getTime(); at += HOUR)
    arrivals = observeArrivals(arrivals, items(new Date(at).getUTCHours()), new Date(at));
  return arrivals ?? observeArrivals(null, 0, NOW);
}

const total = ({ by_hour }: Arrivals): number => by_hour.reduce((sum, count) => sum + count, 0);

/** Polls on each of seven days, at the learned cadence without jitter. */
function pollsOfWeek(arrivals: Arrivals): number[] {
  const polls = Array.from({ length: 7 }, () => 0);
  for (let at = NOW.getTime(); at < NOW.getTime() + 7 * DAY; ) {
    const day = Math.floor((at - NOW.getTime()) / DAY);
    polls[day] = (polls[day] ?? 0) + 1;
    at += learnCadence(undefined, arrivals, new Date(at)) * 1_000;
  }
  return polls;
}

describe('the arrivals of a source', () => {
  const first = observeArrivals(null, 40, NOW);

  it('given a first poll, then what it lists does not count: about one item a day is expected, by day in India', () => {
    expect(total(first)).toBeCloseTo(7);
    expect(first.by_hour[6]).toBeGreaterThan(5 * (first.by_hour[21] ?? 0));
  });

  it('given new items, then they count in the hour of the poll, an archive in part, and earlier ones fade', () => {
    const later = observeArrivals(first, 2, new Date(NOW.getTime() + 7 * DAY));
    expect(later.by_hour[6]).toBeCloseTo((first.by_hour[6] ?? 0) / Math.E + 2, 2);
    expect(total(later)).toBeCloseTo(7 / Math.E + 2, 1);
    expect(total(observeArrivals(first, 10_000, NOW))).toBeLessThan(60);
    expect(observeArrivals(first, 0, new Date(NOW.getTime() + DAY))).toBe(first);
  });

  it('given years of polls, then the stored counts do not grow and the schema accepts them', () => {
    let arrivals = first;
    for (let hour = 0; hour < 3 * 365 * 24; hour += 7)
      arrivals = observeArrivals(arrivals, 2, new Date(NOW.getTime() + hour * HOUR));
    expect(JSON.stringify(Arrivals.parse(arrivals)).length).toBeLessThan(300);
  });

  it('given a clock that was set back, then counts from the later time are dropped', () => {
    const future = observeArrivals(first, 20, new Date(NOW.getTime() + DAY));
    expect(observeArrivals(future, 0, NOW)).toEqual(first);
  });
});

describe('the learned cadence', () => {
  const counts = fc.array(fc.nat({ max: 400 }), { minLength: 24, maxLength: 24 });

  it('given any arrivals, then it stays between ten minutes and a day, with at most 60 polls a day', () => {
    fc.assert(
      fc.property(counts, fc.nat({ max: 60 }), (by_hour, weeks) => {
        const arrivals = { as_of: new Date(NOW.getTime() - weeks * 7 * DAY).toISOString(), by_hour };
        expect(Math.max(...pollsOfWeek(arrivals))).toBeLessThanOrEqual(60);
        const wait = learnCadence(undefined, arrivals, NOW);
        expect(wait).toBeGreaterThanOrEqual(MIN_SECONDS);
        expect(wait).toBeLessThanOrEqual(MAX_SECONDS);
      }),
      { numRuns: 20 },
    );
  });

  it('given items only in the morning, then most polls are in the morning, and no pause reaches into it', () => {
    // From 08:30 to 11:30 IST.
    const arrivals = arrivalsOf((hour) => (hour >= 3 && hour < 6 ? 13 : 0));
    const waitAt = (moment: string): number => learnCadence(undefined, arrivals, new Date(moment));
    expect(waitAt('2026-11-23T09:00:00+05:30')).toBeLessThanOrEqual(15 * 60);
    expect(waitAt('2026-11-22T23:00:00+05:30')).toBeGreaterThan(3_600);
    expect(waitAt('2026-11-22T23:00:00+05:30')).toBeLessThanOrEqual(MAX_SECONDS_WHILE_ACTIVE);
    expect(waitAt('2026-11-23T07:50:00+05:30')).toBeLessThanOrEqual(50 * 60);
  });

  it('given one item and then none, then polls become rarer after a week, down to once a day', () => {
    const arrivals = {
      as_of: NOW.toISOString(),
      by_hour: Array.from({ length: 24 }, (_, hour) => (hour === 6 ? 1 : 0)),
    };
    const waits = [6, 8, 30, 300].map((days) =>
      learnCadence(undefined, arrivals, new Date(NOW.getTime() + days * DAY + 12 * HOUR)),
    );
    expect(waits[0]).toBeLessThanOrEqual(MAX_SECONDS_WHILE_ACTIVE);
    expect(waits[1]).toBeGreaterThan(MAX_SECONDS_WHILE_ACTIVE);
    expect(waits[2]).toBeGreaterThan(waits[1] ?? 0);
    expect(waits[3]).toBe(MAX_SECONDS);
  });

  it('given a cadence in the roster, then that cadence is used', () => {
    expect(learnCadence(10, null, NOW)).toBe(10);
  });

  it('given a feed with half of its entries new after an hour, then the next wait is not longer', () => {
    expect(maxWaitBeforeLoss(3_600, { news: 10, listed: 20 })).toBe(3_600);
    expect(maxWaitBeforeLoss(3_600, { news: 20, listed: 20 })).toBe(1_800);
    expect(maxWaitBeforeLoss(600, { news: 20, listed: 20 })).toBe(MIN_SECONDS);
    expect(maxWaitBeforeLoss(3_600, { news: 0, listed: 20 })).toBe(MAX_SECONDS);
  });
});

describe('the next poll', () => {
  it('given failures, then the wait doubles, up to a day', () => {
    const waits = [1, 2, 3, 4, 30].map((failures) => secondsTo(nextPollAt({ ...wait, failures })));
    expect(waits).toEqual([600, 1_200, 2_400, 4_800, 86_400]);
  });

  it('given Retry-After in either form, then it is respected, up to a week', () => {
    const asked = parseRetryAfter({ 'retry-after': '7200' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, failures: 1, retryAt: asked }))).toBe(7_200);
    const dated = parseRetryAfter({ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, failures: 1, retryAt: dated }))).toBe(10_800);
    const never = parseRetryAfter({ 'retry-after': '999999999' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, failures: 1, retryAt: never }))).toBe(7 * 86_400);
    expect(parseRetryAfter({ 'retry-after': 'soon' }, NOW)).toBeNull();
  });

  it('given a fresh response, then the next poll waits until it expires, unless the roster fixes the cadence', () => {
    const fresh = parseFreshSeconds({ 'cache-control': 'public, max-age=3600', age: '600' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, freshSeconds: fresh }))).toBe(3_000);
    expect(secondsTo(nextPollAt({ ...wait, freshSeconds: fresh, fixed: true }))).toBe(600);
    expect(parseFreshSeconds({ expires: 'Sat, 21 Nov 2026 07:00:00 GMT' }, NOW)).toBe(3_600);
    expect(parseFreshSeconds({ 'cache-control': 'no-cache, max-age=60' }, NOW)).toBe(0);
  });

  it('given jitter, then the poll is delayed by a tenth at most and never brought forward', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (jitter) => {
        const seconds = secondsTo(nextPollAt({ ...wait, jitter }));
        expect(seconds).toBeGreaterThanOrEqual(600);
        expect(seconds).toBeLessThanOrEqual(660.1);
      }),
    );
  });

  const hints = { minimum_seconds: 0, skip_hours: [], skip_days: [] };

  it.each([
    ['ttl or its update period', { hints: { ...hints, minimum_seconds: 3_600 } }, 3_600],
    ['an update period of a month, up to a day', { hints: { ...hints, minimum_seconds: 30 * 86_400 } }, 86_400],
    ['Crawl-delay', { crawlDelaySeconds: 1_800 }, 1_800],
    ['skipHours, until the next hour that is not skipped', { hints: { ...hints, skip_hours: [6, 7] } }, 7_200],
    ['skipDays', { hints: { ...hints, skip_days: [6, 0] } }, (18 + 24) * 3_600],
    [
      'a week of skipDays, which is no wish that can be met',
      { hints: { ...hints, skip_days: [0, 1, 2, 3, 4, 5, 6] } },
      600,
    ],
  ])('given %s, then the wait respects it', (_name, asked, seconds) => {
    expect(secondsTo(nextPollAt({ ...wait, ...asked }))).toBe(seconds);
  });

  it('given a cadence in the roster, then the feed does not change it, but robots.txt does', () => {
    const strict = { minimum_seconds: 7_200, skip_hours: [6], skip_days: [6] };
    expect(secondsTo(nextPollAt({ ...wait, fixed: true, hints: strict }))).toBe(600);
    expect(secondsTo(nextPollAt({ ...wait, fixed: true, crawlDelaySeconds: 900 }))).toBe(900);
  });
});
