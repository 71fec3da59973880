/** The event store in PostgreSQL in many small partitions, and its table of earlier releases. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { RevisionConflict } from '../../../log/event-store.ts';
import { type Database, migrate, migrateLog } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { partitionOf, postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { planRetention, trimTopics } from '../../../log/postgres/topics/topic-retention.ts';
import { encodeEvent, type Message } from '../../../log/topic.ts';
import { logAdapters, testDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { eventStoreContract, readToEnd } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';
import { consuming, someMessages } from '../contract/topic.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../log/postgres/migrations', import.meta.url));

/** Makes partitions of 100 positions of a database with the tables of the log and without events. */
async function smallPartitions(database: Database): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION log.event_partition_size() RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT 100::bigint';
     DROP TABLE log.event_000000000000;
     SELECT log.create_event_table(log.event_partition_name(0), 0, 100);
     SELECT log.attach_event_table(log.event_partition_name(0), 0, 100);
     UPDATE log.event_partition SET end_position = 100`,
  );
}

describe('in partitions of 100', () => {
  eventStoreContract(
    async () => {
      const adapters = await logAdapters((pool) => pool);
      await smallPartitions(await adapters.open());
      return { open: async () => postgresEventStore(await adapters.open()), close: () => adapters.close() };
    },
    { many: 1_000 },
  );
});

/** Publishes with the statement that releases before tables of days use too. */
async function publishAsBefore(database: Database, topic: string, messages: readonly Message[]): Promise<void> {
  await database.query('SELECT log.open_topic($1, 8)', [topic]);
  await database.query('SELECT log.publish($1, $2::int[], $3::text[], $4::uuid[], $5::text[])', [
    topic,
    messages.map(({ key }) => partitionOf(key, 8)),
    messages.map(({ key }) => key),
    messages.map(({ event }) => event.id),
    messages.map(({ event }) => encodeEvent(event)),
  ]);
}

test('given a database of the release before, with events, messages and writers, then it is migrated without rewriting them', async () => {
  const it = await testDatabase();
  const before = await mkdtemp(join(tmpdir(), 'clarity-migrations-'));
  for (const name of await readdir(MIGRATIONS)) if (name < '0008') await cp(join(MIGRATIONS, name), join(before, name));
  await migrate(it.database, before, 'log');
  const store = postgresEventStore(it.database);
  // The statement of the appends is that of the release before.
  for (let nth = 0; nth < 20; nth++) await store.append(`signal-${nth}`, someEvents(`old ${nth}`, 100), 'none');
  const messages = someMessages('old', 5, 100);
  await publishAsBefore(it.database, 'items', messages);
  await it.database.query("INSERT INTO log.topic_group VALUES ('readers', 'items', $1, 60)", [partitionOf('key 3', 8)]);
  const file = `SELECT pg_relation_filenode($1) AS file`;
  const old = await it.database.query(file, ['log.event']);
  const oldMessages = await it.database.query(file, ['log.topic_message']);
  const migrated = new AbortController();
  const writing = (async () => {
    let written = 0;
    for (; !migrated.signal.aborted; written++)
      await store.append('signal-live', [someEvent(`live ${written}`)], written === 0 ? 'none' : written - 1);
    return written;
  })();
  const publishing = (async () => {
    let published = 0;
    for (; !migrated.signal.aborted; published++)
      await publishAsBefore(it.database, 'items', [{ key: 'key 3', event: someEvent(`live ${published}`) }]);
    return published;
  })();
  await Promise.all([migrateLog(it.database), migrateLog(it.database)]);
  migrated.abort();
  const written = await writing;
  const published = await publishing;
  expect(written).toBeGreaterThan(0);
  expect((await it.database.query(file, ['log.event_000000000000'])).rows).toEqual(old.rows);
  const { rows } = await it.database.query(
    'SELECT first_position::int, end_position::int FROM log.event_partition ORDER BY 1',
  );
  expect(rows[0]).toEqual({ first_position: 0, end_position: 5_000_000 });
  // The group reads on at its offset, over the old table and that of today; ids of the old one are known.
  expect((await it.database.query(file, ['log.topic_message_0_0'])).rows).toEqual(oldMessages.rows);
  const topics = postgresTopics(it.database);
  await topics.topic('items').publish([...messages.slice(0, 50), { key: 'key 3', event: someEvent('new') }]);
  const consumption = consuming(topics, 'items', 'readers');
  await eventually(async () => expect(await topics.topic('items').lag('readers')).toBe(0n));
  expect(consumption.received.filter(({ key }) => key === 'key 3').map(({ name }) => name)).toEqual([
    ...Array.from({ length: 40 }, (_, nth) => `old ${(60 + nth) * 5 + 3}`),
    ...Array.from({ length: published }, (_, nth) => `live ${nth}`),
    'new',
  ]);
  await consumption.stop();
  // When nothing of the old table stays, it goes too.
  const plan = await planRetention(it.database, {
    abandonedBefore: new Date(),
    before: () => new Date(Date.now() + 60_000),
  });
  await trimTopics(it.database, plan, { signal: new AbortController().signal });
  expect((await it.database.query("SELECT to_regclass('log.topic_message_0_0') AS old")).rows).toEqual([{ old: null }]);
  expect(await topics.topic('items').lag('anybody')).toBeGreaterThan(0n);
  await topics.close();
  await store.append('signal-3', someEvents('new', 3), 99);
  await expect(store.append('signal-4', [someEvent('late')], 98)).rejects.toThrow(RevisionConflict);
  expect(await store.append('signal-5', someEvents('old 5', 100), 'any')).toMatchObject({ revision: 99, stored: [] });
  // At the end of the first partition, the next one is there.
  await it.database.query("SELECT setval('log.event_position', 4999998)");
  await store.append('signal-3', someEvents('across', 5), 102);
  expect((await store.read('signal-3')).map(({ revision }) => revision)).toEqual(
    Array.from({ length: 108 }, (_, n) => n),
  );
  const { events } = await readToEnd(store, ['signal-'], 0n, 1_000);
  expect(events).toHaveLength(2_000 + written + 8);
  const counts = await it.database.query<{ events: number }>(
    `SELECT (SELECT count(*)::int FROM log.event e WHERE e.position >= p.first_position AND e.position < p.end_position)
       AS events FROM log.event_partition p ORDER BY p.first_position`,
  );
  expect(counts.rows.map(({ events: own }) => own)).toEqual([2_000 + written + 3 + 1, 4, 0]);
  await store.close();
  await it.close();
  await rm(before, { recursive: true });
});
