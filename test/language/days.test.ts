import { describe, expect, it } from 'vitest';
import { daysBetween, formatDay, istDay, monthStart, plusDays, startOfDay, weekday } from '../../language/days.ts';

describe('days in IST', () => {
  it.each([
    ['2026-08-23T18:29:59Z', '2026-08-23', '23 August 2026'],
    ['2026-08-23T18:30:00Z', '2026-08-24', '24 August 2026'],
    ['2026-08-24', '2026-08-24', '24 August 2026'],
  ])('given %s, then its day begins at midnight in India', (moment, day, words) => {
    expect(istDay(moment)).toBe(day);
    expect(formatDay(moment)).toBe(words);
    expect(istDay(startOfDay(day))).toBe(day);
    expect(istDay(startOfDay(day).getTime() - 1)).toBe(plusDays(day, -1));
  });

  it('given two moments an hour apart around midnight in India, then a day lies between them', () => {
    expect(daysBetween('2026-08-23T18:00:00Z', '2026-08-23T19:00:00Z')).toBe(1);
    expect(daysBetween('2026-08-23T19:00:00Z', '2026-08-24T18:00:00Z')).toBe(0);
  });

  it('given days at the ends of months and weeks, then they are counted by the calendar', () => {
    expect(plusDays('2026-02-28', 1)).toBe('2026-03-01');
    expect(monthStart(2026, 13)).toBe('2027-01-01');
    expect([weekday('2026-11-23'), weekday('2026-11-22')]).toEqual([1, 7]);
  });
});
