/** What machines see of a process on METRICS_PORT, asked over HTTP. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateAccess } from '../../../access/access.ts';
import { charge } from '../../../access/quota/charge.ts';
import { openWatch, type Watch } from '../../../bin/observe/observed-process.ts';
import type { Services } from '../../../bin/services.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { readModels } from '../../../projector/models/all-read-models.ts';
import { prepareReadModels } from '../../../projector/promote-build.ts';
import { readConfiguration, VERSION } from '../../../schemas/configuration.ts';
import { eventsProjected, partFailed, requestAnswered } from '../../../schemas/observation.ts';
import { ITEMS } from '../../../schemas/poll.ts';
import { STORIES } from '../../../schemas/story.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { freePort } from '../../harness/free-port.ts';
import { startDouble } from '../../log/double/eventstore-double.ts';
import { doubleStore } from '../../log/double/store.ts';

const configuration = readConfiguration({ METRICS_PORT: '0' });
const lines: { msg: string; correlation_id?: string; level: number }[] = [];
const logger = pino(
  { level: 'debug' },
  new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  }),
);

let test: TestDatabase;
let services: Services;
let watch: Watch;

beforeAll(async () => {
  test = await logDatabase();
  const { database, url } = test;
  await migrateAccess(database);
  await prepareReadModels(database, readModels({ baseUrl: configuration.BASE_URL }));
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  services = {
    configuration,
    logger,
    database,
    databaseUrl: url,
    topics,
    store,
    dataDir: null,
    now: () => new Date(),
    close: async () => {
      await store.close();
      await topics.close();
    },
  };
});
afterAll(async () => {
  await services.close();
  await test.close();
});
beforeEach(async () => {
  lines.length = 0;
  watch = await openWatch('test', configuration, logger);
});
afterEach(() => watch.close());

const ask = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(`http://127.0.0.1:${watch.port}${path}`, init);
const metricLines = async (): Promise<string[]> => (await (await ask('/metrics')).text()).split('\n');

const event = (type: string, correlation_id = randomUUID(), data: unknown = {}) => ({
  id: randomUUID(),
  type,
  version: 1,
  time: '2026-11-21T00:00:00.000Z',
  causation_id: null,
  correlation_id,
  data,
});

describe('the probes', () => {
  it('given stores that are not open yet, it is alive and not ready; running, ready; stopping, alive and not ready', async () => {
    expect((await ask('/livez')).status).toBe(200);
    expect((await ask('/readyz')).status).toBe(503);
    watch.over(services);
    expect((await ask('/readyz')).status).toBe(503);
    watch.running(['poll']);
    const ready = await ask('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ready: true, state: 'running', needs: { postgres: 'ok' } },
    ]);
    watch.stopping();
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/livez')).status).toBe(200);
  });

  it('given an unreachable database, it is alive and not ready, and names only the database', async () => {
    const gone = postgresTopics(test.database);
    await gone.close();
    const away = {
      query: async () => Promise.reject(new Error('password=hunter2')),
      totalCount: 0,
      idleCount: 0,
      waitingCount: 0,
      options: { max: 1 },
    } as unknown as Services['database'];
    watch.over({ ...services, database: away });
    watch.running(['poll']);
    const answer = await ask('/readyz');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { ready: false, state: 'running', needs: { postgres: 'unreachable' } },
    ]);
    expect((await ask('/livez')).status).toBe(200);
    // Its own counts are still exported.
    expect((await ask('/metrics')).status).toBe(200);
  });

  it('given a process that reads models, it is ready when those of its release are live, and stays so when others are swapped in', async () => {
    const own = readModels({ baseUrl: configuration.BASE_URL });
    await prepareReadModels(test.database, own);
    const api = await openWatch('api', configuration, logger);
    try {
      api.over(services);
      api.running(['api']);
      const state = async () => {
        const answer = await fetch(`http://127.0.0.1:${api.port}/readyz`);
        return [answer.status, ((await answer.json()) as { waits_for?: string[] }).waits_for ?? []];
      };
      const setVersion = (version: string) =>
        test.database.query(`UPDATE projector.builds SET version = $1 WHERE model = 'signals'`, [version]);
      await setVersion('of an older release');
      expect(await state()).toEqual([503, ['signals']]);
      await setVersion(own.find(({ name }) => name === 'signals')?.version ?? '');
      expect(await state()).toEqual([200, []]);
      await setVersion('of a newer release');
      expect(await state()).toEqual([200, []]);
    } finally {
      await api.close();
    }
  });

  it('given an event store without a leader, a process that appends is not ready, and one that only reads it is', async () => {
    const double = await startDouble({ store: doubleStore() });
    const url = `esdb://127.0.0.1:${double.port}?tls=false`;
    const store = await eventStoreDb({ url });
    watch.over({ ...services, store, configuration: { ...configuration, EVENTSTORE_URL: url } });
    const readiness = async (part: string) => {
      watch.running([part]);
      const answer = await ask('/readyz');
      return [answer.status, ((await answer.json()) as { needs: Record<string, string> }).needs['event store']];
    };
    try {
      for (const part of ['match', 'project']) expect(await readiness(part)).toEqual([200, 'ok']);
      double.quorum(false);
      expect(await readiness('match')).toEqual([503, 'no leader; reads work']);
      expect(await readiness('project')).toEqual([200, 'no leader; reads work']);
      double.quorum(true);
      expect(await readiness('match')).toEqual([200, 'ok']);
    } finally {
      await store.close();
      double.kill();
    }
  });

  it('given an event store that hangs, then metrics are answered within a second, without its measurements', async () => {
    const hung = { ...services.store, head: () => new Promise<bigint>(() => undefined) };
    const url = 'esdb://127.0.0.1:2113?tls=false';
    watch.over({ ...services, store: hung, configuration: { ...configuration, EVENTSTORE_URL: url } });
    watch.running(['match']);
    const text = await (await ask('/metrics', { signal: AbortSignal.timeout(1_000) })).text();
    expect(text).toContain('clarity_consumer_lag');
    expect(text).not.toMatch(/clarity_model_lag{.*\d$/);
  });

  it('serve no other path, and no method except GET and HEAD', async () => {
    for (const path of ['/', '/metrics/../etc', '/__proto__', '/constructor'])
      expect((await ask(path)).status).toBe(404);
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
    expect(await (await ask('/livez', { method: 'HEAD' })).text()).toBe('');
  });
});

describe('a port that is taken', () => {
  it('does not stop the service: another port is used and logged', async () => {
    const other = createServer().listen(await freePort(), '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const second = await openWatch('second', { ...configuration, METRICS_PORT: port }, logger);
    second.running([]);
    expect(second.port).not.toBe(port);
    expect((await fetch(`http://127.0.0.1:${second.port}/livez`)).status).toBe(200);
    expect(lines.at(-1)?.msg).toContain(`port ${second.port} serves instead`);
    await second.close();
    other.close();
  });

  it('given an address that this machine does not have, continues without probes', async () => {
    const none = await openWatch('none', { METRICS_PORT: 0, METRICS_HOST: '203.0.113.1' }, logger);
    none.running([]);
    expect(none.port).toBeNull();
    expect(lines.at(-1)?.msg).toContain('has no metrics and probes');
    await none.close();
  });
});

describe('the metrics', () => {
  it('count handled messages, and export the lag of each group', async () => {
    const { topics, store } = watch.over(services);
    watch.running(['understand', 'match', 'project', 'poll', 'oracle']);
    await topics.topic(ITEMS).publish(['a', 'b', 'c'].map((key) => ({ key, event: event('ItemFound') })));
    await topics.topic(STORIES).publish([{ key: 'a', event: event('StoryUnderstood') }]);
    await topics
      .topic('polls')
      .publish([{ key: 'one', event: event('PollCompleted', randomUUID(), { outcome: 'failed' }) }]);
    const detected = event('SignalDetected');
    for (const more of [[], [], [event('SignalReported')]])
      await store.append('signal-one', [detected, ...more], 'any');
    const stop = new AbortController();
    await topics.topic(STORIES).consume({ group: 'match', signal: stop.signal, handle: async () => stop.abort() });
    const lines = await metricLines();
    for (const line of [
      'clarity_process{process="test"} 1',
      'clarity_messages_published_total{topic="items"} 3',
      'clarity_messages_handled_total{topic="stories",group="match"} 1',
      'clarity_polls_total{outcome="failed"} 1',
      'clarity_events_appended_total{type="SignalDetected"} 1',
      'clarity_events_appended_total{type="SignalReported"} 1',
      'clarity_consumer_lag_seconds{topic="stories",group="match"} 0',
      'clarity_model_lag{model="signals"} 2',
      'clarity_sources{health="failing"} 0',
    ])
      expect(lines).toContain(line);
    const lag = (group: string): number =>
      lines
        .filter((line) => line.startsWith('clarity_consumer_lag{') && line.includes(`group="${group}"`))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    expect([lag('understand'), lag('match')]).toEqual([3, 0]);
    expect(lines.some((line) => line.startsWith('process_resident_memory_bytes'))).toBe(true);
    expect(lines.some((line) => line.startsWith(`clarity_build_info{version="${VERSION}"`))).toBe(true);
    expect(lines.some((line) => line.startsWith('clarity_database_connections{state="used"}'))).toBe(true);
    const limit = lines.find((line) => line.startsWith('clarity_memory_limit_bytes '));
    expect(Number(limit?.split(' ')[1])).toBeGreaterThan(100e6);
  });

  it('given a consumer that does not run, then its lag is reported by every other process of the pipeline', async () => {
    watch.over(services);
    watch.running(['oracle']);
    const lines = await metricLines();
    expect(lines.some((line) => line.startsWith('clarity_consumer_lag{topic="items",group="understand"'))).toBe(true);
    expect(lines.some((line) => line.startsWith('clarity_model_lag{model="accounts"}'))).toBe(true);
  });

  it('given a process that only answers readers, then it does not query the topics', async () => {
    watch.over({
      ...services,
      topics: {
        topic: () => Promise.reject(new Error('unreachable')) as never,
        groups: async () => [],
        close: async () => undefined,
      },
    });
    watch.running(['api']);
    expect((await metricLines()).some((line) => line.startsWith('clarity_consumer_lag'))).toBe(false);
  });

  it('given a signal that reaches the pages, then the time since its item was found is counted once', async () => {
    watch.over(services);
    const events = [
      // Decided just now: what counts is when its item was found.
      event('SignalDetected', randomUUID(), { report: { found_at: new Date(Date.now() - 2_000).toISOString() } }),
      event('SignalAnalysed'),
    ];
    eventsProjected.emit({ model: 'signals', events });
    eventsProjected.emit({ model: 'search', events });
    const lines = await metricLines();
    expect(lines).toContain('clarity_item_to_page_seconds_count 1');
    expect(lines).toContain('clarity_item_to_page_seconds_bucket{le="1"} 0');
    expect(lines).toContain('clarity_item_to_page_seconds_bucket{le="60"} 1');
  });

  it('count answers by route, refusals by window, parts that failed; an unknown method counts as "other"', async () => {
    requestAnswered.emit({ method: 'GET', route: '/api/v1/signals', status: 200, milliseconds: 30 });
    requestAnswered.emit({ method: 'BREW', route: 'none', status: 404, milliseconds: 1 });
    partFailed.emit({ part: 'poll' });
    const window = { key: 'acc_1 minute', name: 'minute', max: 1, seconds: 60, code: 'rate_limited' } as const;
    await charge(test.database, [window]);
    expect((await charge(test.database, [window])).fits).toBe(false);
    const lines = await metricLines();
    const route = 'method="GET",route="/api/v1/signals",status="200"';
    for (const line of [
      `clarity_http_request_duration_seconds_bucket{le="0.025",${route}} 0`,
      `clarity_http_request_duration_seconds_bucket{le="0.05",${route}} 1`,
      'clarity_http_request_duration_seconds_count{method="other",route="none",status="404"} 1',
      'clarity_part_failures_total{part="poll"} 1',
      'clarity_limit_refusals_total{code="rate_limited",window="minute"} 1',
    ])
      expect(lines).toContain(line);
  });

  it('log handled messages by correlation id, never by text', async () => {
    const { topics, store } = watch.over(services);
    const [one, other] = [randomUUID(), randomUUID()];
    await topics.topic(ITEMS).publish([{ key: 'a', event: event('ItemFound', one, { title: 'a headline' }) }]);
    const events = [event('SignalDetected', one), event('SignalAnalysed', other)];
    for (let time = 0; time < 2; time++) await store.append('signal-two', events, 'none');
    expect(lines.filter(({ correlation_id }) => correlation_id === one).map(({ msg }) => msg)).toEqual([
      'published',
      'appended',
    ]);
    expect(JSON.stringify(lines)).not.toContain('a headline');
  });
});

describe('a read model that does not move', () => {
  it('given one that has not moved for a minute while the event store has, then readiness and metrics name it', async () => {
    const { database } = test;
    const time = new Date(Date.now() - 120_000).toISOString();
    await services.store.append('signal-stopped', [{ ...event('Noted'), time }], 'none');
    await database.query(
      `INSERT INTO projector.checkpoints (build, input, position, moved_at)
       SELECT name, 'store', 0, now() - CASE model WHEN 'signals' THEN interval '90 seconds' ELSE interval '30 seconds' END
       FROM projector.builds WHERE model IN ('signals', 'brands')`,
    );
    watch.over(services);
    watch.running(['project']);
    try {
      const answer = await ask('/readyz');
      // Others go on: it stays among those that are asked.
      expect([answer.status, await answer.json()]).toMatchObject([200, { ready: true, stopped_models: ['signals'] }]);
      const stopped = (await metricLines()).filter((line) => line.startsWith('clarity_model_stopped_seconds{'));
      const secondsOf = (model: string) => Number(stopped.find((line) => line.includes(`"${model}"`))?.split(' ')[1]);
      expect(secondsOf('signals')).toBeGreaterThanOrEqual(90);
      expect(secondsOf('brands')).toBe(0);
    } finally {
      await database.query('DELETE FROM projector.checkpoints');
    }
  });
});
