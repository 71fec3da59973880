import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Moment, readMoment } from '../../schemas/parameters.ts';

describe('readMoment', () => {
  it.each([
    ['2026-11-20', '2026-11-19T18:30:00.000Z'],
    ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T09:30:00.5z', '2026-11-20T09:30:00.500Z'],
    ['2026-11-20T09:30:00+05:30', '2026-11-20T04:00:00.000Z'],
    ['2026-11-20T09:30:00 05:30', '2026-11-20T04:00:00.000Z'],
    ['2026-11-20T09:30:00-0300', '2026-11-20T12:30:00.000Z'],
    ['2026-11-20T09:30', '2026-11-20T04:00:00.000Z'],
    ['0001-01-01', '1970-01-01T00:00:00.000Z'],
  ])('given %s, then it means %s', (text, expected) => expect(readMoment(text)).toBe(expected));

  it.each(['', 'now', '2026', '2026-13-01', '2026-02-29', '20-11-2026', '2026-11-20T25:00:00Z', '1763600000'])(
    'given %s, then it is refused',
    (text) => expect(readMoment(text)).toBeNull(),
  );

  it('given its pattern, then it matches exactly the accepted values', () => {
    const pattern = new RegExp(String(Moment.meta()?.pattern));
    const texts = fc.oneof(
      fc.stringMatching(pattern),
      fc.stringMatching(/^2026-[01]\d-[0-3]\d(T[0-2]\d:[0-6]\d(:[0-6]\d(\.\d{0,3})?)?([zZ]|[+ -][0-2]\d:?[0-6]\d)?)?$/),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(pattern.test(text)).toBe(readMoment(text) !== null);
      }),
    );
  });

  it('given any moment since 1970 as JavaScript writes it, then the same moment is read', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }), (date) => {
        expect(readMoment(date.toISOString())).toBe(date.toISOString());
      }),
    );
  });
});
