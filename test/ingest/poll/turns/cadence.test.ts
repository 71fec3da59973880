import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshSeconds, retryAt } from '../../../../ingest/poll/fetch/answer-headers.ts';
import { LONGEST_SECONDS, learnCadence, nextPollAt, SHORTEST_SECONDS } from '../../../../ingest/poll/turns/cadence.ts';

const NOW = new Date('2026-11-21T06:00:00Z');
const wait = { now: NOW, cadenceSeconds: 600, fixed: false, failures: 0, retryAt: null, freshSeconds: 0, jitter: 0 };
const secondsTo = (date: Date): number => (date.getTime() - NOW.getTime()) / 1000;

describe('the learnt cadence', () => {
  it('stays between ten minutes and a day, whatever is found', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ changed: fc.boolean(), news: fc.nat(5) })), (polls) => {
        let cadence: number | null = null;
        for (const found of polls) cadence = learnCadence(undefined, cadence, found);
        expect(cadence ?? SHORTEST_SECONDS).toBeGreaterThanOrEqual(SHORTEST_SECONDS);
        expect(cadence ?? LONGEST_SECONDS).toBeLessThanOrEqual(LONGEST_SECONDS);
      }),
    );
  });

  it('comes to rest near twice the rhythm of a source', () => {
    const everyHours = 6;
    let cadence = 600;
    let now = 0;
    let polls = 0;
    for (let change = 1; change <= 200; change++) {
      for (; now < change * everyHours * 3600; now += cadence) {
        polls += 1;
        cadence = learnCadence(undefined, cadence, { changed: false, news: 0 });
      }
      polls += 1;
      cadence = learnCadence(undefined, cadence, { changed: true, news: 1 });
      now += cadence;
    }
    expect(polls / 200).toBeGreaterThan(1.2);
    expect(polls / 200).toBeLessThan(4);
  });

  it("is the roster's where the roster fixes one", () => {
    expect(learnCadence(10, 5_000, { changed: false, news: 0 })).toBe(10);
  });
});

describe('the next poll', () => {
  it('is doubled away by failures, up to a day', () => {
    const waits = [1, 2, 3, 4, 30].map((failures) => secondsTo(nextPollAt({ ...wait, failures })));
    expect(waits).toEqual([600, 1_200, 2_400, 4_800, 86_400]);
  });

  it('honours what the server asks for, both forms, up to a week', () => {
    const asked = retryAt({ 'retry-after': '7200' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, failures: 1, retryAt: asked }))).toBe(7_200);
    const dated = retryAt({ 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, failures: 1, retryAt: dated }))).toBe(10_800);
    const never = retryAt({ 'retry-after': '999999999' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, failures: 1, retryAt: never }))).toBe(7 * 86_400);
    expect(retryAt({ 'retry-after': 'soon' }, NOW)).toBeNull();
  });

  it('does not come while the answer is fresh, unless the roster fixes the cadence', () => {
    const fresh = freshSeconds({ 'cache-control': 'public, max-age=3600', age: '600' }, NOW);
    expect(secondsTo(nextPollAt({ ...wait, freshSeconds: fresh }))).toBe(3_000);
    expect(secondsTo(nextPollAt({ ...wait, freshSeconds: fresh, fixed: true }))).toBe(600);
    expect(freshSeconds({ expires: 'Sat, 21 Nov 2026 07:00:00 GMT' }, NOW)).toBe(3_600);
    expect(freshSeconds({ 'cache-control': 'no-cache, max-age=60' }, NOW)).toBe(0);
  });

  it('is put off by a tenth at most, never brought forward, by jitter', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (jitter) => {
        const seconds = secondsTo(nextPollAt({ ...wait, jitter }));
        expect(seconds).toBeGreaterThanOrEqual(600);
        expect(seconds).toBeLessThanOrEqual(660.1);
      }),
    );
  });
});
