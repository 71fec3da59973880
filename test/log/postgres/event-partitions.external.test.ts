/** Archiving of events that is killed at every step. External, because it starts a process for each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { openObjectStore } from '../../../log/archive/object-store.ts';
import { archiveEvents } from '../../../log/postgres/event-partitions.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { logDatabase } from '../../harness/database.ts';
import { smallPartitions } from '../../harness/event-partitions.ts';
import { readToEnd } from '../contract/event-store.ts';
import { someEvent, someEvents } from '../contract/events.ts';

const STREAMS = ['signal-1', 'account-1', 'signal-2'] as const;
const BEFORE = new Date('2100-01-01');

/** Runs an archiver that dies at a step. @returns whether it ended before */
async function archiver(url: string, folder: string, step: number): Promise<boolean> {
  const script = resolve(import.meta.dirname, 'archiver-process.ts');
  const child = spawn(process.execPath, [script, url, folder, String(step)], { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  expect([0, 'SIGKILL']).toContain(code ?? signal);
  return code === 0;
}

test('given an archiver that is killed at any step, then every event is there, and the next one ends the work', async () => {
  let steps = 0;
  for (let ended = false; !ended; ) {
    steps += 1;
    const [it, path] = [await logDatabase(), await mkdtemp(join(tmpdir(), 'clarity-killed-'))];
    const folder = pathToFileURL(path).href;
    const objects = openObjectStore(folder, { AWS_REGION: 'us-east-1' });
    await smallPartitions(it.database, 12);
    const store = postgresEventStore(it.database, { objects });
    for (let nth = 0; nth < 9; nth++) await store.append(STREAMS[nth % 3] ?? '', someEvents(`killed ${nth}`, 3), 'any');
    const before = await readToEnd(store, [''], 0n);
    const streams = await Promise.all(STREAMS.map((stream) => store.read(stream)));

    ended = await archiver(it.url, folder, steps);
    // Its session may still execute what it sent.
    await expect
      .poll(
        async () =>
          (
            await it.database.query(
              "SELECT FROM pg_stat_activity WHERE application_name = 'clarity archiver' AND state <> 'idle'",
            )
          ).rowCount,
      )
      .toBe(0);
    expect((await readToEnd(store, [''], 0n)).events, `after step ${steps}`).toEqual(before.events);
    expect(await Promise.all(STREAMS.map((stream) => store.read(stream)))).toEqual(streams);
    for (const stream of STREAMS) {
      expect(await store.append(stream, [streams[STREAMS.indexOf(stream)]?.[0] as never], 'none')).toMatchObject({
        stored: [],
      });
      await store.append(stream, [someEvent(`after ${stream}`)], 8);
    }

    const archive = () =>
      archiveEvents({ database: it.database, objects, before: BEFORE, signal: new AbortController().signal });
    await expect.poll(archive, { timeout: 20_000 }).toEqual(expect.any(Array));
    expect(await archive()).toEqual([]);
    const { events } = await readToEnd(store, [''], 0n);
    expect(events.slice(0, before.events.length)).toEqual(before.events);
    expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 30 }, (_, n) => BigInt(n + 1)));
    const { rows } = await it.database.query<{ stream: string }>(
      'SELECT DISTINCT stream FROM log.event WHERE position < 24',
    );
    expect(rows).toEqual([{ stream: 'account-1' }]);
    await store.close();
    await it.close();
    await rm(path, { recursive: true });
  }
  // Statements and requests of two partitions.
  expect(steps).toBeGreaterThan(40);
}, 600_000);
