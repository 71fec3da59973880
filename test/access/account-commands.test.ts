import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountNamed, changeAccount, loadAccount } from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import type { EventStore } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { logDatabase, type TestDatabase } from '../harness/database.ts';

let test: TestDatabase;
let stores: EventStore[];
beforeAll(async () => {
  test = await logDatabase();
  stores = [postgresEventStore(test.database), postgresEventStore(test.database)];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await test.close();
});

it('given six keys issued at once by two processes, then there is one account with six keys, in one order', async () => {
  const account = accountNamed('asha');
  const by = { commander: { role: 'operator', by: 'test' }, now: new Date() } as const;
  await Promise.all(
    Array.from({ length: 6 }, (_, n) => {
      const { key: _key, ...key } = newKey();
      const command = {
        command: 'issue_key',
        key,
        name: `key ${n}`,
        scopes: null,
        expires_at: null,
        plan: 'pro',
      } as const;
      return changeAccount(stores[n % 2] as EventStore, account, command, by);
    }),
  );
  const { account: after, revision } = await loadAccount(stores[0] as EventStore, account.id);
  expect(after).toMatchObject({ name: 'asha', plan: 'pro' });
  expect(after.keys).toHaveLength(6);
  // Opened once, set to Pro once.
  expect(revision).toBe(7);
});
