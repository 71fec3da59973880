import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeOf, positionAt, positionOfCheckpoint } from '../../../log/eventstore/position.ts';

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

  test('given a checkpoint where the next event will stand, then it lies before that event and after all others', () => {
    fc.assert(
      fc.property(commits, (commit) => {
        const checkpoint = positionOfCheckpoint({ commit, prepare: 0n });
        expect(checkpoint).toBeLessThan(positionAt(commit));
        expect(checkpoint).toBeGreaterThan(positionAt(commit - 1n));
        expect(placeOf(checkpoint)).toEqual({ commit, prepare: 0n });
      }),
    );
  });

  test('given a checkpoint at an event, then it is the position of the event', () => {
    expect(positionOfCheckpoint({ commit: 5n, prepare: 5n })).toBe(positionAt(5n));
    expect(placeOf(0n)).toBe('start');
  });
});
