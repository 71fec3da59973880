import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKey, isKey, keyFinder, newKey } from '../../access/api-keys.ts';
import { readCredential } from '../../access/authorise.ts';
import { kindOf } from '../../log/errors.ts';
import { unavailableRefusal } from '../../presentation/http/error-answers.ts';
import { accountsModel } from '../../projector/models/accounts-read-model.ts';
import { prepareReadModels, promoteEmpty } from '../../projector/promote-build.ts';
import { testDatabase } from '../harness/database.ts';

describe('API keys', () => {
  it('given many new keys, then all differ, have the form of keys, and use every letter of base62', () => {
    const keys = Array.from({ length: 500 }, () => newKey());
    expect(new Set(keys.map(({ key }) => key)).size).toBe(500);
    expect(
      keys.every(
        ({ key, hash, ending, id }) =>
          isKey(key) && hashKey(key) === hash && key.endsWith(ending) && /^key_[0-9a-f]{16}$/.test(id),
      ),
    ).toBe(true);
    expect(new Set(keys.flatMap(({ key }) => [...key.slice(8)])).size).toBe(62);
  });

  it('given any other text, then it is not a key', () => {
    fc.assert(fc.property(fc.string(), (text) => !isKey(text)));
    for (const text of [
      `ck_live_${'a'.repeat(31)}`,
      `ck_live_${'a'.repeat(33)}`,
      `ck_test_${'a'.repeat(32)}`,
      `ck_live_${'a'.repeat(32)}\n`,
    ])
      expect(isKey(text)).toBe(false);
  });

  it('given any headers, then reading the credential never fails', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (authorization, key) => {
        expect(readCredential({ authorization, 'x-api-key': key })).not.toBeNull();
      }),
    );
    expect(readCredential({ authorization: 'Basic YTpi' })).toBeNull();
    expect(readCredential({ authorization: 'Bearer' })).toEqual({ text: '', sentAs: 'bearer' });
    expect(readCredential({ authorization: 'Bearerck_live' })).toBeNull();
  });
});

describe('a key while the read model of accounts is not built', () => {
  it('given one that is not found, then the answer is that the service is not ready, and once it is built that it does not hold', async () => {
    const { database, close } = await testDatabase();
    const model = accountsModel();
    await prepareReadModels(database, [model]);
    const find = keyFinder(database);
    const { key } = newKey();

    const failure = await find(key).catch((error: unknown) => error);

    expect(unavailableRefusal(failure)).toMatchObject({ code: 'unavailable' });
    expect(kindOf(failure)).toBe('transient');
    expect(await find('no key at all')).toBeNull();
    expect(await promoteEmpty(database, model)).toBe(true);
    expect(await find(key)).toBeNull();
    await close();
  });
});

describe('the cache of API keys', () => {
  const DAY = 86_400_000;

  it('given a cached key, when it is revoked and the clock is set back by a day, then it is no longer accepted', async () => {
    const { key, hash } = newKey();
    let now = Date.parse('2026-11-21T12:00:00Z');
    let revoked = false;
    const row = () => ({
      account: 'acc_0123456789abcdef',
      id: 'key_0123456789abcdef',
      hash,
      revoked,
      plan: 'pro',
      scopes: ['read'],
      expires_at: null,
    });
    const database = { query: async () => ({ rows: [row()] }) };
    const find = keyFinder(database as never, { now: () => new Date(now) });
    expect((await find(key))?.id).toBe('key_0123456789abcdef');
    revoked = true;
    expect(await find(key), 'for half a minute').not.toBeNull();
    now -= DAY;
    expect(await find(key)).toBeNull();
  });
});
