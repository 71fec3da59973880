/** The API while every process of PostgreSQL is stopped: connections are intact, and nothing is answered. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { type FreezablePostgres, startFreezablePostgres } from '../harness/freezable-postgres.ts';

let server: FreezablePostgres;
let api: Clarity;
let port: number;
let metrics: number;

beforeAll(async () => {
  server = await startFreezablePostgres();
  [port, metrics] = [await freePort(), await freePort()];
  api = startClarity(['api'], {
    DATABASE_URL: server.url,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    METRICS_PORT: String(metrics),
  });
  await eventually(async () => expect((await ask('/readyz', metrics)).status, api.output()).toBe(200));
});
afterAll(async () => {
  server.thaw();
  await api.stop();
  await server.stop();
});

const ask = (path: string, of = port, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${of}${path}`, init);

test('given a database that is frozen, then every call is answered 503 with Retry-After while it is; thawed, all works again', async () => {
  expect((await ask('/api/v1/sources/health')).status).toBe(200);
  await server.freeze();
  const proposal = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"url":"https://a.example/feed"}',
  };
  const calls = [
    ask('/api/v1/sources/health'),
    ask('/api/v1/signals', port, { headers: { authorization: `Bearer ck_live_${'a'.repeat(32)}` } }),
    ask('/api/v1/sources/propose', port, proposal),
    ...Array.from({ length: 30 }, () => ask('/')),
  ];
  // The database is thawed only after the last answer: none of them waited for it.
  const answers = await Promise.all(
    calls.map(async (call) => {
      const { status, headers } = await call;
      return { status, retry: Number(headers.get('retry-after')) > 0 };
    }),
  );
  expect(answers.filter(({ status, retry }) => status !== 503 || !retry)).toEqual([]);
  // Later calls and the load balancer get the error at once.
  expect((await ask('/')).status).toBe(503);
  expect((await ask('/readyz', metrics)).status).toBe(503);
  server.thaw();
  await eventually(async () => {
    expect((await ask('/')).status).toBe(200);
    expect((await ask('/readyz', metrics)).status).toBe(200);
  });
});
