import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { yieldToReaders } from '../../../projector/builds/priority.ts';
import { openSession } from '../../../projector/builds/session.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';

/** Whether this kernel shares the processor among sessions. */
const AUTOGROUP = existsSync('/proc/self/autogroup');
const groupOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/autogroup`, 'utf8');

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

/** Only Linux tells the title of a process, by which a backend is known for one of this machine. */
describe.runIf(process.platform === 'linux')('a connection that steps back', () => {
  it('lowers its own process and no other', async () => {
    const [one, other] = [await openSession(test.database), await openSession(test.database)];
    const pidOf = async (session: typeof one) =>
      (await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

    const lowered = await yieldToReaders(one);

    expect(lowered).toBe(true);
    expect(getPriority(await pidOf(one))).toBe(10);
    expect(getPriority(await pidOf(other))).toBe(0);
    if (AUTOGROUP) {
      expect(await groupOf(await pidOf(one))).toContain('nice 10');
      expect(await groupOf(await pidOf(other))).toContain('nice 0');
    }
    await Promise.all([one.end(), other.end()]);
  });
});
