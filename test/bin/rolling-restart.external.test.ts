/** Two processes of the API behind a balancer that looks at their readiness, restarted one after the other under load. */
import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pause } from '../../log/backoff.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { WAIT_OPTIONS } from '../harness/wait-options.ts';

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

const start = (port: number, metrics: number): Clarity =>
  startClarity(['api'], {
    DATABASE_URL: database.url,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
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

beforeAll(async () => {
  database = await testDatabase();
  for (let number = 0; number < 2; number++) {
    const [port, metrics] = [await freePort(), await freePort()];
    backends.push({ port, metrics, ready: false, process: start(port, metrics) });
  }
  for (const backend of backends) void probe(backend);
  balancer = startBalancer();
  await once(balancer, 'listening');
  await vi.waitFor(() => expect(backends.every(({ ready }) => ready)).toBe(true), WAIT_OPTIONS);
});
afterAll(async () => {
  over.abort();
  await Promise.all(backends.map(({ process }) => process.stop()));
  backends = [];
  balancer.close();
  agent.destroy();
  await database.close();
});

test('given continuous calls, when each process is restarted in turn, then no call is refused and none fails', async () => {
  const { port } = balancer.address() as AddressInfo;
  const done = new AbortController();
  const answers = new Map<string, number>();
  const call = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const outcome = await fetch(`http://127.0.0.1:${port}/plans`).then(
        async (answer) => `${answer.status} ${answer.ok ? '' : await answer.text()}`.trim(),
        (error: unknown) => String(error),
      );
      answers.set(outcome, (answers.get(outcome) ?? 0) + 1);
      await pause(EVERY, done.signal);
    }
  };
  const callers = Array.from({ length: CALLERS }, call);
  for (const backend of backends) {
    const before = answers.get('200') ?? 0;
    expect(await backend.process.stop()).toBe(0);
    backend.process = start(backend.port, backend.metrics);
    await vi.waitFor(() => expect(backend.ready, backend.process.output()).toBe(true), WAIT_OPTIONS);
    await vi.waitFor(() => expect(answers.get('200') ?? 0).toBeGreaterThan(before + CALLERS), WAIT_OPTIONS);
  }
  done.abort();
  await Promise.all(callers);
  expect([...answers.keys()]).toEqual(['200']);
});
