/** The first start: `npm start` with embedded defaults and the demo newsroom. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listTruth } from '../../demo/desk.ts';
import { openDatabase } from '../../log/postgres/database.ts';
import { runningEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { KEYS } from '../../operations/accounts.ts';
import { HealthSnapshot, SignalPage } from '../../schemas/resources.ts';
import { runCommand } from '../bin/run-command.ts';
import { curlLines, isExpected } from '../docs/curl-lines.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';

/** On a busy machine a first start takes a minute. */
let folder: string;
let url: string;
let settings: Record<string, string>;
let clarity: Clarity;

beforeAll(async () => {
  folder = await dataFolder('clarity-demo');
  const port = await freePort();
  url = `http://localhost:${port}`;
  settings = { DATA_DIR: join(folder, 'data'), PORT: String(port), DEMO_PORT: String(await freePort()) };
  clarity = startClarity(['up'], settings);
});
afterAll(async () => {
  await clarity.stop();
  await rm(folder, { recursive: true, force: true });
});

const page = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();

/** The key that the first start prints in a line to copy. */
let shown: string;
const answer = async (path: string, key = shown): Promise<unknown> =>
  (await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).json();

const databaseUrl = async (): Promise<string> => (await runningEmbeddedPostgres(settings.DATA_DIR ?? '')) ?? '';

/** A key of a separate account: reading all pages takes a large part of the calls of an account per minute. */
let accounts = 0;
async function freshKey(): Promise<string> {
  const words = ['keys', 'issue', '--json', '--plan', 'pro', '--account', `walker-${++accounts}@clarity.test`];
  const { output } = await runCommand(KEYS, words, await databaseUrl());
  return z.object({ key: z.string() }).parse(JSON.parse(output)).key;
}

/** Every signal on the API, over all pages. */
async function everySignal() {
  const key = await freshKey();
  const signals: SignalPage['signals'] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: SignalPage = SignalPage.parse(await answer(`/signals?limit=50${cursor && `&cursor=${cursor}`}`, key));
    signals.push(...page.signals);
    cursor = page.next_cursor;
  }
  return signals;
}

/** Their number, read from the database so that waiting uses no calls of an account. */
async function publicSignals(): Promise<number> {
  const database = openDatabase(await databaseUrl(), { max: 1 });
  try {
    const { rows } = await database.query(`SELECT count(*)::int AS count FROM read.signals WHERE status = 'public'`);
    return z.object({ count: z.int() }).parse(rows[0]).count;
  } finally {
    await database.end();
  }
}

const health = async () => HealthSnapshot.parse(await answer('/sources/health'));

describe('the first start', () => {
  it('given only defaults, when it starts, then it prints its address and signals appear on the page', async () => {
    await eventually(() => expect(clarity.output()).toContain('The first signals are on the page'));
    expect(clarity.output()).toContain(`Clarity is at ${url}`);
    [, shown = ''] = clarity.output().match(/curl -H 'Authorization: Bearer ([^']+)'/) ?? [];
    expect((await fetch(`${url}/api/v1/signals`)).status).toBe(401);
    expect(SignalPage.parse(await answer('/signals?limit=5')).signals.length).toBeGreaterThan(0);
    const home = await page('/');
    expect(home).toContain('real brands, invented outlets and news');
    const [, slug] = home.match(/href="(?:[^"]*)\/signal\/([a-z0-9-]+)"/) ?? [];
    expect(await page(`/signal/${slug}`)).toMatch(/[1-9]\d* reports?</);
  });

  it('given the demo newsroom, when all outlets were polled, then each is healthy', async () => {
    await eventually(async () => {
      const { sources } = await health();
      expect(sources.length).toBeGreaterThanOrEqual(12);
      expect(sources.filter((source) => source.health !== 'healthy')).toEqual([]);
      expect(sources.every((source) => source.last_success_at !== null)).toBe(true);
    });
  });

  it('given the feed, when it is read by cursor, then each signal comes once, newest first, with every kind', async () => {
    const { events } = listTruth(() => new Date());
    await eventually(async () => expect(await publicSignals()).toBeGreaterThan(events.length * 0.75));
    const signals = await everySignal();
    const times = signals.map((signal) => signal.published_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(signals.map(({ id }) => id)).size).toBe(signals.length);
    expect(new Set(signals.map(({ move }) => move)).size).toBe(8);
    expect(signals.filter(({ outlets }) => outlets > 1).length).toBeGreaterThan(signals.length / 3);
  });

  it('given the lines of README and API page that need at most a key, when they are run, then each works', async () => {
    const variables = { 'http://localhost:8080': url, $CLARITY: url, $KEY: await freshKey() };
    const lines = ['README.md', 'docs/api.md'].flatMap((page) => curlLines(page, variables));
    for (const { line, url: address, ...request } of lines.filter((one) => !one.line.includes('$TOKEN'))) {
      const { status } = await fetch(address, request);
      expect(isExpected(line, status), `${status} ${line}`).toBe(true);
    }
  });

  it('given a running service, when a second one starts on its data, then it names the owner of the data', async () => {
    const second = startClarity(['up'], { ...settings, PORT: '0' });
    expect(await second.ended).toBe(2);
    expect(second.output()).toMatch(/in use by process \d+/);
  });

  it('given SIGTERM, then it ends cleanly', async () => {
    expect(await clarity.stop()).toBe(0);
  });
});
