import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDate } from '../../../../ingest/poll/items/parse-date.ts';

const HALF_PAST_TEN = '2026-11-21T05:00:00.000Z';
const MIDNIGHT = '2026-11-20T18:30:00.000Z';

describe('dates of outlets', () => {
  it.each([
    ['Sat, 21 Nov 2026 10:30:00 +0530', HALF_PAST_TEN],
    ['Sat, 21 Nov 2026 05:00:00 GMT', HALF_PAST_TEN],
    ['Sat, 21 Nov 2026 10:30:00 IST', HALF_PAST_TEN],
    ['21 Nov 26 00:00 EST', HALF_PAST_TEN],
    ['2026-11-21T05:00:00Z', HALF_PAST_TEN],
    ['2026-11-21T10:30:00', HALF_PAST_TEN],
    ['2026-11-21 10:30:00.000 +05:30', HALF_PAST_TEN],
    ['20261121T050000Z', HALF_PAST_TEN],
    ['November 21, 2026, 10:30 AM', HALF_PAST_TEN],
    ['Updated: Nov 21, 2026, 10.30 AM IST', HALF_PAST_TEN],
    ['10:30 AM | 21 Nov 2026', HALF_PAST_TEN],
    ['Sat Nov 21 10:30:00 IST 2026', HALF_PAST_TEN],
    ['21/11/2026 10:30', HALF_PAST_TEN],
    ['21-Nov-2026 10:30:00', HALF_PAST_TEN],
    ['1795237200', HALF_PAST_TEN],
    ['1795237200000', HALF_PAST_TEN],
    ['21st November, 2026', MIDNIGHT],
    ['21.11.2026', MIDNIGHT],
    ['11/21/2026', MIDNIGHT],
    ['2026-11-21', MIDNIGHT],
    ['२१ नवंबर २०२६', MIDNIGHT],
    ['21 November 2026, 10 pm', '2026-11-21T16:30:00.000Z'],
    ['08/09/2026', '2026-09-07T18:30:00.000Z'],
  ])('%s', (text, moment) => expect(parseDate(text)?.toISOString()).toBe(moment));

  it.each([
    '2 hours ago',
    'yesterday',
    'just now',
    '31 Nov 2026',
    '2026-13-01',
    '1 Jan 1970 00:00:00 GMT',
    '',
    'Q2 FY27',
    '25:61',
  ])('%j is none', (text) => expect(parseDate(text)).toBeNull());

  const moment = fc.date({ min: new Date('1991-01-01'), max: new Date('2069-12-30'), noInvalidDate: true });
  const seconds = (date: Date): Date => new Date(Math.trunc(date.getTime() / 1000) * 1000);

  it('any moment in ISO or RFC form is read back', () => {
    fc.assert(
      fc.property(moment, (date) => {
        expect(parseDate(date.toISOString())).toEqual(date);
        expect(parseDate(date.toUTCString())).toEqual(seconds(date));
      }),
    );
  });

  it('without a zone the same digits mean India', () => {
    fc.assert(
      fc.property(moment, (date) => {
        const digits = seconds(date).toISOString().slice(0, 19);
        expect(parseDate(digits)).toEqual(parseDate(`${digits}+05:30`));
        expect(parseDate(digits.replace('T', ' '))).toEqual(parseDate(`${digits} IST`));
      }),
    );
  });

  it('never throws and never makes an impossible moment', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\d:./, TZ+-]{1,30}$/)), (text) => {
        const date = parseDate(text);
        if (date) expect(Number.isNaN(date.getTime())).toBe(false);
      }),
    );
  });
});
