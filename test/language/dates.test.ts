import { describe, expect, test } from 'vitest';
import { findDay } from '../../language/dates.ts';

describe('the day of an event', () => {
  test.each([
    ['takes over on 24 August 2026', '2026-07-20', '2026-08-24'],
    ['effective from 1 April', '2026-03-20', '2026-04-01'],
    ['opens on June 18', '2026-06-10', '2026-06-18'],
    ['announced on Monday', '2026-07-22', '2026-07-20'],
    ['announced on Monday', '2026-07-20', '2026-07-20'],
    ['said yesterday', '2026-01-01', '2025-12-31'],
    ['from January 3', '2025-12-28', '2026-01-03'],
  ])('given "%s" in an item of %s, then it is %s', (text, around, day) => {
    expect(findDay(text, around)).toBe(day);
  });

  test.each(['plans to open soon', 'on 31 February 2026', 'within 20 months'])(
    'given "%s", then no day is guessed',
    (text) => {
      expect(findDay(text, '2026-07-20')).toBeNull();
    },
  );

  test('given a weekday and an item without a date, then there is no day', () => {
    expect(findDay('on Monday', null)).toBeNull();
  });
});
