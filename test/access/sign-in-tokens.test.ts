import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IssuerUnavailable, issuerKeys, type TokenRules, verifyToken } from '../../access/sign-in-tokens.ts';
import { type Issuer, startIssuer } from '../harness/issuer.ts';

const AUDIENCE = 'https://clarity.test/api/v1';
const NOW = new Date('2026-11-21T04:30:00Z');
const SECONDS = NOW.getTime() / 1000;

let issuer: Issuer;
let rules: TokenRules;
beforeAll(async () => {
  issuer = await startIssuer(AUDIENCE, () => NOW);
  rules = { issuer: issuer.url, keys: issuerKeys(issuer.url) };
});
afterAll(() => issuer.close());

const subOf = async (token: string): Promise<string | null> =>
  (await verifyToken(token, AUDIENCE, rules, NOW))?.sub ?? null;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  iss: issuer.url,
  aud: AUDIENCE,
  sub: 'asha',
  exp: SECONDS + 3_600,
  ...changes,
});

describe('a token of the issuer', () => {
  it.each(['RS256', 'ES256', 'EdDSA'] as const)('given a token %s, then the caller is its sub', async (algorithm) => {
    expect(await subOf(await issuer.token({}, { algorithm }))).toBe('asha');
  });

  it.each([
    ['expired 29 seconds ago', { exp: SECONDS - 29 }],
    ['valid in 29 seconds', { nbf: SECONDS + 29 }],
    ['meant for this surface among others', { aud: ['https://other.test', AUDIENCE] }],
  ])('given a token %s, then the caller is its sub: clocks may differ by 30 seconds', async (_, changes) => {
    expect(await subOf(await issuer.token(changes))).toBe('asha');
  });

  it.each([
    ['expired 31 seconds ago', { exp: SECONDS - 31 }],
    ['valid in 31 seconds only', { nbf: SECONDS + 31 }],
    ['without an end', { exp: undefined }],
    ['with an end that is no number', { exp: 'tomorrow' }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is no text', { sub: 7 }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['without an issuer', { iss: undefined }],
    ['for another surface', { aud: 'https://clarity.test/mcp/account' }],
    ['for a surface whose name only begins alike', { aud: `${AUDIENCE}/keys` }],
    ['without an audience', { aud: undefined }],
  ])('given a token %s, then it is refused', async (_, changes) => {
    expect(await subOf(await issuer.token(changes))).toBeNull();
  });
});

describe('an e-mail address in a token', () => {
  const NAMED = { sub: 'asha@clarity.test', email: 'asha@clarity.test' };

  it.each([false, 'true', 'false', 0, 'no', {}])(
    'given email_verified %j and a sub that is the address, then the token is refused',
    async (email_verified) => {
      expect(await subOf(await issuer.token({ ...NAMED, email_verified }))).toBeNull();
      expect(await subOf(await issuer.token({ sub: NAMED.sub, email_verified }))).toBeNull();
    },
  );

  it.each([true, undefined, null])('given email_verified %j, then the token is accepted', async (email_verified) => {
    expect(await subOf(await issuer.token({ ...NAMED, email_verified }))).toBe(NAMED.sub);
  });

  it('given another sub, then the address counts only where it is verified', async () => {
    const emailOf = async (email_verified: unknown) =>
      (await verifyToken(await issuer.token({ ...NAMED, sub: 'user-1', email_verified }), AUDIENCE, rules, NOW))?.email;
    expect(await Promise.all([true, 'true', false, 'false', undefined].map(emailOf))).toEqual([
      NAMED.email,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('the scopes of a token', () => {
  const scopesOf = async (changes: Record<string, unknown>, more: Partial<TokenRules> = {}) =>
    (await verifyToken(await issuer.token(changes), AUDIENCE, { ...rules, ...more }, NOW))?.scopes;

  it.each([
    [{}, null],
    [{ scope: '' }, []],
    [{ scope: 'openid email' }, []],
    [{ scope: 'openid read' }, ['read']],
    [{ scope: 'ask read' }, ['read', 'ask']],
    [{ scope: ['ask'] }, ['ask']],
    [{ scp: 'read' }, ['read']],
    [{ scp: ['read', 'ask'] }, ['read', 'ask']],
    [{ scope: 7 }, []],
    [{ scope: 'reader' }, []],
  ])('given %j, then %j', async (changes, scopes) => {
    expect(await scopesOf(changes)).toEqual(scopes);
  });

  it('given an issuer that always names scopes, then a token without scopes has none', async () => {
    expect(await scopesOf({}, { scopesRequired: true })).toEqual([]);
  });
});

describe('a forged token', () => {
  const forgeries: [string, () => Promise<string> | string][] = [
    ['without a signature (alg none)', () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
    ['alg None in other letters', () => `${encode({ alg: 'nOnE', kid: 'RS256' })}.${encode(claims())}.AA`],
    [
      'signed by HS256 with the public key as the secret',
      () => {
        const head = `${encode({ alg: 'HS256', kid: 'RS256' })}.${encode(claims())}`;
        const secret = JSON.stringify(issuer.keys.find(({ kid }) => kid === 'RS256'));
        return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
      },
    ],
    [
      'signed by a stranger who names a key of the issuer',
      () => {
        const head = `${encode({ alg: 'EdDSA', kid: 'EdDSA' })}.${encode(claims())}`;
        const { privateKey } = generateKeyPairSync('ed25519');
        return `${head}.${sign(null, Buffer.from(head), privateKey).toString('base64url')}`;
      },
    ],
    [
      'signed by a key that it brings along',
      () => {
        const { privateKey, publicKey } = generateKeyPairSync('ed25519');
        const jwk = publicKey.export({ format: 'jwk' });
        const head = `${encode({ alg: 'EdDSA', jwk, jku: 'http://127.0.0.1:1/keys' })}.${encode(claims())}`;
        return `${head}.${sign(null, Buffer.from(head), privateKey).toString('base64url')}`;
      },
    ],
    ['of a key id that the issuer does not have', () => issuer.token({}, { kid: 'unknown' })],
    ['of one algorithm under the key id of another', () => issuer.token({}, { algorithm: 'ES256', kid: 'RS256' })],
    [
      'whose claims were changed after signing',
      async () => {
        const [head, , signature] = (await issuer.token({})).split('.');
        return `${head}.${encode(claims({ sub: 'somebody-else' }))}.${signature}`;
      },
    ],
    [
      'with a header that it calls critical',
      () => `${encode({ alg: 'RS256', kid: 'RS256', crit: ['x'], x: 1 })}.${encode(claims())}.AAAA`,
    ],
    ['of many kilobytes', () => issuer.token({ padding: 'x'.repeat(9_000) })],
    ['of garbage in three parts', () => [40, 400, 40].map((size) => randomBytes(size).toString('base64url')).join('.')],
    ['of garbage', () => 'garbage'],
    ['of two dots', () => '..'],
    ['that is empty', () => ''],
    ['with blanks', async () => ` ${await issuer.token({})}`],
  ];
  it.each(forgeries)('given a token %s, then it is refused', async (_, forge) => {
    expect(await subOf(await forge())).toBeNull();
  });
});

describe('an issuer that cannot be asked', () => {
  it('given that it is unavailable at first, then that is a server error and the token is not rejected; later it is requested again', async () => {
    const late: TokenRules = { issuer: issuer.url, keys: issuerKeys(issuer.url) };
    const token = await issuer.token({});
    issuer.answering = false;
    await expect(verifyToken(token, AUDIENCE, late, NOW)).rejects.toThrow(IssuerUnavailable);
    issuer.answering = true;
    expect(await verifyToken(token, AUDIENCE, late, NOW)).toMatchObject({ sub: 'asha', email: null });
  });

  it('given metadata that names another issuer, then it is refused', async () => {
    const keys = issuerKeys(`${issuer.url}/`);
    await expect(verifyToken(await issuer.token({}), AUDIENCE, { issuer: issuer.url, keys }, NOW)).rejects.toThrow(
      IssuerUnavailable,
    );
  });
});
