/** How many connections of PostgreSQL processes hold at rest, and a database that no process starts on. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { connectionsOf, openServices } from '../../bin/services.ts';
import { query } from '../../log/postgres/database.ts';
import { readModels } from '../../projector/models/all-read-models.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { logDatabase, type TestDatabase, testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';

const BASE_URL = 'http://127.0.0.1:8080';
/** One session for the locks, one for notifications. */
const SESSIONS = 2;
/** Connections of a process, as documented for operators. */
const CONNECTIONS = { poll: 6, understand: 6, match: 6, project: 8, api: 10 };

let database: TestDatabase;
let projectors: Clarity[] = [];

beforeAll(async () => {
  database = await testDatabase();
  const start = () => startClarity(['project'], { DATABASE_URL: database.url, BASE_URL, LOG_LEVEL: 'info' });
  projectors = [start(), start()];
});
afterAll(async () => {
  for (const projector of projectors) await projector.stop();
  await database.close();
});

const count = async (text: string): Promise<number> =>
  (await query(database.database, text, [], z.object({ many: z.int() })))[0]?.many ?? -1;

test('given two projectors at rest, then each holds a small pool and two sessions, and all locks of a process are on one', async () => {
  const models = readModels({ baseUrl: BASE_URL }).length;
  await eventually(async () =>
    expect(
      await count(`SELECT count(*)::int AS many FROM projector.builds WHERE state = 'live' AND version <> 'empty'`),
    ).toBe(models),
  );
  await eventually(() => expect(projectors.map((one) => one.output()).join('')).toContain('waiting as a standby'));
  const { max } = connectionsOf('project');
  for (const [name, each] of Object.entries(CONNECTIONS))
    expect(connectionsOf(name).max + (name === 'api' ? 0 : SESSIONS), name).toBe(each);
  const OWN = `FROM pg_stat_activity WHERE application_name = 'clarity project'`;
  // Builders' sessions end with their builds.
  await eventually(async () => {
    expect(await count(`SELECT count(*)::int AS many ${OWN}`)).toBeLessThanOrEqual(2 * (max + SESSIONS));
    expect(
      await count(
        `SELECT count(DISTINCT pid)::int AS many FROM pg_locks WHERE locktype = 'advisory' AND pid IN (SELECT pid ${OWN})`,
      ),
    ).toBeLessThanOrEqual(2);
  });
  expect(max).toBeLessThan(8);
});

test('given a database whose events an earlier release has archived, then no process starts on it, and it says what to do', async () => {
  const archived = await logDatabase();
  await archived.database.query('UPDATE log.event_partition SET archived_at = now()');
  vi.stubEnv('DATABASE_URL', archived.url);
  vi.stubEnv('BASE_URL', BASE_URL);
  vi.stubEnv('LOG_LEVEL', 'silent');
  await expect(openServices('match', { waits: true })).rejects.toThrow(
    /in an archive.*clarity events restore --from 0/,
  );
  await archived.close();
});
