/** Processes that start before the servers that they need. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SOURCES } from '../../operations/sources.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { runCommand } from './run-command.ts';

let database: TestDatabase;
let relay: Server | undefined;
const sockets = new Set<Socket>();
const running: Clarity[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.kill()));
  for (const socket of sockets) socket.destroy();
  relay?.close();
});
afterAll(() => database.close());

const addressAt = (port: number): string => Object.assign(new URL(database.url), { port: String(port) }).href;

/** Makes the server of the test answer on a port. */
async function answerOn(port: number): Promise<void> {
  const target = new URL(database.url);
  relay = createServer((socket) => {
    const server = connect(Number(target.port), target.hostname);
    for (const one of [socket, server]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    socket.pipe(server).pipe(socket);
  }).listen(port, '127.0.0.1');
  await once(relay, 'listening');
}

function start(words: readonly string[], settings: Record<string, string>): Clarity {
  const clarity = startClarity(words, settings);
  running.push(clarity);
  return clarity;
}

describe('a process that starts while PostgreSQL is unreachable', () => {
  it.each([
    ['PostgreSQL', 'project', (url: string) => ({ DATABASE_URL: url })],
    // After its stores are open: an outage in the middle of a start is the same.
    ['its replica', 'mcp', (url: string) => ({ DATABASE_URL: database.url, DATABASE_READ_URL: url })],
  ])('given %s later, then %s is live and not ready until then, and runs from then on', async (_, name, settings) => {
    const [port, metrics] = [await freePort(), await freePort()];
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${metrics}/${path}`)).status;
    const waiting = start([name], {
      ...settings(addressAt(port)),
      PORT: String(await freePort()),
      METRICS_PORT: String(metrics),
      LOG_LEVEL: 'info',
    });
    await eventually(() => expect(waiting.output()).toContain('the process waits for it'));
    expect([await statusOf('livez'), await statusOf('readyz')]).toEqual([200, 503]);
    expect(waiting.output()).not.toContain('postgres:postgres');

    await answerOn(port);
    await eventually(() => expect(waiting.output()).toContain('"running"'));
    if (name === 'project') await eventually(async () => expect(await statusOf('readyz')).toBe(200));
    expect(await waiting.stop()).toBe(0);
  });

  it('given SIGTERM while it waits, then it ends cleanly, and no password was logged', async () => {
    const [DATABASE_URL, SMTP_URL] = [new URL(addressAt(await freePort())), 'smtp://mail:hunter2@127.0.0.1:1'];
    DATABASE_URL.password = 'hunter2';
    const api = start(['api'], { DATABASE_URL: DATABASE_URL.href, SMTP_URL, LOG_LEVEL: 'trace' });
    await eventually(() => expect(api.output()).toContain('the process waits for it'));
    expect(await api.stop()).toBe(0);
    expect(api.output()).not.toContain('hunter2');
  });

  it('given a database that does not exist, then the process ends, since waiting changes nothing', async () => {
    const url = Object.assign(new URL(database.url), { pathname: '/no_such_database' }).href;
    const project = start(['project'], { DATABASE_URL: url });
    expect(await project.ended).toBe(2);
    expect(project.output()).toContain('does not answer');
  });

  it('given a command, then it says so and ends', async () => {
    const { code, output } = await runCommand(SOURCES, ['sources', 'list'], addressAt(await freePort()));
    expect(code).toBe(1);
    expect(output).toContain('does not answer');
  });
});
