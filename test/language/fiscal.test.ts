import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fiscalIn,
  fiscalYear,
  periodIn,
  quarterDays,
  quarterName,
  quarterOf,
  quarterOrder,
  readQuarter,
} from '../../language/fiscal.ts';

describe('readQuarter', () => {
  it.each([
    ['Q2 FY27', 'Q2 FY27'],
    ['q2fy27', 'Q2 FY27'],
    ['Q2 FY2027', 'Q2 FY27'],
    ['Q2 FY2026-27', 'Q2 FY27'],
    ['q2 2026-27', 'Q2 FY27'],
    ['2QFY27', 'Q2 FY27'],
    ['Q2 2027', 'Q2 FY27'],
    ['Q2', 'Q2 FY27'],
    ['Q3', 'Q3 FY26'],
    ['September quarter', 'Q2 FY27'],
    ['Sep 2026', 'Q2 FY27'],
    ['March 2026 quarter', 'Q4 FY26'],
    ['FY26', null],
    ['H1 FY27', null],
    ['last quarter but one', null],
    ['', null],
  ])('given 10 November 2026 and %j, then the quarter is read', (text, quarter) => {
    expect(readQuarter(text, '2026-11-10')).toBe(quarter);
  });

  it('given several quarters, then they are ordered by time', () => {
    const quarters = ['Q4 FY26', 'Q1 FY27', 'Q4 FY27'].map(quarterOrder);
    expect(quarters).toEqual([...quarters].sort((one, other) => one - other));
  });
});

describe('the period of a result', () => {
  it.each([
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

  it('given any day, then the fiscal year begins on 1 April', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-01'), max: new Date('2098-12-31'), noInvalidDate: true }),
        (date) => {
          const day = date.toISOString().slice(0, 10);
          const year = Number(day.slice(0, 4)) + (day.slice(5) >= '04-01' ? 1 : 0);
          expect(fiscalYear(day)).toBe(year);
        },
      ),
    );
  });
});

describe('quarters of days', () => {
  it.each([
    ['2026-04-01', 0, 'Q1 FY27'],
    ['2026-03-31', 0, 'Q4 FY26'],
    ['2026-06-30', 1, 'Q4 FY26'],
    ['2026-11-10', 1, 'Q2 FY27'],
  ])('given %s, then the quarter %i before is %s', (day, back, quarter) => {
    expect(quarterName(quarterOf(day, back))).toBe(quarter);
  });

  it('given a quarter, then its days are those of its three months', () => {
    expect(quarterDays('Q2 FY27')).toEqual({ since: '2026-07-01', until: '2026-09-30' });
    expect(quarterDays('Q4 FY26')).toEqual({ since: '2026-01-01', until: '2026-03-31' });
  });

  it.each([
    ['openings in Q2', 'Q2 FY27', '2026-07-01'],
    ['sales in the December quarter of 2025', 'Q3 FY26', '2025-10-01'],
    ['profit in FY26', 'FY26', '2025-04-01'],
    ['revenue in Q1 of last fiscal', 'Q1 FY26', '2025-04-01'],
  ])('given the question "%s" on 10 November 2026, then it is about %s', (text, name, from) => {
    expect(fiscalIn(text, '2026-11-10')).toMatchObject({ name, from });
  });
});
