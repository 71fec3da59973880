import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formToken,
  isToken,
  localPath,
  newToken,
  readCookie,
  sameToken,
  writeCookie,
} from '../../access/web-sessions.ts';

describe('cookies', () => {
  it('given https, then the name has the prefix that binds it to the host, and the cookie is secure', () => {
    expect(writeCookie('https://clarity.example', 'reader', 'token', 60)).toBe(
      '__Host-clarity_reader=token; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
    );
    expect(writeCookie('http://localhost:8080', 'reader', 'token', 60)).not.toMatch(/Secure|__Host/);
  });

  it.each([
    ['a=1; __Host-clarity_reader=token; b=2', 'token'],
    ['clarity_reader=token', null],
    ['x__Host-clarity_reader=token', null],
    ['__Host-clarity_reader=', null],
    [undefined, null],
  ])('given %s under https, then the session is %s', (cookie, expected) => {
    expect(readCookie(cookie === undefined ? {} : { cookie }, 'https://clarity.example', 'reader')).toBe(expected);
  });
});

describe('tokens', () => {
  it('given two sessions, then their forms have different tokens, and none reveals the token of the session', () => {
    const [one, other] = [newToken(), newToken()];
    expect([isToken(one), isToken(`${one} `), sameToken(one, one), sameToken(one, other), sameToken(one, '')]).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(formToken(one)).not.toBe(formToken(other));
    expect(formToken(one)).not.toContain(one);
  });
});

describe('the page to return to', () => {
  it('given any text, then it is a path of this service', () => {
    const parts = fc.constantFrom(
      '/',
      '//',
      '\\',
      '..',
      '.',
      '@',
      ':',
      'javascript:',
      'http:',
      'evil.test',
      '%2f',
      '%5c',
      '\t',
      '\n',
      ' ',
      '?',
      '#',
      'a',
    );
    const text = fc.array(parts, { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((end) => `/${end}`),
          fc.string(),
        ),
        (given) => {
          const to = localPath(given, '/account');
          const url = new URL(to, 'https://clarity.example/sign-in');
          expect(url.origin).toBe('https://clarity.example');
          expect(to.startsWith('/') && !to.startsWith('//')).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('given a page of this service, then it is kept with its query', () => {
    expect(localPath('/brand/zudio?kind=stores&cursor=x', '/')).toBe('/brand/zudio?kind=stores&cursor=x');
  });
});
