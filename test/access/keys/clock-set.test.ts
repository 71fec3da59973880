import { expect, it } from 'vitest';
import { keyFinder, newKey } from '../../../access/api-keys.ts';

const DAY = 86_400_000;

it('given a cached key, when it is revoked and the clock is set back by a day, then it is no longer accepted', async () => {
  const { key, hash } = newKey();
  let now = Date.parse('2026-11-21T12:00:00Z');
  let revoked = false;
  const row = () => ({
    ...{ account: 'acc_0123456789abcdef', id: 'key_0123456789abcdef', hash, revoked },
    ...{ plan: 'pro', scopes: ['read'], expires_at: null },
  });
  const database = { query: async () => ({ rows: [row()] }) };
  const find = keyFinder(database as never, { now: () => new Date(now) });
  expect((await find(key))?.id).toBe('key_0123456789abcdef');
  revoked = true;
  expect(await find(key), 'for half a minute').not.toBeNull();
  now -= DAY;
  expect(await find(key)).toBeNull();
});
