/** Keys and accounts from the command line, on a database where nothing else runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRevoked } from '../../../access/sign-in-tokens.ts';
import { ACCOUNTS, KEYS } from '../../../operations/accounts.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';
import { runCommand } from '../run-command.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

const clarity = (...words: readonly string[]) => runCommand(words[0] === 'keys' ? KEYS : ACCOUNTS, words, test.url);

describe('clarity keys and accounts', () => {
  it('given an operator, then a key is issued, listed without its secret, and revoked', async () => {
    const words = ['--account', 'test@clarity.test', '--plan', 'pro', '--name', 'dashboard', '--json'];
    const { key } = JSON.parse((await clarity('keys', 'issue', ...words)).output) as { key: string };
    expect(key).toMatch(/^ck_live_[0-9A-Za-z]{32}$/);
    const { output } = await clarity('keys', 'list', '--json');
    const [listed] = JSON.parse(output);
    expect(listed).toMatchObject({
      account: 'test@clarity.test',
      plan: 'pro',
      name: 'dashboard',
      scopes: ['read', 'ask'],
      status: 'active',
      ending: key.slice(-4),
    });
    expect(output).not.toContain(key);
    expect(await clarity('keys', 'revoke', listed.id)).toMatchObject({ code: 0 });
    expect(JSON.parse((await clarity('keys', 'list', '--json')).output)[0].status).toBe('revoked');
    await clarity('accounts', 'plan', 'test@clarity.test', 'free');
    expect(JSON.parse((await clarity('accounts', 'list', '--json')).output)).toMatchObject([
      { name: 'test@clarity.test', plan: 'free', active_keys: 0 },
    ]);
  });

  it.each([
    [['keys', 'issue', '--account', 'a@b.c', '--plan', 'gold'], 'plan: "gold" cannot be used. Allowed: free, pro'],
    [
      ['keys', 'issue', '--account', 'a@b.c', '--scopes', 'read,write'],
      'scopes: "read,write" cannot be used. Allowed: read, ask or both',
    ],
    [['keys', 'issue', '--account', 'a@b.c', '--expires', 'soon'], 'expires: "soon" cannot be used'],
    [['keys', 'revoke', 'key_none'], 'clarity keys list'],
  ])('given %j, then exit code 2 and a message that says what to do', async (words, sentence) => {
    const { code, output } = await clarity(...words);
    expect(code).toBe(2);
    expect(output).toContain(sentence);
    expect(output).not.toContain('    at ');
  });

  it('given revoke-tokens, then the access tokens of the account that were issued until now are no longer valid', async () => {
    const { code, output } = await clarity('accounts', 'revoke-tokens', 'test@clarity.test', '--json');
    expect([code, JSON.parse(output)]).toMatchObject([0, { name: 'test@clarity.test', grants: 0 }]);
    const { id: account } = JSON.parse(output) as { id: AccountId };
    const now = Date.now() / 1_000;
    expect(await isRevoked(test.database, { account, iat: now - 60 })).toBe(true);
    expect(await isRevoked(test.database, { account })).toBe(true);
    expect(await isRevoked(test.database, { account, iat: now + 60 })).toBe(false);
    expect(await isRevoked(test.database, { account: 'acc_0000000000000000' as AccountId, iat: now - 60 })).toBe(false);
  });
});
