import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Closing } from '../../bin/process.ts';
import { openReaders } from '../../bin/reader-server.ts';
import { type Database, openDatabase } from '../../log/postgres/database.ts';
import { isDatabaseUnavailable } from '../../log/postgres/postgres-errors.ts';
import { liveBuild, moveCheckpoint, STORE } from '../../projector/model-builds.ts';
import { waitForPosition } from '../../projector/model-progress.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
import { type Replicated, startReplicated } from '../harness/replica.ts';

describe('readers of a replica', () => {
  let servers: Replicated;
  let database: Database;
  const closing = new Closing();
  const services = () => ({
    database,
    configuration: readConfiguration({ DATABASE_URL: servers.primary, DATABASE_READ_URL: servers.replica }),
  });
  beforeAll(async () => {
    servers = await startReplicated();
    database = openDatabase(servers.primary, { max: 2 });
  });
  afterAll(async () => {
    await closing.run();
    await database.end();
    await servers.stop();
  });

  test('given a replica that does not replay, then the start fails and says what to do', async () => {
    await servers.pause();
    await expect(openReaders(services(), closing, 300)).rejects.toThrow(/DATABASE_READ_URL does not follow/);
    await servers.resume();
  });

  test('given an address where nothing answers, then the start fails and names the setting, not the password', async () => {
    const nowhere = readConfiguration({ DATABASE_READ_URL: 'postgres://reader:hidden@127.0.0.1:1/clarity' });
    const opening = openReaders({ database, configuration: nowhere }, closing);
    await expect(opening).rejects.toThrow(/DATABASE_READ_URL does not answer: .*ECONNREFUSED/);
    await expect(opening).rejects.not.toThrow('hidden');
  });

  test('given a replica that follows, then the views exist, and nothing can be written through it', async () => {
    const readers = await openReaders(services(), closing);
    expect((await readers.query('SELECT count(*) AS signals FROM read.signals')).rows).toEqual([{ signals: 0n }]);
    expect((await readers.query('SELECT pg_is_in_recovery() AS recovers')).rows).toEqual([{ recovers: true }]);
    await expect(readers.query('DELETE FROM projector.builds')).rejects.toMatchObject({ code: '25006' });
  });

  test('given a write that the replica does not have yet, then its caller waits for the replica', async () => {
    const readers = await openReaders(services(), closing);
    await servers.pause();
    await moveCheckpoint(database, (await liveBuild(database, 'signals'))?.name ?? '', STORE, 0n, 7n);
    expect(await waitForPosition(readers, 'signals', 7n, 200)).toBe(false);
    const seen = waitForPosition(readers, 'signals', 7n, 20_000);
    await servers.resume();
    expect(await seen).toBe(true);
  });

  test('given a query that the replay of the log cancels, then it can be retried', async () => {
    const readers = await openReaders(services(), closing);
    await readers.query('SELECT 1');
    const reading = (async () => {
      const client = await readers.connect();
      try {
        await client.query('BEGIN');
        await client.query('SELECT * FROM read.signals');
        await database.query('ALTER VIEW read.signals SET (security_barrier = true)');
        await client.query('SELECT pg_sleep(20)');
      } finally {
        client.release(true);
      }
    })();
    const error = await reading.catch((thrown: unknown) => thrown);
    expect(isDatabaseUnavailable(error), String(error)).toBe(true);
  });
});
