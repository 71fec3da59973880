import Fastify, { type FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CallbackLimits, webSubCallback } from '../../../api/routes/websub-callback.ts';
import { hubsReach } from '../../../bin/polled-sources.ts';
import type { PollerOptions } from '../../../ingest/poll/poller.ts';
import { fallbackWait, isWorking, retryAfter } from '../../../ingest/poll/requested-polls.ts';
import {
  postgresPollRequests,
  requestPoll,
  type Subscription,
  subscriptionOf,
  waitingPollRequests,
} from '../../../log/postgres/poll-requests.ts';
import { newEvent } from '../../../schemas/events.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import { type Hub, startHub } from '../../harness/websub-hub.ts';
import { type Outlet, rss, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const retired = (source_id: string) =>
  newEvent(
    'SourceRetired',
    { source_id: sourceId(source_id), by: 'test', why: 'test' },
    { id: eventId('retired', source_id), time: '2026-11-21T06:00:00Z' },
  );
const story = (id: number): string => `<title>Story ${id}</title><link>https://a.in/${id}</link><guid>${id}</guid>`;

describe('WebSub, on a real hub', () => {
  let polling: Polling;
  let hub: Hub;
  let outlet: Outlet;
  let api: FastifyInstance;
  let baseUrl: string;
  let feed: string;
  let lines: string[];
  /** Milliseconds by which the clock of the service is ahead. */
  let ahead: number;
  const stops: (() => Promise<void>)[] = [];
  const clock = (): Date => new Date(Date.now() + ahead);
  const named = (...items: readonly string[]): string =>
    rss(...items).replace(
      '<title>Outlet</title>',
      `<title>Outlet</title><atom:link rel="hub" href="${hub.url}"/><atom:link rel="self" href="${outlet.url}/feed"/>`,
    );

  async function startApi(limits?: CallbackLimits): Promise<void> {
    api = Fastify({ logger: { level: 'debug', stream: { write: (line: string) => void lines.push(line) } } });
    api.register(webSubCallback({ database: polling.database, now: clock, ...(limits ? { limits } : {}) }));
    baseUrl = await api.listen({ host: '127.0.0.1', port: 0 });
  }

  beforeEach(async () => {
    ahead = 0;
    lines = [];
    polling = await openPolling();
    hub = await startHub();
    outlet = await startOutlet((_request, response) => response.end(feed));
    feed = named(story(1));
    await startApi();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await hub.close();
    await api.close();
    await outlet.close();
    await polling.close();
  });

  async function startPoller(options: Partial<PollerOptions> = {}): Promise<() => Promise<void>> {
    const stop = await polling.start([source('paper', `${outlet.url}/feed`)], {
      clock,
      requests: postgresPollRequests(polling.database, clock),
      webSub: { database: polling.database, baseUrl },
      logger: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
      // Waits of seconds are shortened here; the schedule itself uses the clock.
      pause: (milliseconds, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, Math.min(milliseconds, 50));
          signal.addEventListener(
            'abort',
            () => {
              clearTimeout(timer);
              resolve();
            },
            { once: true },
          );
        }),
      ...options,
    });
    stops.push(stop);
    return stop;
  }
  const subscription = async (): Promise<Subscription> => {
    const found = await subscriptionOf(polling.database, sourceId('paper'));
    if (!found) throw new Error('there is no subscription');
    return found;
  };
  const active = (): Promise<Subscription> =>
    eventually(async () => {
      const found = await subscription();
      expect(found.state).toBe('active');
      return found;
    });

  it('given a feed that names a hub, then the service subscribes with a secret and confirms its own request', async () => {
    await startPoller();
    const { secret, token, lease_expires_at, next_attempt_at } = await active();
    expect(hub.requests).toEqual([
      {
        'hub.mode': 'subscribe',
        'hub.callback': `${baseUrl}/websub/${token}`,
        'hub.topic': `${outlet.url}/feed`,
        'hub.secret': secret,
        'hub.lease_seconds': '864000',
      },
    ]);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const left = (date: Date | null): number => Math.round(((date?.getTime() ?? 0) - Date.now()) / 86_400_000);
    expect([left(lease_expires_at), left(next_attempt_at)]).toEqual([10, 8]);
    expect(lines.join('')).not.toContain(secret);
  });

  it.each(['sha256', 'sha384', 'sha512'])(
    'given a delivery signed by %s, then the feed is polled at once',
    async (method) => {
      await startPoller();
      await active();
      await polled(polling, ['paper']);
      feed = named(story(2), story(1));
      // The body of a delivery is never read: what is published comes from the outlet.
      expect(await hub.publish(`${outlet.url}/feed`, rss(story(666)), method)).toEqual([202]);
      await eventually(() => expect(polling.itemsOf('paper').map(({ title }) => title)).toContain('Story 2'));
      expect(polling.itemsOf('paper').map(({ title }) => title)).not.toContain('Story 666');
      await polled(polling, ['paper'], 2);
      expect(polling.pollsOf('paper')[1]).toMatchObject({ trigger: 'hub', items_new: 1 });
      await eventually(async () => expect(await waitingPollRequests(polling.database)).toEqual([]));
    },
  );

  it('given a delivery signed with another secret, or not at all, then nothing is polled and the response is the same', async () => {
    await startPoller();
    const { token, secret } = await active();
    await polled(polling, ['paper']);
    expect(await hub.publish(`${outlet.url}/feed`, 'x', 'sha256', 'wrong')).toEqual([202]);
    for (const headers of [{}, { 'x-hub-signature': 'sha256=' }, { 'x-hub-signature': `md5=${'0'.repeat(64)}` }])
      expect((await fetch(`${baseUrl}/websub/${token}`, { method: 'POST', body: 'x', headers })).status).toBe(202);
    expect((await fetch(`${baseUrl}/websub/${token}`, { method: 'POST' })).status).toBe(202);
    expect(await waitingPollRequests(polling.database)).toEqual([]);
    expect((await subscription()).last_delivery_at).toBeNull();
    expect(lines.join('')).not.toContain(secret);
  });

  it('given a verification without a request, then it is not confirmed', async () => {
    await startPoller();
    const { token, topic, secret } = await active();
    const own = { callback: `${baseUrl}/websub/${token}`, topic, secret };
    // The request is already confirmed: none is open.
    expect((await hub.verify(own)).status).toBe(404);
    expect((await hub.verify(own, { 'hub.topic': 'https://other.in/feed' })).status).toBe(404);
    expect((await hub.verify(own, { 'hub.mode': 'unsubscribe' })).status).toBe(404);
    expect((await hub.verify({ ...own, callback: `${baseUrl}/websub/${'a'.repeat(43)}` })).status).toBe(404);
    expect((await fetch(`${baseUrl}/websub/${'a'.repeat(43)}`, { method: 'POST', body: 'x' })).status).toBe(410);
  });

  it('given a lease that is about to end, then it is renewed with the same callback and secret', async () => {
    hub.leaseSeconds = 3_600;
    await startPoller();
    const first = await active();
    ahead = 3_000_000;
    await eventually(() => expect(hub.requests).toHaveLength(2));
    await eventually(async () => {
      const { lease_expires_at } = await subscription();
      expect((lease_expires_at?.getTime() ?? 0) - (first.lease_expires_at?.getTime() ?? 0)).toBeGreaterThan(2_900_000);
    });
    expect(hub.requests[1]).toEqual(hub.requests[0]);
  });

  it('given a restart, then the subscription continues, and a delivery during the restart is not lost', async () => {
    const stop = await startPoller();
    await active();
    await polled(polling, ['paper']);
    await stop();
    feed = named(story(2), story(1));
    expect(await hub.publish(`${outlet.url}/feed`, feed)).toEqual([202]);
    const [last] = polling.pollsOf('paper');
    const resumed = { ...last, listed: last?.listed ?? {} } as Awaited<ReturnType<PollerOptions['resume']>>;
    await startPoller({ resume: async () => resumed });
    await eventually(() => expect(polling.itemsOf('paper').map(({ title }) => title)).toContain('Story 2'));
    expect(hub.requests).toHaveLength(1);
  });

  it('given a hub that refuses, then the request is retried later, and the source is still polled', async () => {
    hub.refuseWith = 500;
    await startPoller();
    await eventually(async () =>
      expect(await subscription()).toMatchObject({ state: 'requested', reason: 'HTTP 500' }),
    );
    hub.refuseWith = null;
    ahead = retryAfter(0) + 1_000;
    await active();
    expect(polling.pollsOf('paper').length).toBeGreaterThan(0);
  });

  it('given a hub that denies the subscription, then the next request follows after a day', async () => {
    await startPoller();
    const { token, topic } = await active();
    const denial = new URLSearchParams({ 'hub.mode': 'denied', 'hub.topic': topic, 'hub.reason': 'no more' });
    expect((await fetch(`${baseUrl}/websub/${token}?${denial}`)).status).toBe(200);
    expect(await subscription()).toMatchObject({ state: 'denied', reason: 'no more' });
  });

  it('given a hub at a private address, then it is refused as a source would be', async () => {
    await startPoller({ allowAddress: (_ip, port) => port === outlet.port });
    await eventually(async () => expect((await subscription()).reason).toMatch(/^address_refused/));
    expect(hub.requests).toEqual([]);
  });

  it('given a retired source, then its subscription ends', async () => {
    await startPoller();
    const { token } = await active();
    await polling.store.append('source-paper', [retired('paper')], 'any');
    await eventually(async () => expect(await subscriptionOf(polling.database, sourceId('paper'))).toBeNull());
    expect((await fetch(`${baseUrl}/websub/${token}`, { method: 'POST', body: 'x' })).status).toBe(410);
  });

  it('given a feed that changes or removes its hub, then the subscription changes or ends', async () => {
    await startPoller({ requests: postgresPollRequests(polling.database, clock) });
    const { token } = await active();
    const other = await startHub();
    stops.push(other.close);
    feed = named(story(2)).replace(hub.url, other.url);
    await requestPoll(polling.database, sourceId('paper'), 'operator', clock());
    await eventually(async () => expect(await subscription()).toMatchObject({ hub: other.url, state: 'active' }));
    expect((await subscription()).token).not.toBe(token);
    feed = rss(story(3));
    await requestPoll(polling.database, sourceId('paper'), 'operator', clock());
    await eventually(async () => expect(await subscriptionOf(polling.database, sourceId('paper'))).toBeNull());
  });

  it('given a working hub, then the source is polled less often, and as before once the hub misses an item', async () => {
    await startPoller({ random: () => 0 });
    await active();
    await polled(polling, ['paper']);
    const waitAfter = (poll: number): number => {
      const { next_poll_at, started_at } = polling.pollsOf('paper')[poll] ?? {};
      return Math.round((Date.parse(next_poll_at ?? '') - Date.parse(started_at ?? '')) / 1_000);
    };
    const before = waitAfter(0);
    feed = named(story(2), story(1));
    expect(await hub.publish(`${outlet.url}/feed`, 'x')).toEqual([202]);
    await polled(polling, ['paper'], 2);
    expect(isWorking(await subscription(), clock())).toBe(true);
    expect(waitAfter(1)).toBeGreaterThan(before);
    for (const id of [3, 4]) {
      feed = named(story(id), story(1));
      ahead += 2 * 3_600_000;
      await polled(polling, ['paper'], id);
      expect(polling.pollsOf('paper')[id - 1]).toMatchObject({ trigger: 'schedule', items_new: 1 });
    }
    await eventually(async () => expect((await subscription()).missed).toBe(2));
    expect(isWorking(await subscription(), clock())).toBe(false);
  });

  it('given a hub that floods the callback, then the response is 429 with Retry-After', async () => {
    await startPoller();
    const { token } = await active();
    await api.close();
    await startApi({ perToken: 2, inAll: 4, atOnce: 16 });
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++)
      statuses.push((await fetch(`${baseUrl}/websub/${token}`, { method: 'POST', body: 'x' })).status);
    expect(statuses).toEqual([202, 202, 429]);
    for (let call = 0; call < 2; call++)
      statuses.push((await fetch(`${baseUrl}/websub/${'b'.repeat(43)}`, { method: 'POST', body: 'x' })).status);
    expect(statuses.slice(3)).toEqual([410, 429]);
  });

  it('given a delivery above the limit, then it is refused before its body is read', async () => {
    await startPoller();
    const { token } = await active();
    const body = Buffer.alloc(16 * 1_048_576);
    // The connection may be closed before the answer is read.
    const answer = await fetch(`${baseUrl}/websub/${token}`, { method: 'POST', body }).catch(() => null);
    expect([413, undefined]).toContain(answer?.status);
    expect(await waitingPollRequests(polling.database)).toEqual([]);
  });
});

