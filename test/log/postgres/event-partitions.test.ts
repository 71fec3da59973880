/** The event store in PostgreSQL in many small partitions, of which the old ones are archived while it is used. */

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ObjectStore, ObjectStoreError, openObjectStore } from '../../../log/archive/object-store.ts';
import { ArchiveDamaged } from '../../../log/archive/topic-archive.ts';
import {
  type EventStore,
  type ExpectedRevision,
  RevisionConflict,
  type StoredEvent,
} from '../../../log/event-store.ts';
import { type Database, migrate, migrateLog } from '../../../log/postgres/database.ts';
import { archiveEvents, EventsNotArchived, eventPartitions } from '../../../log/postgres/event-partitions.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { partitionOf, postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { planRetention, trimTopics } from '../../../log/postgres/topics/topic-retention.ts';
import { encodeEvent, type Message } from '../../../log/topic.ts';
import { BUCKET_KEYS, type Bucket, bucketArchive, startBucket } from '../../harness/bucket.ts';
import { logAdapters, logDatabase, type TestDatabase, testDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { eventually } from '../../harness/eventually.ts';
import { eventArchiveContract, guardedArchiveContract } from '../contract/event-archive.ts';
import { eventStoreContract, readToEnd } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';
import { consuming, someMessages } from '../contract/topic.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../log/postgres/migrations', import.meta.url));
const LATER = new Date('2100-01-01');
const signal = new AbortController().signal;
let folder: string;
let objects: ObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clarity-events-'));
  objects = openObjectStore(pathToFileURL(folder).href, { AWS_REGION: 'us-east-1' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const archive = (database: Database, prefixes = ['signal-']) =>
  archiveEvents({ database, objects, before: LATER, signal, prefixes });

/** A store that archives everything that is complete after some of its appends. */
function archiving(pool: Database): EventStore {
  const store = postgresEventStore(pool, { objects });
  let appends = 0;
  return {
    ...store,
    async append(stream, events, expected) {
      const appended = await store.append(stream, events, expected);
      if (++appends % 5 === 0)
        await archive(pool, ['']).catch((error: unknown) => {
          // That of another connection at the same time.
          if (!(error instanceof EventsNotArchived)) throw error;
        });
      return appended;
    },
  };
}

describe('in partitions of 100, archived all the time', () => {
  eventStoreContract(
    async () => {
      const adapters = await logAdapters((pool) => pool);
      await smallPartitions(await adapters.open(), 100);
      return { open: async () => archiving(await adapters.open()), close: () => adapters.close() };
    },
    { many: 1_000 },
  );
});

describe('the archive in a folder', () => {
  eventArchiveContract(() => ({
    objects,
    remove: (name) => rm(join(folder, name)),
    // A process that dies leaves the name under which it writes.
    async putPartly(name, content) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, `${name}.tmp`), content.subarray(0, content.length / 2));
    },
  }));
});

describe('the archive in a bucket', () => {
  let bucket: Bucket;
  beforeAll(async () => {
    bucket = await startBucket('news');
  });
  afterAll(() => bucket.close());
  guardedArchiveContract(() => bucketArchive({ endpoint: bucket.endpoint, bucket: 'news', keys: BUCKET_KEYS }));
});

/** Publishes with the statement that releases before segments use too. */
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

/** The simple model of an event store: all events in their order. */
class Model {
  readonly all: { readonly stream: string; readonly id: string; readonly revision: number }[] = [];
  of = (stream: string) => this.all.filter((event) => event.stream === stream);
  revision = (stream: string) => this.of(stream).length - 1;
  /** @returns false for a conflict */
  append(stream: string, ids: readonly string[], expected: ExpectedRevision): boolean {
    const known = new Set(this.of(stream).map(({ id }) => id));
    const fresh = ids.filter((id) => !known.has(id));
    if (fresh.length === 0 && ids.length > 0) return true;
    if (expected !== 'any' && (expected === 'none' ? -1 : expected) !== this.revision(stream)) return false;
    for (const id of fresh) this.all.push({ stream, id, revision: this.revision(stream) + 1 });
    return true;
  }
}
const placed = (events: readonly StoredEvent[]) => events.map(({ stream, id, revision }) => ({ stream, id, revision }));

