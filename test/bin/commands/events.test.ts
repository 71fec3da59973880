/** `clarity events` on a database with small partitions. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openObjectStore } from '../../../log/archive/object-store.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { EVENTS } from '../../../operations/events.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { someEvents } from '../../log/contract/events.ts';
import { startDouble } from '../../log/double/eventstore-double.ts';
import { doubleStore } from '../../log/double/store.ts';
import { runCommand } from '../run-command.ts';

let test: TestDatabase;
let folder: string;
let settings: Record<string, string> = {};
function clarity(...words: string[]) {
  // Removed again with those of the run.
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  return runCommand(EVENTS, ['events', ...words], test.url);
}
beforeAll(async () => {
  test = await logDatabase();
  await smallPartitions(test.database, 10);
  folder = await mkdtemp(join(tmpdir(), 'clarity-events-'));
  const store = postgresEventStore(test.database);
  // All of 2026-07-28.
  for (const stream of ['signal-1', 'account-1', 'signal-2', 'signal-1'])
    await store.append(stream, someEvents(`${stream} ${await store.head()}`, 6), 'any');
  await store.close();
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

it('lists partitions, and archives the old and complete ones, once', async () => {
  expect(await clarity('archive', '--before', '2026-07-29')).toMatchObject({
    output: expect.stringContaining('ARCHIVE_URL is not set'),
  });
  settings = { ARCHIVE_URL: pathToFileURL(folder).href };
  expect(await clarity('archive', '--before', 'yesterday')).not.toMatchObject({ code: 0 });
  expect((await clarity('archive', '--before', '2026-07-28')).output).toMatch(/no partition is complete and before/);
  const dry = await clarity('archive', '--before', '2026-07-29', '--dry-run');
  expect(dry).toMatchObject({
    code: 0,
    output: expect.stringMatching(/0-9\s+9\s+0 .*\n10-19\s+10\s+0 .*\nwould be archived/),
  });
  expect(await readdir(folder)).toEqual([]);

  const { code, output } = await clarity('archive', '--before', '2026-07-29', '--json');
  expect({ code, ...JSON.parse(output) }).toMatchObject({
    code: 0,
    dry_run: false,
    before: '2026-07-28T18:30:00.000Z',
    partitions: [
      { first_position: '0', last_position: '9', events: 9 },
      { first_position: '10', last_position: '19', events: 10 },
    ],
  });
  // Events of accounts stay, and so does the record of the operation.
  expect((await clarity('list')).output).toMatch(
    /0-9\s+3\s+6 .*archived at.*\n10-19\s+3\s+7 .*archived at.*\n20-29\s+6\s+0 .*in use/,
  );
  expect(JSON.parse((await clarity('archive', '--before', '2026-07-29', '--json')).output).partitions).toEqual([]);

  const store = postgresEventStore(test.database, {
    objects: openObjectStore(pathToFileURL(folder).href, { AWS_REGION: 'x' }),
  });
  expect((await store.read('signal-1')).map(({ revision }) => revision)).toEqual(
    Array.from({ length: 12 }, (_, n) => n),
  );
  expect((await store.read('operation-log')).map(({ data }) => data)).toMatchObject([{ operation: 'events_archived' }]);
  await store.close();
});

/** Everything that restoring could change: tables of the log with their files, and all rows of events and places. */
async function state(): Promise<unknown> {
  const tables = `SELECT c.oid::regclass::text AS name, pg_relation_filenode(c.oid) AS file FROM pg_class c
    WHERE c.relnamespace = 'log'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`;
  const rows = (name: string) => `SELECT r::text FROM ${name} r ORDER BY 1`;
  const all = [tables, ...['log.event', 'log.event_partition', 'log.archived_object', 'log.archived_stream'].map(rows)];
  return Promise.all(all.map(async (text) => (await test.database.query(text)).rows));
}

it('restores archived partitions, once, after a dry run; an incomplete or damaged archive is refused with the name and line, and nothing is changed', async () => {
  settings = {};
  expect((await clarity('restore', '--from', '0', '--to', '9')).output).toContain('ARCHIVE_URL is not set');
  settings = { ARCHIVE_URL: pathToFileURL(folder).href };
  for (const range of [
    ['-1', '9'],
    ['x', '9'],
    ['10', '9'],
  ] as const)
    expect((await clarity('restore', '--from', range[0], '--to', range[1])).code).not.toBe(0);
  expect(await clarity('restore', '--from', '20', '--to', '99')).toMatchObject({
    code: 0,
    output: expect.stringContaining('no archived partition contains a position from 20 to 99'),
  });
  const dry = await clarity('restore', '--from', '9', '--to', '12', '--dry');
  expect(dry).toMatchObject({
    code: 0,
    output: expect.stringMatching(/0-9\s+3\s+6 .*\n10-19\s+3\s+7 .*\nwould be restored/),
  });

  // The partition before it is whole, and is not restored either.
  const last = (await readdir(join(folder, 'events'))).sort().at(-1) ?? '';
  const path = join(folder, 'events', last);
  const bytes = await readFile(path);
  const before = await state();
  const refused = async (where: string) => {
    const { code, output } = await clarity('restore', '--from', '0', '--to', '12');
    expect([code, output]).toEqual([2, expect.stringContaining(`events/${last}`)]);
    expect(output).toContain(where);
    expect(output).toContain('nothing was changed');
    expect(await state()).toEqual(before);
  };
  const lines = String(gunzipSync(bytes)).split('\n');
  for (const [text, where] of [
    [lines.with(2, 'no event').join('\n'), 'line 3 is no event'],
    [lines.slice(0, 4).join('\n').slice(0, -9), 'it ends or cannot be unpacked at line 4'],
    [lines.with(1, (lines[1] ?? '').replace('2026', '2025')).join('\n'), 'each of its lines 1 to 7 is an event'],
  ] as const) {
    await writeFile(path, gzipSync(text));
    await refused(where);
  }
  await writeFile(path, bytes.subarray(0, -12));
  await refused('it ends or cannot be unpacked at line');
  await rm(path);
  await refused('ENOENT');
  await writeFile(path, bytes);

  const { code, output } = await clarity('restore', '--from', '0', '--to', '12', '--json');
  expect({ code, ...JSON.parse(output) }).toMatchObject({
    code: 0,
    dry_run: false,
    from: '0',
    to: '12',
    partitions: [
      { first_position: '0', last_position: '9', archived: 6 },
      { first_position: '10', last_position: '19', archived: 7 },
    ],
  });
  expect((await clarity('list')).output).toMatch(/0-9\s+9\s+0 .*\n10-19\s+10\s+0 /);
  expect(JSON.parse((await clarity('restore', '--from', '0', '--to', '12', '--json')).output).partitions).toEqual([]);
  // No archive is needed to read them now.
  const store = postgresEventStore(test.database);
  expect(await store.read('signal-1')).toHaveLength(12);
  await store.close();
});

it('leaves EventStoreDB to its own means', async () => {
  const double = await startDouble({ store: doubleStore() });
  settings = { EVENTSTORE_URL: `kurrentdb://127.0.0.1:${double.port}?tls=false` };
  const { code, output } = await clarity('list');
  expect([code, output]).toEqual([2, expect.stringContaining('an archive and a scavenge of its own')]);
  double.kill();
});