describe('addresses that hubs can reach', () => {
  const reach = (BASE_URL: string, more: { ALLOW_PRIVATE_SOURCES?: boolean; WEBSUB?: 'on' | 'off' } = {}): boolean =>
    hubsReach({ BASE_URL, ALLOW_PRIVATE_SOURCES: false, WEBSUB: 'on', ...more });

  it.each(['https://clarity.in', 'http://8.8.8.8:8080'])('given %s, then hubs are used', (url) =>
    expect(reach(url)).toBe(true),
  );
  it.each([
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://10.1.2.3',
    'http://[::1]:8080',
    'http://clarity',
    'https://clarity.internal',
    'https://news.local',
  ])('given %s, then no hub is used, unless private networks are allowed', (url) => {
    expect(reach(url)).toBe(false);
    expect(reach(url, { ALLOW_PRIVATE_SOURCES: true })).toBe(true);
    expect(reach(url, { ALLOW_PRIVATE_SOURCES: true, WEBSUB: 'off' })).toBe(false);
  });
});

describe('polling while a hub works', () => {
  it('given any cadence, then polling is a quarter as often, at least hourly, and never more often than without a hub', () => {
    expect([600_000, 1_800_000, 3_600_000, 7_200_000].map(fallbackWait)).toEqual([
      2_400_000, 3_600_000, 3_600_000, 7_200_000,
    ]);
  });
});