const STREAMS = ['signal-a', 'signal-b', 'signal-bb', 'account-a'] as const;
const streams = fc.constantFrom(...STREAMS);
const operations = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('append'),
        stream: streams,
        size: fc.integer({ min: 1, max: 9 }),
        expected: fc.constantFrom('any', 'right', 'wrong'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('repeat'),
        stream: streams,
        from: fc.nat(30),
        size: fc.integer({ min: 1, max: 6 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('archive') }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('read'), stream: streams, from: fc.nat(12) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('page'),
        limit: fc.integer({ min: 1, max: 12 }),
        prefixes: fc.constantFrom(undefined, ['signal-'], ['signal-b'], ['account-'], ['s', 'a']),
      }),
    },
  ),
  { minLength: 30, maxLength: 60 },
);

describe('partitions of events', () => {
  test('given any appends, repeats, reads and archiving, then the store is as the simple model', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (plan) => {
        const it = await logDatabase();
        await smallPartitions(it.database, 8);
        const store = postgresEventStore(it.database, { objects });
        const model = new Model();
        const events = new Map(STREAMS.map((stream) => [stream, [] as ReturnType<typeof someEvents>]));
        const append = async (stream: string, batch: ReturnType<typeof someEvents>, expected: ExpectedRevision) => {
          const before = model.all.length;
          const accepted = model.append(
            stream,
            batch.map(({ id }) => id),
            expected,
          );
          const outcome = await store.append(stream, batch, expected).catch((error: unknown) => error);
          if (!accepted) return void expect(outcome).toBeInstanceOf(RevisionConflict);
          const stored = model.all.slice(before).map(({ id }) => id);
          expect(outcome).toMatchObject({ stored });
          const last = batch.map(({ id }) => model.of(stream).findIndex((one) => one.id === id));
          const revision = stored.length > 0 ? model.revision(stream) : Math.max(...last);
          expect(outcome).toMatchObject({ revision });
        };
        let nth = 0;
        for (const step of plan) {
          if ('size' in step && 'expected' in step) {
            const batch = someEvents(`property ${nth++}`, step.size);
            const right = model.revision(step.stream) < 0 ? 'none' : model.revision(step.stream);
            const expected =
              step.expected === 'any' ? 'any' : step.expected === 'right' ? right : model.revision(step.stream) + 1;
            if (step.expected !== 'wrong') events.get(step.stream)?.push(...batch);
            await append(step.stream, batch, expected);
          } else if ('size' in step) {
            const batch = (events.get(step.stream) ?? []).slice(step.from, step.from + step.size);
            if (batch.length > 0) await append(step.stream, batch, 'none');
          } else if ('from' in step) {
            expect(placed(await store.read(step.stream, step.from))).toEqual(model.of(step.stream).slice(step.from));
          } else if ('limit' in step) {
            const { prefixes, limit } = step;
            const read = await readToEnd(store, prefixes ?? [''], 0n, limit);
            expect(placed(read.events)).toEqual(
              model.all.filter(({ stream }) => !prefixes || prefixes.some((prefix) => stream.startsWith(prefix))),
            );
            expect(read.position).toBe(await store.head());
          } else await archive(it.database);
        }
        await archive(it.database);
        expect(placed((await readToEnd(store, [''], 0n)).events)).toEqual(model.all);
        await store.close();
        await it.close();
      }),
      { numRuns: 6 },
    );
  });

  describe('while it is archived', () => {
    let it: TestDatabase;
    let store: EventStore;
    beforeAll(async () => {
      it = await logDatabase();
      await smallPartitions(it.database, 40);
      store = postgresEventStore(it.database, { objects });
      for (let nth = 0; nth < 40; nth++) {
        await store.append(`signal-${nth % 7}`, someEvents(`signal ${nth}`, 9), 'any');
        await store.append('account-1', [someEvent(`account ${nth}`)], 'any');
      }
    });
    afterAll(async () => {
      await store.close();
      await it.close();
    });

    test('given a time, then only older partitions go, and a dry look changes nothing', async () => {
      expect(await archiveEvents({ database: it.database, objects, before: new Date(0), signal })).toEqual([]);
      const partitions = await eventPartitions(it.database);
      expect(partitions.filter(({ complete }) => complete)).toHaveLength(10);
      expect(partitions.every(({ archived_at }) => archived_at === null)).toBe(true);
    });

    test('given readers and a writer at the same time, then they see every event once, in order', async () => {
      const before = await readToEnd(store, [''], 0n);
      const reading = new AbortController();
      const other = postgresEventStore(it.database, { objects });
      const ids = before.events.map(({ id }) => id);
      let passes = 0;
      const reader = async () => {
        while (!reading.signal.aborted) {
          const { events } = await readToEnd(other, [''], 0n, 50);
          expect(events.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
          const whole = await other.read('signal-3');
          expect(whole.map(({ revision }) => revision)).toEqual(whole.map((_, index) => index));
          expect(whole.length).toBeGreaterThanOrEqual(54);
          passes++;
        }
      };
      const writer = async () => {
        for (let nth = 0; !reading.signal.aborted; nth++)
          await other.append('signal-3', [someEvent(`late ${nth}`)], (await other.read('signal-3')).length - 1);
      };
      const working = [reader(), reader(), writer()];
      const archived = await archive(it.database);
      reading.abort();
      await Promise.all(working);
      await other.close();
      expect(archived.length).toBeGreaterThanOrEqual(10);
      expect(passes).toBeGreaterThan(0);
      const { events } = await readToEnd(store, [''], 0n);
      expect(events.slice(0, before.events.length)).toEqual(before.events);
      // Streams that are not archived are in PostgreSQL still, whole.
      const { rows } = await it.database.query<{ stream: string }>(
        'SELECT DISTINCT stream FROM log.event WHERE position < 400',
      );
      expect(rows).toEqual([{ stream: 'account-1' }]);
      await archive(it.database);
      expect(await archive(it.database)).toEqual([]);
    });

    test('given no archive, or one that lacks an object or has another, then reading fails instead of skipping', async () => {
      const none = postgresEventStore(it.database);
      await expect(none.readAll({ after: 0n })).rejects.toThrow(/set ARCHIVE_URL/);
      await expect(none.read('signal-3')).rejects.toThrow(ObjectStoreError);
      // Where nothing is archived of what is read, none is needed.
      expect(await none.read('account-1')).toHaveLength(40);
      const accounts = await readToEnd(none, ['account-'], 0n);
      expect(accounts.events).toHaveLength(40);
      await none.close();

      const [name = ''] = await readdir(join(folder, 'events'));
      const { rows } = await it.database.query<{ name: string }>(
        'SELECT name FROM log.archived_object ORDER BY first_position LIMIT 1',
      );
      const path = join(folder, rows[0]?.name ?? name);
      const bytes = await readFile(path);
      for (const [change, error] of [
        [() => writeFile(path, bytes.subarray(0, -20)), ArchiveDamaged],
        [() => rm(path), ObjectStoreError],
      ] as const) {
        await change();
        const fresh = postgresEventStore(it.database, { objects });
        await expect(fresh.readAll({ after: 0n })).rejects.toThrow(error);
        await fresh.close();
        await writeFile(path, bytes);
      }
      expect((await store.readAll({ after: 0n, limit: 1 })).events).toHaveLength(1);
    });

    test('given an object that was damaged on its way, then nothing is removed', async () => {
      const own = await logDatabase();
      await smallPartitions(own.database, 10);
      const plain = postgresEventStore(own.database);
      await plain.append('signal-1', someEvents('damaged', 25), 'none');
      const lossy: ObjectStore = { ...objects, get: async (name) => (await objects.get(name)).subarray(0, -8) };
      const run = archiveEvents({ database: own.database, objects: lossy, before: LATER, signal });
      await expect(run).rejects.toThrow(ArchiveDamaged);
      expect(await plain.read('signal-1')).toHaveLength(25);
      // The next run continues with what is stored.
      expect(await archive(own.database)).toHaveLength(2);
      await plain.close();
      await own.close();
    });
  });

  test('given a database of the release before, with events, messages and writers, then it is migrated without rewriting them', async () => {
    const it = await testDatabase();
    const before = await mkdtemp(join(tmpdir(), 'clarity-migrations-'));
    for (const name of await readdir(MIGRATIONS))
      if (name < '0008') await cp(join(MIGRATIONS, name), join(before, name));
    await migrate(it.database, before, 'log');
    const store = postgresEventStore(it.database, { objects });
    // The statement of the appends is that of the release before.
    for (let nth = 0; nth < 20; nth++) await store.append(`signal-${nth}`, someEvents(`old ${nth}`, 100), 'none');
    const messages = someMessages('old', 5, 100);
    await publishAsBefore(it.database, 'items', messages);
    await it.database.query("INSERT INTO log.topic_group VALUES ('readers', 'items', $1, 60)", [
      partitionOf('key 3', 8),
    ]);
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
    // The group reads on at its offset, over the old table and the new segment; ids of the old one are known.
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
    await trimTopics(it.database, plan, { signal });
    expect((await it.database.query("SELECT to_regclass('log.topic_message_0_0') AS old")).rows).toEqual([
      { old: null },
    ]);
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
    const counts = await eventPartitions(it.database);
    expect(counts.map(({ events: own }) => own)).toEqual([2_000 + written + 3 + 1, 4, 0]);
    await store.close();
    await it.close();
    await rm(before, { recursive: true });
  });
});
