import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findDay, startOfDay } from '../../../ingest/understand/dates.ts';
import { fiscalYear, periodIn } from '../../../schemas/moves-by-kind.ts';

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

  test('given a moment, then the day begins at midnight in India', () => {
    expect(startOfDay('2026-08-24')).toBe('2026-08-23T18:30:00.000Z');
  });
});

describe('the period of a result', () => {
  test.each([
    ['Q1 FY27 revenue rises', '2026-07-20', 'Q1 FY27'],
    ['Q1 profit rises', '2026-07-20', 'Q1 FY27'],
    ['Q4 net loss widens', '2026-05-28', 'Q4 FY26'],
    ['June quarter PAT jumps', '2026-07-30', 'Q1 FY27'],
    ['reports revenue in FY26', '2026-07-20', 'FY26'],
    ['in fiscal 2025-26', '2026-07-20', 'FY26'],
    ['Q3 update', '2026-01-05', 'Q3 FY26'],
  ])('given "%s" on %s, then it is %s', (text, day, period) => {
    expect(periodIn(text, day)).toBe(period);
  });

  test('given any day, then the fiscal year begins on 1 April', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-01'), max: new Date('2098-12-31'), noInvalidDate: true }),
        (date) => {
          const day = date.toISOString().slice(0, 10);
          const year = Number(day.slice(0, 4)) + (day.slice(5) >= '04-01' ? 1 : 0);
          expect(fiscalYear(day)).toBe(year % 100);
        },
      ),
    );
  });
});
