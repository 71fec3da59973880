/** What the archive of events must do, wherever its objects are stored. */
import { expect, test } from 'vitest';
import { type ObjectStore, ObjectStoreError } from '../../../log/archive/object-store.ts';
import { ArchiveDamaged } from '../../../log/archive/topic-archive.ts';
import { archiveEvents, eventPartitions, restoreEvents } from '../../../log/postgres/event-partitions.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { logDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { readToEnd } from './event-store.ts';
import { someEvents } from './events.ts';

export interface ArchiveUnderTest {
  readonly objects: ObjectStore;
  remove(name: string): Promise<void>;
  /** Begins to store an object and is cut off in the middle. */
  putPartly(name: string, content: Uint8Array): Promise<void>;
}

/** An archive that is read and written with keys. */
export interface GuardedArchive extends ArchiveUnderTest {
  /** The same place, opened with keys that the server refuses. */
  readonly refused: ObjectStore;
}

const STREAMS = ['signal-1', 'account-1', 'signal-2'] as const;
const { signal } = new AbortController();
const range = { from: 0n, to: 99n };

/** A database with three partitions of events, two of them complete. */
async function events(under: () => ArchiveUnderTest) {
  const it = await logDatabase();
  const { database } = it;
  await smallPartitions(database, 12);
  const plain = postgresEventStore(database);
  for (let nth = 0; nth < 9; nth++)
    await plain.append(STREAMS[nth % 3] ?? '', someEvents(`${it.url} ₹ ${nth}\u2028`, 3), 'any');
  const all = (await readToEnd(plain, [''], 0n)).events;
  const store = postgresEventStore(database, { objects: under().objects });
  const about = { database, before: new Date('2100-01-01'), signal };
  return {
    plain,
    store,
    all,
    archive: (objects = under().objects) => archiveEvents({ ...about, objects }),
    restore: (objects = under().objects) => restoreEvents({ ...about, ...range, objects }),
    archived: async () => (await eventPartitions(database)).filter(({ archived_at }) => archived_at !== null).length,
    names: async () => {
      const { rows } = await database.query<{ name: string }>('SELECT name FROM log.archived_object ORDER BY 1');
      return rows.map(({ name }) => name);
    },
    async close() {
      await plain.close();
      await store.close();
      await it.close();
    },
  };
}

/** Reads without what the process before has in memory. */
const readAll = async (store: ReturnType<typeof postgresEventStore>) => (await readToEnd(store, [''], 0n)).events;

/**
 * The contract, to be called inside a test file.
 * @param under an archive, empty or of other databases
 */
export function eventArchiveContract(under: () => ArchiveUnderTest): void {
  test('given events that were archived and restored, then all and each stream are equal event by event; a second run of either changes nothing', async () => {
    const it = await events(under);
    expect(await it.archive()).toHaveLength(2);
    await expect(it.plain.readAll({ after: 0n })).rejects.toThrow(ObjectStoreError);
    expect(await readAll(it.store)).toEqual(it.all);
    const names = await it.names();
    expect(await it.restore()).toMatchObject([{ archived: 8 }, { archived: 7 }]);
    expect(await it.restore()).toEqual([]);
    expect(await readAll(it.plain)).toEqual(it.all);
    for (const stream of STREAMS)
      expect(await it.plain.read(stream)).toEqual(it.all.filter((event) => event.stream === stream));
    await it.plain.append('signal-1', someEvents('after', 1), 8);
    // Archived again from what is stored already.
    const unused: ObjectStore = { ...under().objects, put: () => Promise.reject(new Error('stored again')) };
    expect(await it.archive(unused)).toHaveLength(2);
    expect(await it.names()).toEqual(names);
    expect((await readAll(it.store)).slice(0, 27)).toEqual(it.all);
    await it.close();
  });

  test('given an upload that was cut off, then half an object is never read, and the next run stores all of it', async () => {
    const it = await events(under);
    let half = '';
    const dying: ObjectStore = {
      ...under().objects,
      put: async (name, content) => {
        half = name;
        await under().putPartly(name, content);
        throw new Error('killed');
      },
    };
    await expect(it.archive(dying)).rejects.toThrow('killed');
    expect(await under().objects.list('events/')).not.toContain(half);
    expect(await it.archived()).toBe(0);
    expect(await it.archive()).toHaveLength(2);
    expect(await under().objects.list('events/')).toContain(half);
    expect(await readAll(it.store)).toEqual(it.all);
    await it.close();
  });

  test('given an object that is missing or damaged, then reading and restoring name it, nothing is lost, and both work when it is back', async () => {
    const it = await events(under);
    await it.archive();
    const [name = ''] = await it.names();
    const content = await under().objects.get(name);
    await under().remove(name);
    await expect(readAll(it.store)).rejects.toThrow(ObjectStoreError);
    await expect(it.restore()).rejects.toThrow(name);
    await under().objects.put(name, content.subarray(0, content.length - 12));
    await expect(it.restore()).rejects.toThrow(ArchiveDamaged);
    await expect(it.restore()).rejects.toThrow(/ at line \d/);
    expect(await it.archived()).toBe(2);
    await under().objects.put(name, content);
    expect(await readAll(it.store)).toEqual(it.all);
    expect(await it.restore()).toHaveLength(2);
    expect(await readAll(it.plain)).toEqual(it.all);
    await it.close();
  });
}

/** What an archive with keys must do besides. */
export function guardedArchiveContract(under: () => GuardedArchive): void {
  eventArchiveContract(under);

  test('given keys that the server refuses, then nothing is archived, and what is archived stays so', async () => {
    const { refused } = under();
    const it = await events(under);
    await expect(it.archive(refused)).rejects.toThrow(/403/);
    expect([await it.archived(), await it.names()]).toEqual([0, []]);
    await it.archive();
    await expect(it.restore(refused)).rejects.toThrow(/403/);
    expect(await it.archived()).toBe(2);
    expect(await readAll(it.store)).toEqual(it.all);
    await it.close();
  });
}
