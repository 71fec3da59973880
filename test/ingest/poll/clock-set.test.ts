import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { mayWaitUntil } from '../../../ingest/poll/schedule/cadence.ts';
import { createRounds } from '../../../ingest/poll/schedule/rounds.ts';
import { source } from './polling.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');

/** Polls one source every ten minutes for two hours, while its clock is set again and again. @returns when, by true time */
async function pollsWith(clockAt: (passed: number) => number): Promise<number[]> {
  const stop = new AbortController();
  let passed = 0;
  const polls: number[] = [];
  const clock = (): Date => new Date(clockAt(passed));
  const rounds = createRounds({
    sources: () => [one],
    poll: async () => {
      polls.push(passed);
      return clock().getTime() + 10 * MINUTE;
    },
    onRemoved: () => undefined,
    clock,
    logger: pino({ level: 'silent' }),
    signal: stop.signal,
    pause: async (milliseconds, over) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (over.aborted) return;
      passed += milliseconds;
      if (passed >= 120 * MINUTE) stop.abort();
    },
    concurrency: 1,
  });
  await rounds.run();
  return polls;
}

const one = source('one', 'https://outlet.in/feed');
const gapsOf = (polls: readonly number[]): number[] => polls.slice(1).map((at, index) => at - (polls[index] ?? 0));

describe('a poller whose clock is set', () => {
  it.each([
    ['back by days', -3 * DAY],
    ['back by minutes', -7 * MINUTE],
    ['forward by days', 3 * DAY],
  ])(
    'given one %s within a wait, when time goes on, then the source is polled within two cadences',
    async (_, step) => {
      const polls = await pollsWith((passed) => NOON + passed + (passed >= 35 * MINUTE ? step : 0));
      expect(polls.length).toBeGreaterThanOrEqual(11);
      expect(Math.max(...gapsOf(polls))).toBeLessThanOrEqual(20 * MINUTE);
    },
  );

  it('given a time that no wait leads to, as another clock stored it, then it is not waited for', () => {
    expect(mayWaitUntil(NOON + DAY / 2, 0, NOON)).toBe(true);
    expect(mayWaitUntil(NOON + 2 * DAY, 0, NOON)).toBe(false);
    expect(mayWaitUntil(NOON + 2 * DAY, 3, NOON)).toBe(true);
    expect(mayWaitUntil(NOON + 8 * DAY, 3, NOON)).toBe(false);
    expect(mayWaitUntil(NOON - 1, 0, NOON)).toBe(false);
    expect(mayWaitUntil(Number.NaN, 0, NOON)).toBe(false);
  });
});
