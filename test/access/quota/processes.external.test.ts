/** Leases of processes that are killed. External, because eight processes take seconds to start on two cores. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrateAccess } from '../../../access/access.ts';
import { peek } from '../../../access/quota/charge.ts';
import { LEASE_RULES } from '../../../access/quota/leases.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';
import { WAIT_OPTIONS } from '../../harness/wait-options.ts';
import { day, someone } from './windows.ts';

const PROCESSES = 8;
const AT_ONCE = 16;
const LIMIT = 20_000;
/** What a killed process may take with it: its lease, and calls that were charged and not answered yet. */
const BOUND = Math.min(LEASE_RULES.maximum, Math.floor((LIMIT - 1) / LEASE_RULES.share)) + AT_ONCE;

let database: TestDatabase;
let folder = '';
beforeAll(async () => {
  database = await testDatabase();
  await migrateAccess(database.database);
  folder = await mkdtemp(join(tmpdir(), 'clarity-leases-'));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const fileOf = (number: number): string => join(folder, String(number));

function start(whose: string, number: number): ChildProcess {
  const words = [database.url, whose, LIMIT, AT_ONCE, fileOf(number)].map(String);
  return spawn(process.execPath, [resolve(import.meta.dirname, 'hot-caller.ts'), ...words], { stdio: 'inherit' });
}

const acceptedBy = async (number: number): Promise<number> =>
  stat(fileOf(number)).then(
    ({ size }) => size,
    () => 0,
  );
const accepted = async (): Promise<number> =>
  (await Promise.all(Array.from({ length: PROCESSES }, (_, number) => acceptedBy(number)))).reduce((a, b) => a + b, 0);

test('given eight processes and one busy account, two of them killed, then never more than the limit is accepted, and at most their leases are lost', async () => {
  const whose = someone();
  const children = Array.from({ length: PROCESSES }, (_, number) => start(whose, number));
  const ended = children.map(async (child) => (await once(child, 'exit'))[0] as number | null);
  const [first, second] = children;
  for (const number of [0, 1])
    await vi.waitFor(async () => expect(await acceptedBy(number)).toBeGreaterThan(500), WAIT_OPTIONS);
  first?.kill('SIGKILL');
  second?.kill('SIGKILL');
  expect(await Promise.all(ended)).toEqual([null, null, ...Array.from({ length: PROCESSES - 2 }, () => 0)]);
  const total = await accepted();
  expect(total).toBeLessThanOrEqual(LIMIT);
  expect(total).toBeGreaterThanOrEqual(LIMIT - 2 * BOUND);
  expect((await peek(database.database, [day(whose, LIMIT)])).windows[0]?.used).toBe(LIMIT);
  console.info(`accepted ${total} of ${LIMIT}; two killed processes may lose ${2 * BOUND}`);
});
