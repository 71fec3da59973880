/**
 * The chapter "Disk full" of docs/incidents.md, step by step, with a PostgreSQL on a disk that is really full: what it says of
 * readers, of the log, of freeing space and of what happens afterwards.
 */

import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pause } from '../../log/backoff.ts';
import { startEmbeddedPostgres } from '../../log/postgres/embedded/embedded-postgres.ts';
import { startClarity } from '../harness/clarity.ts';
import { dataFolder } from '../harness/data-folder.ts';
import { freePort } from '../harness/free-port.ts';
import { issueKey } from '../harness/issue-key.ts';
import { startOutlets } from '../harness/outlets.ts';
import { WAIT_OPTIONS } from '../harness/wait-options.ts';
import { mountSmallDisk, SETTINGS } from './small-disk.ts';

/** Milliseconds for which the disk is full: idle connections would be closed meanwhile. */
const FULL = 30_000;
const OUTLET = 'first-paper';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const news = (nth: number) => ({
  guid: `story-${nth}`,
  title: `Zudio opens its ${nth}th store in ${['Pune', 'Surat', 'Kochi', 'Patna'][nth % 4]}`,
  summary: `The value fashion chain opened its ${nth}th store.`,
  published: new Date(),
});

/** The service on a PostgreSQL whose disk can be filled; null where this machine mounts none. */
async function serve() {
  const folder = await dataFolder('clarity-full-disk');
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  await mkdir(data);
  await chmod(data, 0o755);
  const disk = await mountSmallDisk(data);
  if (!disk) return null;
  closing.push(() => disk.unmount());
  const server = await startEmbeddedPostgres({ dataDir: data, settings: { max_connections: '60', ...SETTINGS } });
  closing.push(() => server.stop());
  const outlets = await startOutlets([OUTLET]);
  closing.push(() => outlets.close());
  const roster = join(folder, 'roster.yaml');
  await writeFile(roster, outlets.roster());
  const port = await freePort();
  const settings = {
    ROSTER: roster,
    DATABASE_URL: server.url,
    PORT: String(port),
    BASE_URL: 'http://clarity.test',
    ALLOW_PRIVATE_SOURCES: '1',
  };
  const key = await issueKey(settings);
  const clarity = startClarity(['up'], settings);
  closing.push(() => clarity.stop());
  const get = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } });
    return { status: answer.status, text: await answer.text() };
  };
  return { disk, settings, outlets, clarity, get };
}

const READS = ['/', '/brief', '/tables/openings', '/feed.rss', '/api/v1/signals', '/api/v1/sources/health'];

describe('a full disk', () => {
  it('given PostgreSQL without space, then reads are answered, the log says why, and news is published once space is freed', async () => {
    const running = await serve();
    if (!running) return void process.stdout.write('no disk is filled: mounting one takes root\n');
    const { disk, settings, outlets, clarity, get } = running;
    const isPublished = (nth: number) =>
      // Slowly: each request counts for the key.
      vi.waitFor(async () => expect((await get('/api/v1/signals')).text).toContain(`${nth}th store`), {
        ...WAIT_OPTIONS,
        interval: 250,
      });
    outlets.publish(OUTLET, news(11));
    await isPublished(11);
    await Promise.all(READS.map(get));

    const full = disk.fill(FULL);
    outlets.publish(OUTLET, news(12), news(13), news(14));
    const until = Date.now() + FULL - 5_000;
    while (Date.now() < until) {
      for (const path of READS) expect([path, (await get(path)).status], clarity.output()).toEqual([path, 200]);
      await pause(1_000);
    }
    expect(clarity.output()).toContain('No space left on device');

    await full;
    await isPublished(14);
    const run = async (...words: string[]) => {
      const command = startClarity(words, settings);
      return { code: await command.ended, output: command.output() };
    };
    expect(await run('topics', 'trim', '--older-than', '14', '--dry-run')).toMatchObject({ code: 0 });
    expect(await run('replay', '--all', '--verify', '--dry')).toMatchObject({ code: 0 });
  }, 300_000);
});
