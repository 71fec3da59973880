import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFreshSeconds, parseRetryAfter } from '../../../../ingest/poll/poll-error.ts';
import { endOfDay, hourOfWeek, observeArrivals } from '../../../../ingest/poll/schedule/arrival-pattern.ts';
import {
  learnCadence,
  MAX_SECONDS,
  MAX_SECONDS_WHILE_ACTIVE,
  MIN_SECONDS,
  maxWaitBeforeLoss,
  nextPollAt,
} from '../../../../ingest/poll/schedule/cadence.ts';
import type { ArrivalPattern } from '../../../../schemas/poll.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const wait = { now: NOW, cadenceSeconds: 600, fixed: false, failures: 0, retryAt: null, freshSeconds: 0, jitter: 0 };
const secondsTo = (date: Date): number => (date.getTime() - NOW.getTime()) / 1000;

/** A pattern of four weeks with this many items in each hour of the week, from Monday 00:00 IST. */
function patternOf(items: (hour: number) => number): ArrivalPattern {
  const since = NOW.getTime() - 28 * 86_400_000;
  const published: Date[] = [];
  for (let at = since; at < NOW.getTime(); at += 3_600_000)
    for (let item = 0; item < items(hourOfWeek(at)); item++) published.push(new Date(at + 1 + item));
  return observeArrivals(null, { published, after: null, now: NOW });
}

/** Polls on each of the next seven days in IST, at the learned cadence without jitter. */
function pollsOfWeek(pattern: ArrivalPattern): number[] {
  const polls: number[] = [];
  const start = endOfDay(NOW.getTime());
  let day = 0;
  for (let at = start; at < start + 7 * 86_400_000; ) {
    const today = Math.floor((at - start) / 86_400_000);
    day = today === polls.length - 1 ? day + 1 : 1;
    polls[today] = day;
    at += learnCadence(undefined, pattern, new Date(at), day) * 1_000;
  }
  return polls;
}

describe('the learned cadence', () => {
  const counts = fc.array(fc.nat({ max: 400 }), { minLength: 168, maxLength: 168 });

  it('given any pattern, then it stays between ten minutes and a day, with at most 60 polls a day', () => {
    fc.assert(
      fc.property(counts, fc.nat({ max: 60 }), fc.boolean(), (found, weeks, isSilent) => {
        const since = new Date(NOW.getTime() - weeks * 7 * 86_400_000).toISOString();
        const pattern = { since, as_of: since, last_item_at: isSilent ? null : NOW.toISOString(), counts: found };
        const polls = pollsOfWeek(pattern);
        expect(Math.max(...polls)).toBeLessThanOrEqual(60);
        const wait = learnCadence(undefined, pattern, NOW, 1);
        expect(wait).toBeGreaterThanOrEqual(MIN_SECONDS);
        expect(wait).toBeLessThanOrEqual(MAX_SECONDS);
      }),
      { numRuns: 5 },
    );
  });

  it('given items only on weekday mornings, then most polls are in the morning and no morning is missed', () => {
    const isMorning = (hour: number): boolean => hour < 5 * 24 && hour % 24 >= 8 && hour % 24 < 11;
    const pattern = patternOf((hour) => (isMorning(hour) ? 13 : 0));
    const waitAt = (moment: string): number => learnCadence(undefined, pattern, new Date(moment), 1);
    expect(waitAt('2026-11-23T09:00:00+05:30')).toBeLessThanOrEqual(15 * 60);
    // Sunday night, the longest pause of such a source.
    expect(waitAt('2026-11-22T23:00:00+05:30')).toBeGreaterThan(3_600);
    expect(waitAt('2026-11-22T23:00:00+05:30')).toBeLessThanOrEqual(MAX_SECONDS_WHILE_ACTIVE);
    expect(waitAt('2026-11-23T07:50:00+05:30')).toBeLessThanOrEqual(30 * 60);
  });

  it('given no new item for a long time, then polls become rarer, down to once a day', () => {
    const pattern = patternOf((hour) => (hour % 24 === 10 ? 1 : 0));
    const waits = [0, 8, 30, 300].map((days) => {
      const now = new Date(NOW.getTime() + days * 86_400_000);
      return learnCadence(undefined, observeArrivals(pattern, { published: [], after: null, now }), now, 1);
    });
    expect(waits[0]).toBeLessThanOrEqual(MAX_SECONDS_WHILE_ACTIVE);
    expect(waits[1]).toBeGreaterThan(MAX_SECONDS_WHILE_ACTIVE);
    expect(waits[2]).toBeGreaterThan(waits[1] ?? 0);
    expect(waits[3]).toBe(MAX_SECONDS);
  });

  it('given 60 polls since midnight, then the next poll waits for the next day', () => {
    const pattern = patternOf(() => 3);
    expect(learnCadence(undefined, pattern, NOW, 60)).toBe(MAX_SECONDS_WHILE_ACTIVE);
    expect(learnCadence(undefined, pattern, NOW, 20)).toBeLessThan(2_400);
  });

  it('given a cadence in the roster, then that cadence is used', () => {
    expect(learnCadence(10, null, NOW, 500)).toBe(10);
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
