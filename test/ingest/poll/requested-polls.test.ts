import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { createRequestedPolls } from '../../../ingest/poll/requested-polls.ts';
import { sourceId } from '../../harness/ids.ts';

const START = Date.parse('2026-11-21T06:00:00Z');

/**
 * Looks at the requests once a second.
 * @param requests the second in which the request was made that waits in this one
 * @returns the seconds in which the source was polled
 */
async function polledAt(seconds: number, requests: (second: number) => number): Promise<number[]> {
  const stop = new AbortController();
  const polled: number[] = [];
  let second = 0;
  const requested = createRequestedPolls({
    requests: {
      waiting: async () =>
        ['one', 'another'].map((id) => ({
          source_id: sourceId(id),
          requested_at: new Date(START + requests(second) * 1_000),
        })),
      answer: async () => undefined,
    },
    owns: (id) => id === 'one',
    pollNow: (id) => {
      expect(id).toBe('one');
      polled.push(second);
      expect(requested.begin(id)).toBe('operator');
      expect(requested.begin(id)).toBe('schedule');
    },
    logger: pino({ level: 'silent' }),
    signal: stop.signal,
    pause: async () => {
      second += 1;
      if (second >= seconds) stop.abort();
    },
  });
  await requested.run();
  return polled;
}

describe('requests to poll', () => {
  it('given an operator, then each request leads to one poll at once', async () => {
    expect(await polledAt(4, (second) => (second < 2 ? 0 : 2))).toEqual([0, 2]);
  });
});
