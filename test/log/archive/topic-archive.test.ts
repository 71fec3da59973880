/** What leaves a topic after its retention stays in the archive: a bucket or a folder. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ObjectStore, ObjectStoreError, openObjectStore } from '../../../log/archive/object-store.ts';
import {
  ARCHIVE_GROUP,
  ArchiveDamaged,
  archiveTopic,
  readArchive,
  runArchive,
} from '../../../log/archive/topic-archive.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { planRetention, trimTopics } from '../../../log/postgres/topics/topic-retention.ts';
import { closeWritten } from '../../../log/postgres/topics/topic-segments.ts';
import type { Topics } from '../../../log/topic.ts';
import { BUCKET_KEYS, type Bucket, startBucket } from '../../harness/bucket.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { someMessages } from '../contract/topic.ts';

const NO_KEYS = { AWS_REGION: 'us-east-1' } as const;
const signal = new AbortController().signal;
let bucket: Bucket;
let folder: string;
let database: TestDatabase;
let topics: Topics;

beforeAll(async () => {
  bucket = await startBucket('news');
  database = await logDatabase();
  topics = postgresTopics(database.database);
});
afterAll(async () => {
  await topics.close();
  await database.close();
  bucket.close();
});
beforeEach(async () => {
  bucket.objects.clear();
  folder = await mkdtemp(join(tmpdir(), 'clarity-archive-'));
});
afterEach(async () => {
  await topics.topic('items').deleteGroup(ARCHIVE_GROUP);
  await database.database.query('TRUNCATE log.topic_message');
  await rm(folder, { recursive: true, force: true });
});

const stores: readonly (readonly [string, () => ObjectStore])[] = [
  ['a bucket', () => openObjectStore('s3://news/clarity', { ...BUCKET_KEYS, ARCHIVE_ENDPOINT: bucket.endpoint })],
  [
    'a bucket without a folder',
    () => openObjectStore('s3://news', { ...BUCKET_KEYS, ARCHIVE_ENDPOINT: bucket.endpoint }),
  ],
  ['a folder', () => openObjectStore(pathToFileURL(folder).href, NO_KEYS)],
];

const idsIn = async (objects: ObjectStore, topic: string): Promise<string[]> => {
  const ids: string[] = [];
  await readArchive(topic, { objects, signal }, (events) => void ids.push(...events.map(({ id }) => id)));
  return ids;
};
const idsOf = (messages: ReturnType<typeof someMessages>) => messages.map(({ event }) => event.id);

describe.each(stores)('%s', (_, open) => {
  it('given objects, then they are read as they were stored, and listed by prefix in order', async () => {
    const objects = open();
    const names = ['b/2', 'a/1', 'a/3', 'a/2 &<x>', 'a/4', 'a/5', 'a/6', 'a/7'];
    for (const name of names) await objects.put(name, Buffer.from(`content of ${name}`));
    await objects.put('a/1', Buffer.from([0, 255, 10]));
    expect(await objects.list('a/')).toEqual(names.filter((name) => name.startsWith('a/')).sort());
    expect(await objects.list('c/')).toEqual([]);
    expect(Buffer.from(await objects.get('a/1'))).toEqual(Buffer.from([0, 255, 10]));
    expect(String(Buffer.from(await objects.get('a/2 &<x>')))).toBe('content of a/2 &<x>');
    await expect(objects.get('a/0')).rejects.toThrow(ObjectStoreError);
  });

  it('given messages, when they were archived and removed, then the archive has each of them, and none twice', async () => {
    const objects = open();
    const [first, second] = [someMessages('archived', 5, 40), someMessages('later', 3, 4)];
    await topics.topic('items').publish(first);
    expect(await archiveTopic(topics.topic('items'), { objects, signal })).toBe(first.length);
    await topics.topic('items').publish(second);
    expect(await archiveTopic(topics.topic('items'), { objects, signal })).toBe(second.length);
    expect(await archiveTopic(topics.topic('items'), { objects, signal })).toBe(0);
    const rule = { before: () => new Date(Date.now() + 1_000), abandonedBefore: new Date() };
    await closeWritten(database.database, 'items');
    await trimTopics(database.database, await planRetention(database.database, rule), { signal });
    expect((await idsIn(objects, 'items')).sort()).toEqual([...idsOf(first), ...idsOf(second)].sort());
  });
});

describe('an archive that fails', () => {
  const open = () => openObjectStore('s3://news/clarity', { ...BUCKET_KEYS, ARCHIVE_ENDPOINT: bucket.endpoint });

  it('given a server that refuses, then nothing counts as archived, and the job stores all of it later', async () => {
    const messages = someMessages('refused', 2, 10);
    await topics.topic('items').publish(messages);
    bucket.failures.push(503, 503);
    await expect(archiveTopic(topics.topic('items'), { objects: open(), signal })).rejects.toThrow(/503 SlowDown/);
    const stop = new AbortController();
    const lines: string[] = [];
    const log = (_: object, message: string) => void lines.push(message);
    const running = runArchive({
      topics: [topics.topic('items')],
      objects: open(),
      signal: stop.signal,
      logger: { info: log, warn: log, error: log },
    });
    await eventually(async () => expect(await topics.topic('items').lag(ARCHIVE_GROUP)).toBe(0n));
    stop.abort();
    await running;
    expect(new Set(await idsIn(open(), 'items'))).toEqual(new Set(idsOf(messages)));
  });

  it('given a process that died after storing, then the next one stores the same object again', async () => {
    await topics.topic('items').publish(someMessages('twice', 1, 5));
    const objects = open();
    const dies: ObjectStore = {
      ...objects,
      put: async (name, content) => {
        await objects.put(name, content);
        throw new Error('killed');
      },
    };
    await expect(archiveTopic(topics.topic('items'), { objects: dies, signal })).rejects.toThrow('killed');
    const stored = [...bucket.objects.keys()];
    await archiveTopic(topics.topic('items'), { objects, signal });
    expect([...bucket.objects.keys()]).toEqual(stored);
  });

  it('given an archiver that never ran, then retention removes nothing that it needs', async () => {
    await topics.topic('items').publish(someMessages('needed', 1, 5));
    const required = [{ topic: 'items', group: ARCHIVE_GROUP }];
    const rule = { before: () => new Date(Date.now() + 1_000), abandonedBefore: new Date(), required };
    await closeWritten(database.database, 'items');
    const kept = await planRetention(database.database, rule);
    const held = kept.topics[0]?.held_back ?? 0;
    expect(kept.topics).toMatchObject([{ messages: 0 }]);
    expect(held).toBeGreaterThanOrEqual(5);
    await archiveTopic(topics.topic('items'), { objects: open(), signal });
    const after = await planRetention(database.database, { ...rule, abandonedBefore: new Date(Date.now() + 1_000) });
    expect(after.topics).toMatchObject([{ messages: held, held_back: 0 }]);
  });

  it('given a wrong key, then the error says what the server said, and no secret', async () => {
    const keys = { ...BUCKET_KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' };
    const objects = openObjectStore('s3://news', { ...keys, ARCHIVE_ENDPOINT: bucket.endpoint });
    const error = await objects.list('items/').catch(String);
    expect(error).toContain('403 SignatureDoesNotMatch');
    expect(error).not.toContain('wrong');
  });

  it('given an object that was changed, then reading it fails and names it', async () => {
    const objects = openObjectStore(pathToFileURL(folder).href, NO_KEYS);
    await topics.topic('items').publish(someMessages('damaged', 1, 5));
    await archiveTopic(topics.topic('items'), { objects, signal });
    const [name = ''] = await objects.list('items/');
    await writeFile(join(folder, name), 'not what was stored');
    await expect(idsIn(objects, 'items')).rejects.toThrow(ArchiveDamaged);
    await expect(idsIn(objects, 'items')).rejects.toThrow(name);
  });
});
