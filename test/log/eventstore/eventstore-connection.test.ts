import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventStoreDb } from '../../../log/eventstore/eventstore-adapter.ts';
import { Connection, readAddress } from '../../../log/eventstore/eventstore-connection.ts';
import { findHindrance } from '../../../log/eventstore/eventstore-diagnosis.ts';
import { AttemptTimedOut, EventStoreUnavailable } from '../../../log/eventstore/eventstore-errors.ts';
import { certificate } from '../../harness/certificate.ts';
import { ADMIN } from '../../harness/eventstore.ts';
import { freePort } from '../../harness/free-port.ts';
import { type Double, startDouble } from '../double/eventstore-double.ts';
import { doubleStore } from '../double/store.ts';

describe('the connection string of an event store', () => {
  test.each([
    ['esdb://localhost:2113?tls=false', 'esdb://localhost:2113?tls=false', 'esdb://localhost:2113'],
    ['kurrentdb://a:1,b:2,c', 'esdb://a:1,b:2,c', 'kurrentdb://a:1,b:2,c'],
    [
      'kurrentdb+discover://u:p@store.internal',
      'esdb+discover://u:p@store.internal',
      'kurrentdb+discover://store.internal',
    ],
    ['esdb://u:p%40ss@host:2113/?tlsCAFile=/a%20b', 'esdb://u:p%40ss@host:2113?tlsCAFile=/a%20b', 'esdb://host:2113'],
  ])('given %s, then the client gets %s and messages show %s', (url, connectionString, shown) => {
    expect(readAddress(url)).toMatchObject({ connectionString, shown });
  });

  test.each([
    ['http://localhost:2113', /http:\/\//],
    ['esdb://', /cannot be read/],
    ['esdb://ho st:2113', /ho st/],
    ['esdb://host:2113?tls=false&kepAliveInterval=1', /kepAliveInterval/],
    ['esdb://host:2113?tlsVerifyCert=false', /tlsCAFile/],
    ['esdb://u:50%@host:2113', /%25/],
  ])('given %s, then it is refused with a reason', (url, reason) => {
    expect(() => readAddress(url)).toThrow(EventStoreUnavailable);
    expect(() => readAddress(url)).toThrow(reason);
  });

  test('given any password, then neither the shown address, nor an error, nor a redacted text contains it', () => {
    const secret = fc.string({ minLength: 6, unit: 'grapheme-ascii' }).map((text) => `#${text}#`);
    const broken = fc.constantFrom('', '?nonsense=1', ':port', '/path/', '?tls');
    fc.assert(
      fc.property(secret, broken, (password, rest) => {
        for (const form of [password, encodeURIComponent(password)]) {
          try {
            const { shown, hide } = readAddress(`esdb://anna:${form}@host:2113${rest}`);
            expect(shown).not.toContain(password);
            expect(hide(`failed for ${form}, that is ${password}`)).not.toContain(password);
          } catch (error) {
            expect(String(error)).not.toContain(password);
          }
        }
      }),
    );
  });
});

describe('a server that is not reached', () => {
  const pair = certificate();
  let folder: string;
  let doubles: Record<'secure' | 'plain', Double>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clarity-certificates-'));
    await writeFile(join(folder, 'own.pem'), pair.certificate);
    await writeFile(join(folder, 'other.pem'), certificate().certificate);
    const users = new Map([[ADMIN.user, ADMIN.password]]);
    doubles = {
      secure: await startDouble({ store: doubleStore(), secure: { ...pair, ...ADMIN, users } }),
      plain: await startDouble({ store: doubleStore() }),
    };
  });
  afterAll(async () => {
    for (const double of Object.values(doubles)) double.kill();
    await rm(folder, { recursive: true });
  });
  const ca = (name: string): string => `&tlsCAFile=${encodeURIComponent(join(folder, name))}`;

  test.each([
    ['a certificate of an unknown authority', 'secure', (): string => 'tls=true', /127\.0\.0\.1:\d+ .* tlsCAFile/],
    ['the certificate of another authority', 'secure', (): string => `tls=true${ca('other.pem')}`, /tlsCAFile/],
    ['tls=false for a server with TLS', 'secure', (): string => 'tls=false', /speaks TLS.*use tls=true/],
    ['TLS for a server without', 'plain', (): string => 'tls=true', /does not speak TLS.*tls=false/],
  ] as const)('given %s, then that is the reason', async (_, kind, options, reason) => {
    const host = `127.0.0.1:${doubles[kind].port}`;
    for (const hosts of [host, `${host},${host}`])
      expect(await findHindrance(readAddress(`esdb://${hosts}?${options()}`))).toMatch(reason);
  });

  test('given a file of an authority that is not there, then the start names tlsCAFile', async () => {
    const opening = eventStoreDb({ url: `esdb://127.0.0.1:${doubles.secure.port}?tls=true${ca('missing.pem')}` });
    await expect(opening).rejects.toThrow(/missing\.pem/);
    await expect(opening).rejects.toThrow(/tlsCAFile/);
  });

  test('given a server that is reached, then no reason', async () => {
    const { secure, plain } = doubles;
    expect(
      await findHindrance(readAddress(`esdb://127.0.0.1:${secure.port}?tls=true${ca('own.pem')}`)),
    ).toBeUndefined();
    expect(await findHindrance(readAddress(`esdb://127.0.0.1:${plain.port}?tls=false`))).toBeUndefined();
  });
});

describe('a call on a channel that was closed', () => {
  test('given a channel that is closed while appends begin, then each is refused or stored, and none ends the process', async () => {
    const server = await startDouble({ store: doubleStore() });
    const connection = new Connection(readAddress(`esdb://127.0.0.1:${server.port}?tls=false`), 2_000);
    await connection.lastRecord();
    const record = () => ({ id: crypto.randomUUID(), type: 'Tried', data: {} });
    const appends = Array.from({ length: 20 }, (_, place) => connection.append(`closing-${place}`, [record()], -1));
    connection.close();
    appends.push(...Array.from({ length: 20 }, (_, place) => connection.append(`closed-${place}`, [record()], -1)));
    const outcomes = await Promise.allSettled(appends);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(reasons.filter((reason) => !/shut down|closed|cancelled|disposed/i.test(reason))).toEqual([]);
    server.kill();
  });

  test.each([
    ['refuses connections', Object.assign(new Error('14 UNAVAILABLE: connect ECONNREFUSED'), { code: 14 })],
    ['does not respond', new AttemptTimedOut('a read', 5_000)],
  ])('given a server that %s, to which another call failed before, then that is the reason', async (_, failure) => {
    const connection = new Connection(readAddress(`esdb://127.0.0.1:${await freePort()}?tls=false`), 0);
    const closed = Object.assign(new Error('14 UNAVAILABLE: Channel closed before call started'), { code: 14 });
    expect(connection.reasonOf(closed)).toBe(closed);

    await expect(connection.retried(() => Promise.reject(failure))).rejects.toThrow(failure.message);

    expect(connection.reasonOf(closed)).toBe(failure);
    // What a caller did wrong closes no channel.
    const mistake = new Error('the stream is tombstoned');
    expect(connection.reasonOf(mistake)).toBe(mistake);
    expect(connection.reasonOf(closed)).toBe(failure);
    connection.close();
  });
});
