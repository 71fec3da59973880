import { expect, it } from 'vitest';
import { signingInAt, unknownCaller } from '../../access/authorise.ts';
import { ANONYMOUS, type Caller } from '../../access/caller.ts';
import { signInOf } from '../../access/sign-in.ts';

const BASE_URL = 'http://localhost:8080';

it.each([
  [{ BASE_URL, HOST: '127.0.0.1' }, 'embedded'],
  [{ BASE_URL, HOST: 'localhost' }, 'embedded'],
  [{ BASE_URL: 'http://[::1]:8080', HOST: '::1' }, 'embedded'],
  [{ BASE_URL, HOST: '0.0.0.0' }, 'off'],
  [{ BASE_URL, HOST: '10.0.0.7' }, 'off'],
  [{ BASE_URL: 'http://clarity.example', HOST: '127.0.0.1' }, 'off'],
  [{ BASE_URL: 'http://localhost.clarity.example', HOST: '127.0.0.1' }, 'off'],
  [{ BASE_URL: 'https://localhost', HOST: '127.0.0.1' }, 'off'],
  [{ BASE_URL, HOST: '127.0.0.1', TRUST_PROXY: '1' }, 'off'],
  [{ BASE_URL, HOST: '0.0.0.0', OIDC_ISSUER: 'https://issuer.example' }, 'external'],
])('given %j, then signing in is %s', (settings, kind) => {
  expect(signInOf(settings).kind).toBe(kind);
});

it('given that signing in is off, then the error says what to set; else where to sign in', () => {
  const refusal = (caller: Caller, HOST: string) =>
    unknownCaller('signed_in', caller, signingInAt(signInOf({ BASE_URL, HOST }), BASE_URL));
  expect(refusal(ANONYMOUS, '0.0.0.0')?.message).toContain('OIDC_ISSUER');
  expect(refusal(ANONYMOUS, '0.0.0.0')?.headers['www-authenticate']).toBe('Bearer realm="clarity"');
  expect(refusal(ANONYMOUS, '127.0.0.1')?.message).toContain(`${BASE_URL}/oidc`);
  expect(refusal(ANONYMOUS, '127.0.0.1')?.headers['www-authenticate']).toContain(
    `resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/api/v1"`,
  );
});
