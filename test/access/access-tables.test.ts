import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateAccess, runSweeper, sweep } from '../../access/access.ts';
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

it('given old and new rows, then a sweep deletes the old ones, except the latest mail of a search', async () => {
  const { database } = test;
  const insert = (text: string) => database.query(`INSERT INTO access.${text}`);
  await insert(
    `usage_day (account, day, calls, questions) SELECT 'acc', current_date - n, 1, 0 FROM unnest('{1,401}'::int[]) n`,
  );
  await insert(
    `usage_key_day (key_id, day, calls, last_at) SELECT 'key', current_date - n, 1, now() FROM unnest('{1,401}'::int[]) n`,
  );
  await insert(`token_revocation (kind, id, expires_at) VALUES
    ('token', 'old', now() - interval '1 s'), ('token', 'new', now() + interval '1 h'), ('account', 'all', NULL)`);
  await insert(
    `sign_in (kind, id, payload, expires_at) SELECT 'Grant', n::text, '{}', now() + make_interval(secs => n) FROM unnest('{-1,60}'::int[]) n`,
  );
  await insert(`search_mail (search, number, account, state, opened_at, changed_at)
    SELECT 'sea', n, 'acc', CASE n WHEN 1 THEN 'claimed' ELSE 'sent' END, now(), now() - interval '32 days' FROM generate_series(1, 3) n`);
  await sweep(database);
  expect((await database.query('SELECT number FROM access.search_mail ORDER BY number')).rows).toEqual([
    { number: 1 },
    { number: 3 },
  ]);
  const left = async (table: string) => (await database.query(`SELECT 1 FROM access.${table}`)).rowCount;
  expect(await Promise.all(['usage_day', 'usage_key_day', 'token_revocation', 'sign_in'].map(left))).toEqual([
    1, 1, 2, 1,
  ]);
});
