import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeOf, positionAt } from '../../../log/eventstore/eventstore-records.ts';

const commits = fc.bigInt({ min: 1n, max: 2n ** 61n });

describe('positions', () => {
  test('given places of events, then their positions are in the same order and lead back to them', () => {
    fc.assert(
      fc.property(commits, commits, (one, other) => {
        expect(positionAt(one) < positionAt(other)).toBe(one < other);
        expect(placeOf(positionAt(one))).toEqual({ commit: one, prepare: one });
      }),
    );
  });

  test('given a checkpoint of an earlier release, then it lies before the event at its place and after all others', () => {
    fc.assert(
      fc.property(commits, (commit) => {
        const checkpoint = commit * 2n;
        expect(checkpoint).toBeLessThan(positionAt(commit));
        expect(checkpoint).toBeGreaterThan(positionAt(commit - 1n));
        expect(placeOf(checkpoint)).toEqual({ commit, prepare: 0n });
        expect(placeOf(0n)).toBe('start');
      }),
    );
  });

  test('given the checkpoint of nothing that servers of 24 send, or a position made of it, then it is refused', () => {
    for (const commit of [2n ** 64n - 1n, 2n ** 63n, 2n ** 62n])
      expect(() => positionAt(commit), String(commit)).toThrow(RangeError);
    expect(() => placeOf((2n ** 64n - 1n) * 2n + 1n)).toThrow(RangeError);
    expect(placeOf(2n ** 63n - 1n)).toEqual({ commit: 2n ** 62n - 1n, prepare: 2n ** 62n - 1n });
  });
});
