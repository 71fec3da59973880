/** Commands and processes against an event store that accepts connections and never answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { type Double, startDouble } from '../log/double/eventstore-double.ts';
import { doubleStore } from '../log/double/store.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let database: TestDatabase;
let silent: Server;
let connections = 0;
let url: string;
const running: Clarity[] = [];

beforeAll(async () => {
  database = await testDatabase();
  silent = createServer(() => connections++).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  url = `esdb://127.0.0.1:${(silent.address() as AddressInfo).port}?tls=false`;
});
afterEach(async () => {
  connections = 0;
  await Promise.all(running.splice(0).map((one) => one.kill()));
});
afterAll(async () => {
  silent.close();
  await database.close();
});

function start(words: readonly string[], eventStore = url): Clarity {
  const clarity = startClarity(words, { DATABASE_URL: database.url, EVENTSTORE_URL: eventStore });
  running.push(clarity);
  return clarity;
}

const ISSUE = ['keys', 'issue', '--account', 'anna@example.org', '--name', 'test'];

describe('an event store that is hung', () => {
  it('given a command, then it ends with an exit code, and one message that names the address', async () => {
    const clarity = start(ISSUE);
    expect(await clarity.ended).toBe(1);
    expect(clarity.output()).toMatch(/clarity: .*esdb:\/\/127\.0\.0\.1:\d+/);
    expect(clarity.output()).not.toMatch(/^\s+at /m);
  });

  it('given a process that waits for it at the start, when SIGTERM comes, then it ends at once and cleanly', async () => {
    const clarity = start(['project']);
    await eventually(() => expect(connections).toBeGreaterThan(0));
    expect(await clarity.stop()).toBe(0);
    expect(clarity.output()).not.toMatch(/clarity:|Error/);
  });

  it('given `up` while PostgreSQL is not reached either, then it says within the limit of a start what does not answer', async () => {
    const clarity = startClarity(['up'], {
      DATABASE_URL: Object.assign(new URL(database.url), { port: String(await freePort()) }).href,
      EVENTSTORE_URL: url,
      PORT: '0',
      METRICS_PORT: '0',
    });
    running.push(clarity);
    await eventually(() => expect(clarity.output()).toContain('the process waits for it'));
    expect(clarity.output()).toMatch(
      /no event store answers at esdb:\/\/127\.0\.0\.1:\d+ \(EVENTSTORE_URL\): nothing within 8 s/,
    );
    expect(await clarity.stop()).toBe(0);
  });

  it('given a running command, when the store hangs, then it ends with an exit code', async () => {
    const double: Double = await startDouble({ store: doubleStore() });
    const ready = startClarity(['migrate'], { DATABASE_URL: database.url });
    running.push(ready);
    await ready.ended;
    const clarity = start(ISSUE, `esdb://127.0.0.1:${double.port}?tls=false`);
    // The start has read the last record; what comes next is the work of the command.
    await eventually(() => expect(double.calls.read).toBeGreaterThan(0));
    const release = double.hold();
    const code = await clarity.ended;
    release();
    double.kill();
    expect(code, clarity.output()).toBe(1);
    expect(clarity.output()).toMatch(/clarity: .*does not answer/);
  });
});

describe('an uncaught error', () => {
  it.each([
    ['thrown in a callback', "setImmediate(() => { throw new TypeError('undefined is not iterable'); })"],
    ['a rejection', "void Promise.reject(new TypeError('undefined is not iterable'))"],
  ])('given one %s, then it is one bounded line in the log, and the exit code is 1', async (_, fault) => {
    const script = `
      import { logUncaughtErrors } from './bin/errors.ts';
      logUncaughtErrors();
      setInterval(() => undefined, 1_000);
      ${fault}`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { cwd: root });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(1);
    const lines = errors.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 60,
      err: { type: 'TypeError', message: 'undefined is not iterable' },
    });
  });
});
