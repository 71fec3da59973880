/** The event store on EventStoreDB: the contract on the real server where there is one, and what befalls connections. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Page } from '../../../log/event-store.ts';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { AppendTooLarge, EventStoreUnavailable } from '../../../log/eventstore/eventstore-errors.ts';
import { certificate } from '../../harness/certificate.ts';
import { startEventStore } from '../../harness/eventstore.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePort } from '../../harness/free-port.ts';
import { WAIT_OPTIONS } from '../../harness/wait-options.ts';
import { eventStoreContract, follow, readToEnd } from '../contract/event-store.ts';
import { eventOfBytes, someEvent, someEvents } from '../contract/events.ts';
import { type DoubleOptions, startDouble } from '../double/eventstore-double.ts';
import { doubleStore } from '../double/store.ts';

const server = await startEventStore();
process.stdout.write(`The event store is ${server.kind}\n`);
afterAll(() => server.stop());

describe(`on ${server.kind}`, () => {
  eventStoreContract(async () => ({ open: () => eventStoreDb({ url: server.url }), close: async () => undefined }), {
    ...(server.double ? { many: 3_000 } : {}),
  });
});

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function opened(options: Partial<DoubleOptions> = {}) {
  const double = await startDouble({ store: doubleStore(), ...options });
  closers.push(() => double.kill());
  const store = await eventStoreDb({ url: `esdb://127.0.0.1:${double.port}?tls=false` });
  closers.push(() => store.close());
  return { double, store };
}

describe('a server that is killed and started again', () => {
  const script = resolve(import.meta.dirname, '../double/serve.ts');
  let folder: string;
  let port: number;
  let running: ChildProcess;
  const serve = async (): Promise<void> => {
    running = spawn(process.execPath, [script, '--port', String(port), '--data', join(folder, 'data')]);
    if (running.stdout) await once(running.stdout, 'data');
  };
  const kill = async (): Promise<void> => {
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  };
  beforeAll(async () => {
    [folder, port] = [await mkdtemp(join(tmpdir(), 'clarity-eventstore-')), await freePort()];
    await serve();
  });
  afterAll(async () => {
    await kill();
    await rm(folder, { recursive: true });
  });

  test('given a reader and a writer, then the reader misses nothing and the append gets through', async () => {
    const report = vi.fn();
    // Calls last as long as a process may take to start: how long an outage may be is tested elsewhere.
    const { timeout: retryFor } = WAIT_OPTIONS;
    const store = await eventStoreDb({ url: `esdb://127.0.0.1:${port}?tls=false`, report, retryFor });
    const first = Promise.withResolvers<void>();
    const seen = follow(store, { after: 0n, prefixes: ['kill-'] }, (events) => {
      if (events.length === 2) first.resolve();
      return events.length === 5;
    });
    await store.append('kill-1', someEvents('kill', 2), 'none');
    await first.promise;
    await kill();
    const restarting = eventually(() => expect(report).toHaveBeenCalled()).then(serve);
    const [appended] = await Promise.all([store.append('kill-1', someEvents('kill', 4), 'any'), restarting]);
    expect(appended.revision).toBe(3);
    expect((await store.append('kill-1', [someEvent('kill 4')], 3)).revision).toBe(4);
    expect((await seen).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    await store.close();
  });

  test('given an append that was answered, when the server has forgotten its ids, then it is still stored once', async () => {
    const store = await eventStoreDb({ url: `esdb://127.0.0.1:${port}?tls=false` });
    const first = await store.append('forgotten-1', someEvents('forgotten', 3), 'any');
    await store.append('forgotten-1', [someEvent('later')], 2);
    await store.close();
    await kill();
    await serve();
    const next = await eventStoreDb({ url: `esdb://127.0.0.1:${port}?tls=false` });
    expect(await next.append('forgotten-1', someEvents('forgotten', 3), 'any')).toEqual({ ...first, stored: [] });
    expect(await next.read('forgotten-1')).toHaveLength(4);
    await next.close();
  });

  test('given a subscription while the server is unreachable, when it is aborted, then it ends while the server is still unreachable', async () => {
    const report = vi.fn();
    const store = await eventStoreDb({ url: `esdb://127.0.0.1:${port}?tls=false`, report });
    const controller = new AbortController();
    const after = await store.head();
    const reading = (async () => {
      for await (const page of store.subscribe({ after, signal: controller.signal })) expect(page).toBeUndefined();
    })();
    await kill();
    await eventually(() => expect(report).toHaveBeenCalled());
    controller.abort();
    await reading;
    await serve();
    await store.close();
  });
});

describe('a long log without a match', () => {
  test('given a subscription, then its position advances in empty pages, and nothing later is lost from any of them', async () => {
    const { store } = await opened();
    for (let from = 0; from < 5; from++) await store.append(`noise-${from}`, someEvents(`noise ${from}`, 700), 'none');
    const head = await store.head();
    const pages: Page[] = [];
    const controller = new AbortController();
    for await (const page of store.subscribe({ after: 0n, prefixes: ['wanted-'], signal: controller.signal })) {
      pages.push(page);
      if (page.position >= head) controller.abort();
    }
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.flatMap(({ events }) => events)).toEqual([]);
    const positions = pages.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].toSorted((one, other) => (one < other ? -1 : 1)));

    await store.append('wanted-1', [someEvent('wanted')], 'none');
    for (const after of positions) {
      const found = await follow(store, { after, prefixes: ['wanted-'] }, (events) => events.length === 1);
      expect(found.map(({ stream }) => stream)).toEqual(['wanted-1']);
      expect((await readToEnd(store, ['wanted-'], after)).events).toHaveLength(1);
    }
  });
});

describe('a slow server', () => {
  test('given 20 ms before each answer, then its subscription delivers an append, without another read', async () => {
    const { double, store } = await opened({ latency: 20 });
    const arrivals = new Set<number>();
    const seen = follow(store, { after: 0n, prefixes: ['slow-'] }, (events) => {
      for (const { revision } of events) arrivals.add(revision);
      return events.length === 3;
    });
    await store.append('slow-1', [someEvent('slow 0')], 'none');
    await eventually(() => expect(arrivals.size).toBe(1));
    await store.append('slow-1', someEvents('slow', 3), 0);
    const reads = double.calls.read;
    await seen;
    expect(arrivals).toEqual(new Set([0, 1, 2]));
    expect(double.calls.read).toBe(reads);
  });

  test('given a server with a low limit for appends, then the error names its setting', async () => {
    const { store } = await opened({ maximumAppend: 10_000 });
    const append = store.append('large-1', [eventOfBytes('large', 20_000)], 'none');
    await expect(append).rejects.toThrow(AppendTooLarge);
    await expect(append).rejects.toThrow(/at most 10000 bytes.*MaxAppendSize/);
  });
});

describe('a server with TLS and users', () => {
  test('given TLS and a password, then the right one is accepted and a wrong one is refused without being shown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clarity-certificate-'));
    closers.push(() => rm(folder, { recursive: true }));
    const pair = certificate();
    const file = join(folder, 'ca.pem');
    await writeFile(file, pair.certificate);
    const double = await startDouble({ store: doubleStore(), secure: { ...pair, user: 'anna', password: 's3:cret' } });
    closers.push(() => double.kill());
    const url = (password: string): string =>
      `esdb://anna:${password}@127.0.0.1:${double.port}?tlsCAFile=${encodeURIComponent(file)}`;
    const store = await eventStoreDb({ url: url('s3%3Acret') });
    await store.append('secure-1', [someEvent('secure')], 'none');
    expect(await store.read('secure-1')).toHaveLength(1);
    await store.close();
    const error = await eventStoreDb({ url: url('gu3ssed') }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EventStoreUnavailable);
    const { message } = error as Error;
    expect(message).toMatch(/refuses the user or password/);
    expect(message).not.toMatch(/gu3ssed|anna/);
  });
});
