import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoff, keepRunning, pause, retry } from '../../log/backoff.ts';

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

const SHORT = { base: 0.01, maximum: 1_000 };

describe('retrying', () => {
  test('given work that fails twice, then its result is that of the third attempt, and both errors are reported', async () => {
    const reported: unknown[] = [];
    let attempts = 0;
    const work = async () => {
      attempts++;
      if (attempts < 3) throw new Error(`attempt ${attempts}`);
      return attempts;
    };
    const failed = (error: unknown, failures: number) => reported.push([String(error), failures]);
    expect(await retry(work, { ...SHORT, failed })).toBe(3);
    expect(reported).toEqual([
      ['Error: attempt 1', 0],
      ['Error: attempt 2', 1],
    ]);
  });

  test('given a report that throws, or a signal that aborts, then the attempts end with that reason', async () => {
    const work = () => Promise.reject(new Error('refused'));
    const failed = (error: unknown) => {
      throw error;
    };
    await expect(retry(work, { ...SHORT, failed })).rejects.toThrow('refused');
    const controller = new AbortController();
    const stop = () => controller.abort(new Error('stopped'));
    await expect(retry(work, { ...SHORT, signal: controller.signal, failed: stop })).rejects.toThrow('stopped');
  });
});

describe('keeping work running', () => {
  test('given work that fails, ends and succeeds, then it is repeated until the signal aborts, and failures are reported', async () => {
    const controller = new AbortController();
    const reported: unknown[] = [];
    let runs = 0;
    const work = async () => {
      runs++;
      if (runs === 5) controller.abort();
      if (runs % 2 === 0) throw new Error(`run ${runs}`);
    };
    const failed = (error: unknown) => reported.push(String(error));
    await keepRunning(work, { ...SHORT, signal: controller.signal, failed });
    expect([runs, reported]).toEqual([5, ['Error: run 2', 'Error: run 4']]);
  });

  test('given work that reports progress or succeeds, then failures before it no longer count', async () => {
    const controller = new AbortController();
    const failures: number[] = [];
    let runs = 0;
    const work = async (working: () => void) => {
      runs++;
      if (runs === 3) working();
      if (runs === 5) return;
      if (runs === 6) setImmediate(() => controller.abort());
      throw new Error('down');
    };
    const failed = (_: unknown, before: number) => failures.push(before);
    await keepRunning(work, { ...SHORT, every: 0, signal: controller.signal, failed });
    expect(failures.slice(0, 5)).toEqual([0, 1, 0, 1, 0]);
  });

  test('given an error that its report throws, then the loop ends with it', async () => {
    const failed = (error: unknown) => {
      throw error;
    };
    const { signal } = new AbortController();
    const work = () => Promise.reject(new Error('defect'));
    await expect(keepRunning(work, { ...SHORT, signal, failed })).rejects.toThrow('defect');
  });
});
