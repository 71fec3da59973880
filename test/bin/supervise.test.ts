import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { inBackground, whenReachable } from '../../bin/services.ts';
import { supervise } from '../../bin/supervise.ts';
import { deferredStore } from '../../log/deferred-logs.ts';
import { memoryStore } from '../ingest/match/memory-store.ts';

/** A logger, and the lines that it has written. */
function logged() {
  const lines: { level: number; msg: string; part?: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, logger };
}
const refused = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

describe('an outage in the log of a process', () => {
  it('given parts that fail again and again, then one line, as a warning', async () => {
    vi.useFakeTimers();
    const [{ lines, logger }, stop] = [logged(), new AbortController()];
    const part = vi.fn().mockImplementation(() => Promise.reject(refused()));
    const running = ['match', 'analyse'].map((name) => supervise(name, part, logger, stop.signal));
    await vi.advanceTimersByTimeAsync(30_000);
    stop.abort();
    await Promise.all(running);
    vi.useRealTimers();
    expect(part.mock.calls.length).toBeGreaterThan(8);
    expect(lines).toHaveLength(1);
    expect(lines).toMatchObject([{ level: 40, part: 'match', msg: 'a part failed and is restarted' }]);
  });

  it('given a part with a defect, then a line for each failure, as an error', async () => {
    vi.useFakeTimers();
    const [{ lines, logger }, stop] = [logged(), new AbortController()];
    const running = supervise('match', () => Promise.reject(new TypeError('x is undefined')), logger, stop.signal);
    await vi.advanceTimersByTimeAsync(1_000);
    stop.abort();
    await running;
    vi.useRealTimers();
    expect(lines.length).toBeGreaterThan(1);
    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set([50]));
  });

  it('given a server that a start waits for, then one line until it answers', async () => {
    vi.useFakeTimers();
    const { lines, logger } = logged();
    let left = 6;
    const connect = async () => {
      if (left-- > 0) throw refused();
      return 'open';
    };
    const waiting = whenReachable(connect, logger, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(50_000);
    vi.useRealTimers();
    expect(await waiting).toBe('open');
    expect(lines.map(({ msg }) => msg)).toEqual(['a server is unreachable; the process waits for it']);
  });

  it('given a server that a process reads without, then one line when it is unreachable and one when it answers', async () => {
    vi.useFakeTimers();
    const { lines, logger } = logged();
    let left = 6;
    const connecting = inBackground(
      async () => {
        if (left-- > 0) throw refused();
        return memoryStore();
      },
      'the event store',
      logger,
    );
    const store = deferredStore(connecting);
    await vi.advanceTimersByTimeAsync(50_000);
    vi.useRealTimers();
    expect(lines.map(({ msg }) => msg)).toEqual([
      'the event store is unreachable; reading continues, and the connection is retried',
      'the event store can be reached again',
    ]);
    await store.close();
  });
});
