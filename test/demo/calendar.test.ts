import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateWords, fiscalYear, istDate, listingDate, namedZoneDate, zonelessDate } from '../../demo/calendar.ts';

describe('the calendar of an Indian newsroom', () => {
  it.each([
    ['2026-11-21T04:30:00Z', 'Q2 FY27', 'September quarter', 'FY27'],
    ['2026-07-15T04:30:00Z', 'Q1 FY27', 'June quarter', 'FY27'],
    ['2027-02-01T04:30:00Z', 'Q3 FY27', 'December quarter', 'FY27'],
    ['2026-05-20T04:30:00Z', 'Q4 FY26', 'March quarter', 'FY27'],
  ])('given %s, then the quarter that companies report is %s', (at, period, quarter, fiscal) => {
    const words = dateWords(new Date(at));
    expect([words('period'), words('quarter'), words('fiscal')]).toEqual([period, quarter, fiscal]);
  });

  it('given any moment, then the fiscal year starts at midnight in India', () => {
    expect(fiscalYear(new Date('2026-03-31T18:29:59Z'))).toBe(2026);
    expect(fiscalYear(new Date('2026-03-31T18:30:00Z'))).toBe(2027);
  });

  it('given one moment, then each outlet writes it in its own style', () => {
    const at = new Date('2026-12-05T18:35:09Z');
    expect(listingDate(at)).toBe('6 December 2026, 12:05 AM');
    expect(zonelessDate(at)).toBe('2026-12-06 00:05:09');
    expect(namedZoneDate(at)).toBe('Sun, 06 Dec 2026 00:05:09 IST');
  });

  it('given placeholders, then days ahead are filled in and unknown words are unchanged', () => {
    const words = dateWords(new Date('2026-11-21T04:30:00Z'));
    expect(words('+14d')).toBe('5 December');
    expect(words('brand')).toBeUndefined();
  });

  it('given a written date, then the same moment is read', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }), (at) => {
        const { year, month, day, hour, minute, second } = istDate(at);
        const back = Date.UTC(year, month - 1, day, hour, minute, second) - 5.5 * 3_600_000;
        expect(back).toBe(Math.floor(at.getTime() / 1000) * 1000);
      }),
    );
  });
});
