import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateAccess, runSweeper } from '../../access/access.ts';
import { charge } from '../../access/quota/charge.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { day } from './quota/windows.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

it('given no table yet, then the sweeper continues, sweeps as soon as it can, and ends when aborted', async () => {
  const stop = new AbortController();
  const sweeper = runSweeper(test.database, stop.signal, { every: 20 });
  await migrateAccess(test.database);
  await charge(test.database, [day('ended', 5)], new Date('2020-01-01T00:00:00Z'));
  await eventually(async () => {
    expect((await test.database.query('SELECT 1 FROM access.quota_window')).rowCount).toBe(0);
  });
  stop.abort();
  await sweeper;
});
