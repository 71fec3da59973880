import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiJson } from '../../../log/postgres/postgres-event-store.ts';

describe('JSON in ASCII', () => {
  it('parses to the same value, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        const value = { [one]: other, '₹': [`${one}₹${other}`] };

        const text = asciiJson(JSON.stringify(value));

        expect(text).toMatch(/^[\0-\x7f]*$/);
        expect(JSON.parse(text)).toEqual(value);
      }),
    );
  });
});
