/** Readers need PostgreSQL alone: the API starts and serves while Kafka and the event store are unreachable. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore } from '../log/double/store.ts';

let database: TestDatabase;
let api: Clarity;
let port: number;
let metrics: number;
let eventStorePort: number;
let settings: Record<string, string>;

beforeAll(async () => {
  database = await testDatabase();
  [port, metrics, eventStorePort] = [await freePort(), await freePort(), await freePort()];
  settings = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
    EVENTSTORE_URL: `esdb://admin:hunter2@127.0.0.1:${eventStorePort}?tls=false`,
  };
  const listening = { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}`, METRICS_PORT: String(metrics) };
  api = startClarity(['api'], { ...settings, ...listening });
});
afterAll(async () => {
  await api.stop();
  await database.close();
});

const ask = (path: string, init: RequestInit = {}, of = port): Promise<Response> =>
  fetch(`http://127.0.0.1:${of}${path}`, init);
const propose = (): Promise<Response> =>
  ask('/api/v1/sources/propose', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://outlet.example/feed' }),
  });

test('given neither Kafka nor the event store, then the API is ready and reads; a command is 503 with Retry-After until its store is back', async () => {
  await eventually(async () => expect((await ask('/readyz', {}, metrics)).status, api.output()).toBe(200));
  expect(await (await ask('/readyz', {}, metrics)).json()).toMatchObject({ needs: { postgres: 'ok' } });
  expect((await ask('/')).status).toBe(200);
  expect((await ask('/api/v1/sources/health')).status).toBe(200);
  const refused = await propose();
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
  expect(await refused.json()).toMatchObject({ error: 'unavailable' });
  expect(api.output()).not.toContain('hunter2');

  const store = await startDouble({ store: doubleStore(), port: eventStorePort });
  await eventually(async () => expect((await propose()).status).toBe(202));
  store.kill();
});

test('given neither Kafka nor the event store, then status shows what PostgreSQL knows, names both, and ends with 1', async () => {
  const status = startClarity(['status', '--json'], settings);
  expect(await status.ended).toBe(1);
  const { needs, database: found, standing, unreachable } = JSON.parse(status.output());
  expect(found.version).not.toBe('');
  expect(standing.models.length).toBeGreaterThan(3);
  expect(unreachable.map(({ dependency }: { dependency: string }) => dependency).toSorted()).toEqual([
    'event store',
    'kafka',
  ]);
  expect(needs.map(({ what }: { what: string }) => what).join('\n')).toMatch(
    /event store.*does not answer[\s\S]*Kafka/i,
  );
  expect(status.output()).not.toContain('hunter2');
});

test('given no PostgreSQL either, then status says of each that it does not answer', async () => {
  const unreachable = `postgres://clarity:hunter2@127.0.0.1:${await freePort()}/clarity`;
  const status = startClarity(['status'], { ...settings, DATABASE_URL: unreachable });
  expect(await status.ended).toBe(1);
  expect(status.output()).toMatch(/PostgreSQL[\s\S]*the event store[\s\S]*Kafka/);
  expect(status.output()).not.toContain('hunter2');
});

test('given a process that needs them, then it waits for them; an invalid setting ends it', async () => {
  const match = startClarity(['match'], settings);
  await eventually(() => expect(match.output()).toMatch(/(?:nothing|no event store) answers at .* \(EVENTSTORE_URL\)/));
  expect(await match.stop()).toBe(0);
  const wrong = startClarity(['match'], { ...settings, PORT: 'x' });
  expect(await wrong.ended).toBe(2);
});
