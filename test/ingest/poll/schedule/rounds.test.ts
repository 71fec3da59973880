import fc from 'fast-check';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { mayWaitUntil } from '../../../../ingest/poll/schedule/cadence.ts';
import { createRounds, createSchedule } from '../../../../ingest/poll/schedule/rounds.ts';
import { sourceId } from '../../../harness/ids.ts';
import { source } from '../polling.ts';

describe('the schedule', () => {
  it('given several sources, then they are due in order of time, then of scheduling, each once and at its latest time', () => {
    const command = fc.oneof(fc.record({ set: fc.nat(20), due: fc.nat(50) }), fc.record({ remove: fc.nat(20) }));
    fc.assert(
      fc.property(fc.array(command), fc.nat(60), (commands, now) => {
        const schedule = createSchedule();
        const model = new Map<string, { due: number; order: number }>();
        for (const [order, one] of commands.entries()) {
          if ('set' in one) {
            schedule.set(sourceId(String(one.set)), one.due);
            model.set(String(one.set), { due: one.due, order });
          } else {
            schedule.remove(sourceId(String(one.remove)));
            model.delete(String(one.remove));
          }
        }
        const wanted = [...model].filter(([, { due }]) => due <= now);
        wanted.sort(([, one], [, other]) => one.due - other.due || one.order - other.order);
        const taken: string[] = [];
        for (let id = schedule.take(now); id !== null; id = schedule.take(now)) taken.push(id);
        expect(taken).toEqual(wanted.map(([id]) => id));
        const later = [...model.values()].map(({ due }) => due).filter((due) => due > now);
        expect(schedule.next()).toBe(later.length > 0 ? Math.min(...later) : null);
      }),
    );
  });
});

describe('clock changes', () => {
  const MINUTE = 60_000;
  const DAY = 86_400_000;
  const NOON = Date.parse('2026-11-21T12:00:00Z');

  /** Polls one source every ten minutes for two hours, while its clock is changed repeatedly. @returns the times of the polls, by the true clock */
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

  describe('a poller whose clock changes', () => {
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

    it('given an impossible due time that another clock stored, then the poller does not wait for it', () => {
      expect(mayWaitUntil(NOON + DAY / 2, 0, NOON)).toBe(true);
      expect(mayWaitUntil(NOON + 2 * DAY, 0, NOON)).toBe(false);
      expect(mayWaitUntil(NOON + 2 * DAY, 3, NOON)).toBe(true);
      expect(mayWaitUntil(NOON + 8 * DAY, 3, NOON)).toBe(false);
      expect(mayWaitUntil(NOON - 1, 0, NOON)).toBe(false);
      expect(mayWaitUntil(Number.NaN, 0, NOON)).toBe(false);
    });
  });
});
