import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { NEVER_POLLED, type PollState } from '../../../ingest/poll/poll-state.ts';
import { createRequestedPolls } from '../../../ingest/poll/requested-polls.ts';
import type { PollRequest } from '../../../log/postgres/poll-requests.ts';
import { sourceId } from '../../harness/ids.ts';

const START = Date.parse('2026-11-21T06:00:00Z');

/** Checks the requests once at each of these seconds. @returns the sources that were polled, with their times */
async function polledAt(
  seconds: readonly number[],
  requests: (second: number) => readonly (readonly [PollRequest['trigger'], requested: number])[],
  state: PollState | null = null,
): Promise<number[]> {
  const stop = new AbortController();
  const polled: number[] = [];
  let place = 0;
  const second = (): number => seconds[Math.min(place, seconds.length - 1)] ?? 0;
  const requested = createRequestedPolls({
    requests: {
      waiting: async () =>
        requests(second()).map(([trigger, at]) => ({
          source_id: sourceId('one'),
          trigger,
          requested_at: new Date(START + at * 1_000),
        })),
      answer: async () => undefined,
    },
    owns: (id) => id === 'one',
    pollNow: (id) => {
      polled.push(second());
      expect(requested.begin(id)).not.toBe('schedule');
      expect(requested.begin(id)).toBe('schedule');
    },
    stateOf: () => state,
    clock: () => new Date(START + second() * 1_000),
    logger: pino({ level: 'silent' }),
    signal: stop.signal,
    pause: async () => {
      place += 1;
      if (place >= seconds.length) stop.abort();
    },
  });
  await requested.run();
  return polled;
}

describe('requests to poll', () => {
  it('given a hub that notifies every second, then its source is polled once a minute', async () => {
    const seconds = Array.from({ length: 130 }, (_, second) => second);
    expect(await polledAt(seconds, (second) => [['hub', second]])).toEqual([0, 60, 120]);
  });

  it('given an operator, then each request leads to one poll at once', async () => {
    expect(await polledAt([0, 1, 2, 3], (second) => [['operator', second < 2 ? 0 : 2]])).toEqual([0, 2]);
  });

  it('given an outlet that sent Retry-After, then a hub cannot request a poll before that time, but an operator can', async () => {
    const state = {
      ...NEVER_POLLED,
      consecutive_failures: 1,
      next_poll_at: new Date(START + 90_000).toISOString(),
    };
    expect(await polledAt([0, 60, 89, 90, 91], () => [['hub', 0]], state)).toEqual([90]);
    expect(await polledAt([0, 1], () => [['operator', 0]], state)).toEqual([0]);
  });
});
