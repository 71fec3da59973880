/** Two processes of the API behind a balancer that looks at their readiness, restarted one after the other under load. */
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause } from '../../log/backoff.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';

/** Callers at once, each with one call after the other. */
const CALLERS = 2;
/** Milliseconds between two calls of one caller, so that the processes that start have a processor. */
const EVERY = 10;

interface Backend {
  readonly port: number;
  readonly metrics: number;
  ready: boolean;
  process: Clarity;
}

let database: TestDatabase;
let backends: Backend[] = [];
let balancer: Server;
const over = new AbortController();
/** Keeps connections, as balancers do; that is where a process that closes loses calls. */
const agent = new Agent({ keepAlive: true });

const start = (port: number, metrics: number, baseUrl = `http://127.0.0.1:${port}`): Clarity =>
  startClarity(['api'], {
    DATABASE_URL: database.url,
    PORT: String(port),
    BASE_URL: baseUrl,
    METRICS_PORT: String(metrics),
    DRAIN_SECONDS: '2',
  });

/** Knows no more of the processes than their `/readyz`; it retries nothing. */
function startBalancer(): Server {
  let turn = 0;
  return createServer((incoming, outgoing) => {
    const ready = backends.filter(({ ready }) => ready);
    const backend = ready[turn++ % ready.length];
    if (!backend) return void outgoing.writeHead(502).end('nobody is ready');
    const { method, url: path, headers } = incoming;
    const forwarded = request({ port: backend.port, host: '127.0.0.1', method, path, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502);
      answer.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.writeHead(502).end(String(error)));
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
}

/** Asks a process again and again whether it is ready, as a balancer's probe does. */
async function probe(backend: Backend): Promise<void> {
  while (!over.signal.aborted) {
    backend.ready = await fetch(`http://127.0.0.1:${backend.metrics}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    await pause(100, over.signal);
  }
}

const allReady = (): Promise<void> =>
  eventually(() => {
    for (const { ready, process } of backends) expect(ready, process.output()).toBe(true);
  });

beforeAll(async () => {
  database = await testDatabase();
  for (let number = 0; number < 2; number++) {
    const [port, metrics] = [await freePort(), await freePort()];
    backends.push({ port, metrics, ready: false, process: start(port, metrics) });
  }
  for (const backend of backends) void probe(backend);
  balancer = startBalancer();
  await once(balancer, 'listening');
  await allReady();
});
afterAll(async () => {
  over.abort();
  await Promise.all(backends.map(({ process }) => process.stop()));
  backends = [];
  balancer.close();
  agent.destroy();
  await database.close();
});

/** Calls a path without a break. @returns what ends the calls, and tells their outcomes with how often each came */
function callContinuously(path: string): { readonly answers: Map<string, number>; end(): Promise<void> } {
  const { port } = balancer.address() as AddressInfo;
  const done = new AbortController();
  const answers = new Map<string, number>();
  const call = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const outcome = await fetch(`http://127.0.0.1:${port}${path}`).then(
        async (answer) => `${answer.status} ${answer.ok ? '' : await answer.text()}`.trim(),
        (error: unknown) => String(error),
      );
      answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      await pause(EVERY, done.signal);
    }
  };
  const callers = Array.from({ length: CALLERS }, call);
  return {
    answers,
    async end() {
      done.abort();
      await Promise.all(callers);
    },
  };
}

/** Restarts a process, and waits until it answers. */
async function restart(backend: Backend, answers: ReadonlyMap<string, number>, baseUrl?: string): Promise<void> {
  expect(await backend.process.stop()).toBe(0);
  backend.process = start(backend.port, backend.metrics, baseUrl);
  await eventually(() => expect(backend.ready, backend.process.output()).toBe(true));
  const before = answers.get('200') ?? 0;
  await eventually(() => expect(answers.get('200') ?? 0).toBeGreaterThan(before + CALLERS));
}

test('given continuous calls, when each process is restarted in turn, then no call is refused and none fails', async () => {
  const calls = callContinuously('/plans');
  for (const backend of backends) await restart(backend, calls.answers);
  await calls.end();
  expect([...calls.answers.keys()]).toEqual(['200']);
});

test('given a release with other read models, then its processes wait for them while the old ones answer, and no call fails', async () => {
  // The address is in the rows: with another one all models have another version, as in another release.
  const [older, newer] = ['http://older.example', 'http://newer.example'];
  const projector = (baseUrl: string): Clarity =>
    startClarity(['project'], { DATABASE_URL: database.url, BASE_URL: baseUrl });
  const live = async (): Promise<string[]> =>
    (
      await database.database.query<{ version: string }>(
        `SELECT version FROM projector.builds WHERE state = 'live' ORDER BY model`,
      )
    ).rows.map(({ version }) => version);
  let project = projector(older);
  await eventually(async () => expect(await live(), project.output()).not.toContain('empty'));
  const before = await live();
  for (const backend of backends) {
    await backend.process.stop();
    backend.process = start(backend.port, backend.metrics, older);
  }
  await allReady();
  const calls = callContinuously('/');

  const [first, second] = backends as [Backend, Backend];
  expect(await first.process.stop()).toBe(0);
  first.process = start(first.port, first.metrics, newer);
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${first.metrics}/readyz`);
    expect(await answer.json()).toMatchObject({ state: 'running', ready: false });
  });
  expect(await live()).toEqual(before);
  await project.stop();
  project = projector(newer);
  await eventually(() => expect(first.ready, project.output()).toBe(true));
  expect(await live()).not.toEqual(before);
  expect(second.ready).toBe(true);
  await restart(second, calls.answers, newer);
  await calls.end();
  await project.stop();
  expect([...calls.answers.keys()]).toEqual(['200']);
});
