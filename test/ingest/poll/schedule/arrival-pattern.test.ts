import { describe, expect, it } from 'vitest';
import { arrivalRates, hourOfWeek, observeArrivals } from '../../../../ingest/poll/schedule/arrival-pattern.ts';
import { ArrivalPattern } from '../../../../schemas/poll.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (moment: string): Date => new Date(`${moment}+05:30`);
/** Monday. */
const START = at('2026-11-02T00:00:00');
const later = (hours: number): Date => new Date(START.getTime() + hours * HOUR);
const NOTHING = observeArrivals(null, { published: [], after: null, now: START });
const total = (pattern: ArrivalPattern): number => pattern.counts.reduce((sum, count) => sum + count, 0);

describe('the hour of the week', () => {
  it('given a moment, then it is the hour in IST, counted from Monday', () => {
    expect(hourOfWeek(at('2026-11-02T00:00:00').getTime())).toBe(0);
    expect(hourOfWeek(at('2026-11-08T23:59:59').getTime())).toBe(167);
    expect(hourOfWeek(Date.parse('2026-11-03T18:30:00Z'))).toBe(48);
  });
});

describe('the arrivals of a source', () => {
  it('given a first poll, then the dates of its items count, except those of years ago', () => {
    const now = at('2026-11-04T12:00:00');
    const published = [at('2026-11-03T09:20:00'), at('2026-11-04T10:05:00'), at('2020-01-01T10:00:00'), null];
    const pattern = observeArrivals(null, { published, after: null, now });
    expect(pattern.since).toBe(at('2026-11-03T09:20:00').toISOString());
    expect(pattern.last_item_at).toBe(at('2026-11-04T10:05:00').toISOString());
    expect([pattern.counts[24 + 9], pattern.counts[48 + 10], total(pattern)]).toEqual([1, 1, 2]);
  });

  it('given an item that is dated after the last poll, then it counts in its own hour', () => {
    const pattern = observeArrivals(NOTHING, { published: [later(9.5)], after: later(8), now: later(12) });
    expect(pattern.counts[9]).toBe(1);
    expect(pattern.last_item_at).toBe(later(9.5).toISOString());
  });

  it.each([
    ['no date', null],
    ['a day without a time', at('2026-11-02T00:00:00')],
    ['a date before the last poll, as it was put out late', later(3)],
  ])('given an item with %s, then it counts as one, spread over the hours since the last poll', (_name, date) => {
    const pattern = observeArrivals(NOTHING, { published: [date], after: later(8), now: later(12) });
    expect(total(pattern)).toBeCloseTo(1, 1);
    expect(pattern.counts.slice(8, 12).every((count) => count > 0)).toBe(true);
    expect(pattern.counts.slice(12).every((count) => count === 0)).toBe(true);
  });

  it('given polls without new items, then counts stay unchanged for a week and decay after it', () => {
    const pattern = observeArrivals(NOTHING, { published: [later(1)], after: START, now: later(2) });
    expect(observeArrivals(pattern, { published: [], after: later(2), now: later(100) })).toBe(pattern);
    const faded = observeArrivals(pattern, { published: [], after: later(2), now: later(169) });
    expect(faded.counts[1]).toBeLessThan(1);
    expect(faded.as_of).toBe(later(168).toISOString());
  });

  it('given years of polls, then the stored pattern does not grow and the schema accepts it', () => {
    let pattern: ArrivalPattern = NOTHING;
    for (let hour = 0; hour < 3 * 365 * 24; hour += 7)
      pattern = observeArrivals(pattern, {
        published: [later(hour + 6.3), null],
        after: later(hour),
        now: later(hour + 7),
      });
    expect(JSON.stringify(ArrivalPattern.parse(pattern)).length).toBeLessThan(1_500);
  });

  it('given a clock that was set back, then counts from the later time are dropped', () => {
    const future = observeArrivals(null, { published: [], after: null, now: later(10_000) });
    expect(observeArrivals(future, { published: [], after: null, now: START })).toEqual(NOTHING);
  });
});

describe('the rates of arrivals', () => {
  it('given four weeks of ten items on each weekday at nine, then the rate is highest in that hour and close to zero on Sunday', () => {
    let pattern: ArrivalPattern = NOTHING;
    for (let day = 0; day < 28; day++) {
      const nine = START.getTime() + day * DAY + 9 * HOUR;
      const published = day % 7 < 5 ? Array.from({ length: 10 }, (_, place) => new Date(nine + place * 60_000)) : [];
      pattern = observeArrivals(pattern, { published, after: new Date(nine - HOUR), now: new Date(nine + HOUR) });
    }
    const rates = arrivalRates(pattern, START.getTime() + 28 * DAY);
    const ofDay = (day: number): number => rates.slice(day * 24, day * 24 + 24).reduce((sum, rate) => sum + rate, 0);
    expect(rates[24 + 9]).toBe(Math.max(...rates.slice(24, 48)));
    expect(ofDay(1)).toBeGreaterThan(7);
    expect(ofDay(1)).toBeLessThan(13);
    expect(ofDay(6)).toBeLessThan(1.5);
    expect((rates[24 + 3] ?? 1) * 20).toBeLessThan(rates[24 + 9] ?? 0);
  });

  it('given no observations, then about one item per day is expected, by day rather than by night', () => {
    const rates = arrivalRates(NOTHING, START.getTime());
    expect(rates.reduce((sum, rate) => sum + rate, 0) / 7).toBeCloseTo(1, 1);
    expect(rates[12]).toBeGreaterThan(5 * (rates[3] ?? 0));
  });
});
