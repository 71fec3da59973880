/** `clarity eventstore` against a server with TLS, users and rights. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { EVENT_STORE } from '../../../operations/event-store.ts';
import { certificate } from '../../harness/certificate.ts';
import { someEvent } from '../../log/contract/events.ts';
import { type Double, startDouble } from '../../log/double/eventstore-double.ts';
import { doubleStore, type Store } from '../../log/double/store.ts';
import { runCommand } from '../run-command.ts';

const ADMIN_PASSWORD = 'ch4ngeit';
let folder: string;
let kept: Store;
let double: Double;
let users: Map<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clarity-eventstore-'));
  await start();
});
afterEach(async () => {
  double.kill();
  await rm(folder, { recursive: true });
});

async function start(maximumAppend = 15_000_000): Promise<void> {
  const pair = certificate();
  await writeFile(join(folder, 'ca.pem'), pair.certificate);
  kept = doubleStore();
  users = new Map([['admin', ADMIN_PASSWORD]]);
  double = await startDouble({ store: kept, maximumAppend, secure: { ...pair, user: '', password: '', users } });
}

const urlOf = (user = 'clarity', password = 's3:cret'): string =>
  `esdb://${user}:${encodeURIComponent(password)}@127.0.0.1:${double.port}` +
  `?tls=true&tlsCAFile=${encodeURIComponent(join(folder, 'ca.pem'))}`;

function run(words: readonly string[], settings: Record<string, string> = {}) {
  for (const [name, value] of Object.entries({ EVENTSTORE_URL: urlOf(), ...settings })) vi.stubEnv(name, value);
  return runCommand(EVENT_STORE, ['eventstore', ...words], '');
}
const prepare = (settings: Record<string, string> = {}, ...more: string[]) =>
  run(['prepare', '--as', 'admin', ...more], { EVENTSTORE_ADMIN_PASSWORD: ADMIN_PASSWORD, ...settings });

/** Data of the last event of a stream. */
const lastOf = (stream: string): unknown => {
  const records = kept.stream(stream);
  const last = typeof records === 'string' ? undefined : records.at(-1);
  return last && JSON.parse(Buffer.from(last.data).toString());
};
const write = (stream: string, data: unknown): void =>
  void kept.append(
    stream,
    [
      {
        id: crypto.randomUUID(),
        type: 'settings',
        contentType: 'application/json',
        data: Buffer.from(JSON.stringify(data)),
        metadata: Buffer.alloc(0),
      },
    ],
    'any',
  );

describe('clarity eventstore', () => {
  it('given a server without a user for the service, prepare creates one with the necessary rights, and check passes', async () => {
    const before = await run(['check']);
    expect(before).toMatchObject({ code: 2, output: expect.stringContaining('refuses the user or password') });

    const prepared = await prepare();

    expect(prepared.code, prepared.output).toBe(0);
    expect(users.get('clarity')).toBe('s3:cret');
    expect(lastOf('$$$all')).toEqual({ $acl: { $r: ['$admins', 'clarity'] } });
    const records = kept.records.length;
    const check = await run(['check', '--json']);
    expect(check.code, check.output).toBe(0);
    expect(JSON.parse(check.output)).toMatchObject({
      version: '24.10.0',
      tls: true,
      user: 'clarity',
      append: 'allowed',
      read_all: 'allowed',
      problems: [],
      nodes: [{ address: `127.0.0.1:${double.port}`, state: 'Leader', alive: true }],
      largest_append: { at_least: true },
      clock_ahead_seconds: expect.closeTo(0, -1),
    });
    expect(kept.records).toHaveLength(records);
    const store = await eventStoreDb({ url: urlOf() });
    await store.append('signal-one', [someEvent('prepared')], 'none');
    expect((await store.readAll({ after: 0n, prefixes: ['signal-'] })).events).toHaveLength(1);
    await store.close();
  });

  it('given rights of other users, prepare adds to them, and a second run changes nothing', async () => {
    write('$$$all', { $acl: { $r: ['audit'], $w: ['$admins'] }, note: 'kept' });
    write('$settings', { $userStreamAcl: { $r: 'reports', $w: ['writers'], $mr: '$admins', $d: '$admins' } });

    const first = await prepare();
    const records = kept.records.length;
    const second = await prepare();

    expect([first.code, second.code], first.output + second.output).toEqual([0, 0]);
    expect(lastOf('$$$all')).toEqual({ $acl: { $r: ['audit', 'clarity'], $w: ['$admins'] }, note: 'kept' });
    expect(lastOf('$settings')).toEqual({
      $userStreamAcl: {
        $r: ['reports', 'clarity'],
        $w: ['writers', 'clarity'],
        $mr: ['$admins', 'clarity'],
        $d: '$admins',
      },
    });
    expect(second.output).toContain('the user clarity exists');
    expect(kept.records).toHaveLength(records);
  });

  it('given a user without rights, says that rights are missing and not that the password is wrong', async () => {
    users.set('clarity', 's3:cret');
    write('$settings', { $userStreamAcl: { $w: ['writers'] } });

    const check = await run(['check']);
    const opened = await eventStoreDb({ url: urlOf() }).catch((error: Error) => error);

    expect(check.code).toBe(1);
    expect(check.output).toMatch(/may not read \$all: run clarity eventstore prepare/);
    expect(check.output).toMatch(/may not append: run clarity eventstore prepare/);
    expect((opened as Error).message).toMatch(/does not allow the user of EVENTSTORE_URL to read \$all; clarity/);
    expect(check.output).not.toContain('s3');
  });

  it('given a server that limits an append to 1 MB, check names its setting', async () => {
    double.kill();
    await start(1_048_576);
    await prepare();

    const check = await run(['check']);

    expect(check.code).toBe(1);
    expect(check.output).toMatch(/one append may have 1048576 bytes at most: set MaxAppendSize/);
  });

  it('given a user with another password, prepare says so, and sets it when asked to', async () => {
    users.set('clarity', 'another');

    const refused = await prepare();
    const reset = await prepare({}, '--reset-password');

    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('exists with another password') });
    expect(reset.code, reset.output).toBe(0);
    expect(users.get('clarity')).toBe('s3:cret');
  });

  it('given a wrong password of the admin, or no TLS, or no server, says what is wrong', async () => {
    const wrong = await prepare({ EVENTSTORE_ADMIN_PASSWORD: 'gu3ssed' });
    const insecure = await prepare({ EVENTSTORE_URL: urlOf().replace('tls=true', 'tls=false') });
    double.kill();
    const unreachable = await run(['check']);

    expect(wrong).toMatchObject({ code: 2, output: expect.stringContaining('refuses admin or that password') });
    expect(wrong.output).not.toContain('gu3ssed');
    expect(insecure).toMatchObject({ code: 2, output: expect.stringContaining('tls=false') });
    expect(unreachable).toMatchObject({ code: 1, output: expect.stringContaining('no event store answers') });
  });
});
