import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoff, pause } from '../../log/backoff.ts';

describe('backing off', () => {
  test('given more failures, then the wait doubles up to its bound, with half of it jitter', () => {
    const bounds = { base: 100, maximum: 10_000 };
    expect([0, 1, 2, 6, 7, 100].map((attempt) => backoff(attempt, bounds, () => 0))).toEqual([
      50, 100, 200, 3_200, 5_000, 5_000,
    ]);
    fc.assert(
      fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const wait = backoff(attempt, bounds, () => random);
        expect(wait).toBeGreaterThanOrEqual(50);
        expect(wait).toBeLessThanOrEqual(10_000);
      }),
    );
  });

  test('given a signal that aborts, then the pause is over at once', async () => {
    const controller = new AbortController();
    const waiting = pause(60_000, controller.signal);
    controller.abort();
    await waiting;
    await pause(60_000, controller.signal);
  });
});
