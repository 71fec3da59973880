import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrateLog, openDatabase } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { logAdapters, logDatabase, type TestDatabase, testDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { eventStoreContract, follow } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';

eventStoreContract(() => logAdapters(postgresEventStore));

describe('the event store in PostgreSQL', () => {
  let it: TestDatabase;
  beforeAll(async () => {
    it = await logDatabase();
  });
  afterAll(() => it.close());

  test('given eight writers at once and a live reader, then it sees every event once, in order', async () => {
    const writers = Array.from({ length: 8 }, () => openDatabase(it.url, { max: 1 }));
    const stores = writers.map((pool) => postgresEventStore(pool));
    const reader = postgresEventStore(it.database);
    let round = 0;
    const plan = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }), {
      minLength: 8,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 50 }), async (sizes, limit) => {
        const run = round++;
        const after = await reader.head();
        const total = sizes.flat().reduce((sum, size) => sum + size, 0);
        const seen = follow(reader, { after, prefixes: [`writer-${run}-`], limit }, (events) => events.length >= total);
        const written = await Promise.all(
          sizes.map(async (appends, writer) => {
            const stream = `writer-${run}-${writer % 5}`;
            const names: string[] = [];
            for (const [nth, size] of appends.entries()) {
              const events = someEvents(`${run} ${writer} ${nth}`, size);
              await stores[writer]?.append(stream, events, 'any');
              names.push(...events.map(({ id }) => id));
            }
            return names;
          }),
        );
        const events = await seen;
        const ids = events.map(({ id }) => id);
        // Nothing skipped and nothing twice, …
        expect(ids.toSorted()).toEqual(written.flat().toSorted());
        // … in the order of $all, of each stream, and of each writer.
        for (const [index, event] of events.entries())
          if (index > 0) expect(event.position).toBeGreaterThan(events[index - 1]?.position ?? 0n);
        for (const [stream, own] of Map.groupBy(events, (event) => event.stream))
          expect(
            own.map(({ revision }) => revision),
            stream,
          ).toEqual(own.map((_, index) => index));
        for (const own of written) expect(ids.filter((id) => own.includes(id))).toEqual(own);
      }),
      { numRuns: 5 },
    );
    for (const store of stores) await store.close();
    await reader.close();
    for (const pool of writers) await pool.end();
  });

  test('given appends of one process at the same time, then each succeeds or conflicts on its own', async () => {
    const store = postgresEventStore(it.database);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, n) => store.append(`many-${n}`, someEvents(`many ${n}`, 2), 'none')),
      store.append('many-7', [someEvent('too late')], 'none'),
      store.append('many-8', [someEvent('in time')], 1),
      store.append('many-9', [{ ...someEvent('bad'), id: 'no uuid' }], 'any'),
    ]);
    expect(outcomes.slice(0, 50).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(outcomes.slice(50).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    await store.close();
  });

  test('given subscribers whose connections are cut, then they go on and miss nothing', async () => {
    const pool = openDatabase(it.url, { max: 3, name: 'cut' });
    const [store, writer] = [postgresEventStore(pool), postgresEventStore(it.database)];
    const after = await writer.head();
    const seen = follow(store, { after, prefixes: ['cut-'] }, (events) => events.length === 2);
    await writer.append('cut-1', [someEvent('cut 0')], 'none');
    const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'clarity cut'";
    await eventually(async () => expect((await it.database.query(cut)).rowCount).toBeGreaterThan(0));
    await writer.append('cut-1', [someEvent('cut 1')], 0);
    expect((await seen).map(({ revision }) => revision)).toEqual([0, 1]);
    await store.close();
    await writer.close();
    await pool.end();
  });

  test('given a new event, then a notification wakes a subscriber', async () => {
    const pool = openDatabase(it.url, { max: 2, name: 'prompt' });
    // It never polls within this test: only notifications can wake it.
    const store = postgresEventStore(pool, { poll: 3_600_000 });
    const writer = postgresEventStore(it.database);
    const after = await writer.head();
    let pages = 0;
    const seen = follow(store, { after, prefixes: ['prompt-'] }, (events) => {
      pages++;
      return events.length === 2;
    });
    const listening =
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'clarity prompt' AND query LIKE 'LISTEN%'";
    await eventually(async () => expect((await it.database.query(listening)).rowCount).toBe(1));
    await writer.append('prompt-1', [someEvent('prompt 0')], 'none');
    await eventually(() => expect(pages).toBe(1));
    await writer.append('prompt-1', [someEvent('prompt 1')], 0);
    expect((await seen).map(({ revision }) => revision)).toEqual([0, 1]);
    await store.close();
    await writer.close();
    await pool.end();
  });

  test('given migrations that start at once, then all succeed', async () => {
    const fresh = await testDatabase();
    await Promise.all([migrateLog(fresh.database), migrateLog(fresh.database), migrateLog(fresh.database)]);
    await migrateLog(fresh.database);
    const migrations = await readdir(new URL('../../../log/postgres/migrations/', import.meta.url));
    expect((await fresh.database.query('SELECT 1 FROM log.migration')).rowCount).toBe(migrations.length);
    await fresh.close();
  });
});
