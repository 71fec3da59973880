import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashKey, isKey, newKey } from '../../../access/api-keys.ts';
import { readCredential } from '../../../access/identify-caller.ts';

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

it('given any other text, then it is no key', () => {
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
      const found = readCredential({ authorization, 'x-api-key': key });
      expect(found).not.toBeNull();
    }),
  );
  expect(readCredential({ authorization: 'Basic YTpi' })).toBeNull();
  expect(readCredential({ authorization: 'Bearer' })).toEqual({ text: '', sentAs: 'bearer' });
  expect(readCredential({ authorization: 'Bearerck_live' })).toBeNull();
});
