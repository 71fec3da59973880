import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeySet } from '../../../projector/rebuild/bulk-fold.ts';

describe('a set of keys', () => {
  it('contains every key that was added', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3_000 }), (keys) => {
        const set = new KeySet();
        for (const key of keys) set.add(key);
        expect(keys.every((key) => set.has(key))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('rarely contains a key that was not added', () => {
    const set = new KeySet();
    for (let number = 0; number < 50_000; number++) set.add(`sig_${number.toString(16).padStart(16, '0')}`);

    const wrong = Array.from({ length: 50_000 }, (_, number) =>
      set.has(`sig_f${number.toString(16).padStart(15, '0')}`),
    );

    expect(wrong.filter(Boolean)).toHaveLength(0);
  });
});
