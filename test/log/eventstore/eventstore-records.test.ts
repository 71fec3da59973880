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
});
