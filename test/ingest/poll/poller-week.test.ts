import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetchPage } from '../../../ingest/poll/fetch/fetch-page.ts';
import { runPoller } from '../../../ingest/poll/poller.ts';
import { sharedPageReader } from '../../../ingest/poll/read/page-reader.ts';
import type { EventStore, StoredEvent } from '../../../log/event-store.ts';
import { createAddressRule } from '../../../log/guarded-connection.ts';
import { newEvent } from '../../../schemas/events.ts';
import { eventId } from '../../../schemas/scalar.ts';
import type { Source } from '../../../schemas/source.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { source } from './polling.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-11-14T00:00:00Z');

/** Simulates a week on a clock that jumps to the next task as soon as no fetch is running. */
function leapingClock(end: number, stop: () => void) {
  let now = START;
  let fetching = 0;
  return {
    clock: () => new Date(now),
    now: () => now,
    during: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      fetching += 1;
      return await work().finally(() => {
        fetching -= 1;
      });
    },
    async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
      do await new Promise((resolve) => setImmediate(resolve));
      while (fetching > 0 && !signal.aborted);
      if (signal.aborted) return;
      now += milliseconds;
      if (now >= end) stop();
    },
  };
}

/** A store whose roster does not change: only the poller is simulated. */
function stillStore(sources: readonly Source[]): Pick<EventStore, 'readAll' | 'subscribe' | 'append'> {
  const events = sources.map(
    (one, number): StoredEvent => ({
      ...newEvent(
        'SourceAdded',
        { by: 'test', why: '', source: one },
        { id: eventId(one.id), time: new Date(START).toISOString() },
      ),
      stream: `source-${one.id}`,
      revision: 0,
      position: BigInt(number + 1),
    }),
  );
  return {
    readAll: async ({ after }) => ({ events: events.slice(Number(after)), position: BigInt(events.length) }),
    subscribe: async function* ({ signal }) {
      yield { events: [], position: BigInt(events.length) };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    append: async () => ({ revision: 0, position: 0n, stored: [] }),
  };
}

describe('a week of polling', () => {
  let outlet: Outlet;
  const log: { path: string; at: number; conditional: boolean; together: number }[] = [];
  const gaps = (path: string): number[] => {
    const times = log.filter((one) => one.path === path).map(({ at }) => at);
    return times.slice(1).map((time, number) => time - (times[number] ?? 0));
  };

  beforeAll(async () => {
    const stop = new AbortController();
    const time = leapingClock(START + 7 * DAY, () => stop.abort());
    let open = 0;
    const feedOf = (every: number): string => {
      const count = Math.floor((time.now() - START) / every) + 1;
      return rss(
        ...Array.from(
          { length: Math.min(count, 20) },
          (_, number) => `<title>Story ${count - number}</title><link>https://a.in/${every}/${count - number}</link>`,
        ),
      );
    };
    outlet = await startOutlet((request, response) => {
      open += 1;
      response.on('finish', () => {
        open -= 1;
      });
      const path = request.url ?? '';
      log.push({ path, at: time.now(), conditional: request.headers['if-none-match'] !== undefined, together: open });
      const etag = (value: string, body: string) =>
        request.headers['if-none-match'] === value
          ? response.writeHead(304).end()
          : response.setHeader('etag', value).end(body);
      if (path === '/hourly') etag(`"${Math.floor(time.now() / HOUR)}"`, feedOf(HOUR));
      else if (path === '/daily') etag(`"${Math.floor(time.now() / DAY)}"`, feedOf(DAY));
      else if (path === '/busy') response.end(feedOf(5 * MINUTE));
      else if (path === '/never') etag('"1"', feedOf(1_000 * DAY));
      else if (path === '/broken') response.writeHead(500).end();
      else if (path === '/limited') response.writeHead(429, { 'retry-after': String((5 * HOUR) / 1000) }).end();
      else if (path === '/fresh') response.setHeader('cache-control', 'max-age=43200').end(feedOf(MINUTE));
      else if (path === '/fixed') response.end(feedOf(DAY));
      else response.end('never asked for');
    });
    outlet.robots = (_request, response) => {
      log.push({ path: '/robots.txt', at: time.now(), conditional: false, together: 1 });
      response.end('User-agent: *\nDisallow: /private');
    };
    const paths = ['hourly', 'daily', 'busy', 'never', 'broken', 'limited', 'fresh', 'private'];
    const sources = paths.map((path) => source(path, `${outlet.url}/${path}`));
    sources.push(source('fixed', `${outlet.url}/fixed`, { cadence_seconds: 3_600 }));
    const fetchPage = createFetchPage({ allowAddress: createAddressRule(() => true), userAgent: 'Test' });
    const reader = sharedPageReader();
    await runPoller({
      store: stillStore(sources),
      items: { publish: async () => undefined },
      polls: { publish: async () => undefined },
      resume: async () => null,
      clock: time.clock,
      pause: time.pause,
      logger: pino({ level: 'silent' }),
      signal: stop.signal,
      fetchPage: (wanted) => time.during(() => fetchPage(wanted)),
      reader: {
        run: (job, input, signal) => time.during(() => reader.run(job, input, signal)),
        start: () => reader.start(),
        close: () => reader.close(),
      },
    });
  });
  afterAll(() => outlet.close());

  it('polls no source twice within ten minutes, and each at least once a day', () => {
    for (const path of ['/hourly', '/daily', '/busy', '/never', '/fresh']) {
      expect(Math.min(...gaps(path)), path).toBeGreaterThanOrEqual(10 * MINUTE);
      expect(Math.max(...gaps(path)), path).toBeLessThanOrEqual(DAY + MINUTE);
    }
  });

  it('polls a source as often as it changes', () => {
    const polls = (path: string): number => gaps(path).length + 1;
    // Sixty polls a day are the maximum of any source, and it never lists only new items.
    expect(polls('/busy')).toBeGreaterThan(7 * 50);
    expect(polls('/busy')).toBeLessThanOrEqual(7 * 60 + 1);
    expect(Math.max(...gaps('/busy'))).toBeLessThan(100 * MINUTE);
    expect(polls('/hourly')).toBeGreaterThan(7 * 24 * 1.2);
    expect(polls('/hourly')).toBeLessThan(7 * 24 * 4);
    expect(Math.max(...gaps('/daily'))).toBeLessThanOrEqual(2.2 * HOUR);
    expect(polls('/daily')).toBeLessThan(7 * 30);
    // Every two hours at the least, and both ends of the week.
    expect(polls('/never')).toBeLessThanOrEqual(7 * 12 + 1);
  });

  it('sends one request at a time to a host, conditional where possible', () => {
    expect(Math.max(...log.map(({ together }) => together))).toBe(1);
    for (const path of ['/hourly', '/daily', '/never'])
      expect(
        log
          .filter((one) => one.path === path)
          .slice(1)
          .every(({ conditional }) => conditional),
        path,
      ).toBe(true);
  });

  it('backs off from failing sources and respects Retry-After', () => {
    expect(gaps('/broken').length).toBeLessThan(16);
    expect(Math.min(...gaps('/limited'))).toBeGreaterThanOrEqual(5 * HOUR);
    expect(Math.min(...gaps('/fresh'))).toBeGreaterThanOrEqual(12 * HOUR);
  });

  it('keeps the cadence of the roster within a tenth', () => {
    expect(Math.min(...gaps('/fixed'))).toBeGreaterThanOrEqual(HOUR);
    expect(Math.max(...gaps('/fixed'))).toBeLessThanOrEqual(1.11 * HOUR);
  });

  it('requests robots.txt once a day and respects its rules', () => {
    expect(log.filter(({ path }) => path === '/robots.txt').length).toBeLessThanOrEqual(8);
    expect(log.filter(({ path }) => path === '/private')).toEqual([]);
  });
});
