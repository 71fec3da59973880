/** Attacks on the public port; docs/threat-model.md says why each matters. */

import { Writable } from 'node:stream';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAccess } from '../../access/access.ts';
import { newKey } from '../../access/api-keys.ts';
import { writeCookie } from '../../access/web-sessions.ts';
import { buildServer } from '../../api/server.ts';
import { type Keyed, keyed } from '../api/keyed.ts';
import { BASE_URL } from '../api/serving.ts';
import { eventually } from '../harness/eventually.ts';
import { detected, understanding } from '../projector/signal-events.ts';

const HEALTH = '/api/v1/sources/health';
let test: Keyed;
beforeAll(async () => {
  test = await keyed(() => new Date(), {}, ['brands', 'follows', 'search']);
  await test.site.append(
    detected('one'),
    detected('two', { understanding: understanding({ headline: '=HYPERLINK("http://evil.test")' }) }),
  );
});
afterAll(() => test.close());
beforeEach(() => test.forgetCalls());

const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' | 'DELETE' = 'GET') =>
  test.site.server.inject({ method, url, headers });

describe('every response', () => {
  const PAGES = ['/', '/signal/slug-one', '/sources', '/plans', '/nowhere', '/brand/nobody'];
  const DATA = ['/api/v1/signals', HEALTH, '/api/v1/nothing', '/robots.txt', '/feed.xml', '/.well-known/openapi.yaml'];

  it.each([...PAGES, ...DATA])('of %s restricts what a browser may do with it', async (url) => {
    const { headers, statusCode } = await ask(url, { accept: PAGES.includes(url) ? 'text/html' : '*/*' });
    expect(statusCode).toBeLessThan(500);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-|\*|https?:|data:/);
    expect(headers['x-powered-by'] ?? headers.server).toBeUndefined();
  });

  it.each(PAGES)('of %s contains nothing that needs a weaker policy', async (url) => {
    const { body } = await ask(url, { accept: 'text/html' });
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
    for (const [tag] of body.matchAll(/<script[^>]*>/g)) expect(tag).toMatch(/\ssrc="\/|type="application\/ld\+json"/);
  });
});

describe('cookies', () => {
  it('are protected from scripts and other sites, and bound to this host with https', () => {
    expect(writeCookie('http://clarity.test', 'reader', 'x', 60)).toMatch(/HttpOnly; SameSite=Lax$/);
    expect(writeCookie('https://clarity.test', 'reader', 'x', 60)).toMatch(
      /^__Host-.*Path=\/;.*HttpOnly; SameSite=Lax; Secure$/,
    );
  });
});

describe('injection', () => {
  it('given line ends in ids and addresses, then no header and no line of the log is split', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const { database, store } = test.site.engine;
    const configuration = { BASE_URL, TRUST_PROXY: undefined };
    const server = await buildServer({
      database,
      store,
      configuration,
      access: openAccess({ database, configuration }),
      logger: pino(sink),
    });
    for (const bad of ['a\r\nSet-Cookie: x=1', '\u001b[2J', '{"level":60}', 'ü', 'x'.repeat(500)]) {
      const { headers } = await server.inject({
        url: `/signal/${encodeURIComponent(bad)}`,
        headers: { 'x-request-id': bad },
      });
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/);
    }
    await server.close();
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      expect(line.split('\n')).toHaveLength(2);
      expect(line).not.toContain('\u001b');
      expect(JSON.parse(line)).toMatchObject({ level: 30, msg: 'answered' });
    }
  });

  it('given SQL in every parameter, then it is plain text without matches', async () => {
    const key = await test.key({ plan: 'pro' });
    const headers = { authorization: `Bearer ${key}` };
    for (const sql of [
      "' OR '1'='1",
      "'; DROP SCHEMA read CASCADE; --",
      '") UNION SELECT key FROM access.quota_window --',
    ]) {
      const text = encodeURIComponent(sql);
      for (const url of [
        `signals?brand=${text}`,
        `signals?theme=${text}`,
        `brands/${text}`,
        `signals/${text}`,
        `watch?b=${text}`,
      ]) {
        const { statusCode, body } = await ask(`/api/v1/${url}`, headers);
        expect([200, 400, 404], `${url}: ${body}`).toContain(statusCode);
        expect(body).not.toContain('slug-one');
      }
    }
    expect((await ask('/api/v1/signals', headers)).json().signals).toHaveLength(2);
  });

  it('given a headline that a spreadsheet would run as a formula, then its cell is text', async () => {
    const headers = { authorization: `Bearer ${await test.key()}`, accept: 'text/csv' };
    const { body } = await ask('/api/v1/signals', headers);
    expect(body).toContain(`'=HYPERLINK`);
    expect(body).not.toMatch(/(^|[,\n]|,")[=+\-@\t]\w/);
  });
});

describe('guessing of credentials and ids', () => {
  const about = ({ statusCode, body, headers }: Awaited<ReturnType<typeof ask>>) => [
    statusCode,
    body,
    headers['www-authenticate'],
  ];

  it('given invented, expired or half-correct keys, then the response is the same for all', async () => {
    const [good, over] = [await test.key(), await test.key({ expires_at: new Date(Date.now() + 300).toISOString() })];
    const never = newKey().key;
    await eventually(async () => expect((await ask('/api/v1/signals', { 'x-api-key': over })).statusCode).toBe(401));
    const guesses = [
      never,
      over,
      `${good.slice(0, -1)}${good.endsWith('a') ? 'b' : 'a'}`,
      'ck_live_x',
      'x'.repeat(5_000),
    ];
    const answers = await Promise.all(
      guesses.map(async (key) => about(await ask('/api/v1/signals', { authorization: `Bearer ${key}` }))),
    );
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(401);
  });

  it('given a resource of another account, then the response is the same as for a missing one', async () => {
    const [asha, vikram] = await Promise.all(
      ['asha', 'vikram'].map(async (sub) => ({ authorization: `Bearer ${await test.issuer.token({ sub })}` })),
    );
    const payload = { target: { type: 'signal', slug: 'slug-one' }, channel: 'inbox' };
    const created = await test.site.server.inject({
      method: 'POST',
      url: '/api/v1/follow',
      headers: asha ?? {},
      payload,
    });
    expect(created.statusCode).toBe(201);
    const theirs = await ask(`/api/v1/follow/${created.json().follow.id}`, vikram, 'DELETE');
    const nobodys = await ask('/api/v1/follow/fol_0000000000000000', vikram, 'DELETE');
    expect(about(theirs)).toEqual(about(nobodys));
    expect(theirs.statusCode).toBe(404);
  });
});

describe('evading the rate limits', () => {
  const used = async (server: FastifyInstance, url: string, forwarded: string, remoteAddress = '198.51.100.7') => {
    const { headers } = await server.inject({
      url,
      remoteAddress,
      headers: { 'x-forwarded-for': forwarded, 'x-real-ip': forwarded, forwarded: `for=${forwarded}` },
    });
    return Number(headers['x-ratelimit-remaining']);
  };

  it('given an invented X-Forwarded-For, then the address of the socket counts', async () => {
    const left: number[] = [];
    for (const address of ['203.0.113.1', '203.0.113.2', '10.0.0.1'])
      left.push(await used(test.site.server, HEALTH, address));
    expect(left).toEqual([59, 58, 57]);
  });

  it('given one trusted proxy, then the address that it saw counts, whatever its client wrote in front of it', async () => {
    const { database, store } = test.site.engine;
    const configuration = { BASE_URL, TRUST_PROXY: '1' };
    const server = await buildServer({
      database,
      store,
      configuration,
      access: openAccess({ database, configuration }),
    });
    const left: number[] = [];
    for (const [n, real] of ['198.51.100.9', '198.51.100.9', '198.51.100.10'].entries())
      left.push(await used(server, HEALTH, `203.0.113.${n}, ${real}`, '10.0.0.1'));
    await server.close();
    expect(left).toEqual([59, 58, 59]);
  });

  it('given other spellings of an address, then they count as one', async () => {
    const { database, store } = test.site.engine;
    const configuration = { BASE_URL, TRUST_PROXY: undefined };
    const server = await buildServer({
      database,
      store,
      configuration,
      access: openAccess({ database, configuration }),
    });
    const left: number[] = [];
    for (const url of [HEALTH, `${HEALTH}/`, `${HEALTH}?x=1`, '/api/v1/sources/%68ealth'])
      left.push(await used(server, url, ''));
    await server.close();
    expect(left).toEqual([59, 58, 57, 56]);
  });

  it('given other spellings of a key, then they belong to the same account or none', async () => {
    const key = await test.key();
    const left = async (headers: Record<string, string>) =>
      (await ask('/api/v1/signals', headers)).headers['x-ratelimit-remaining'];
    expect(await left({ authorization: `Bearer ${key}` })).toBe('99');
    expect(await left({ authorization: `bearer  ${key}` })).toBe('98');
    expect(await left({ 'x-api-key': key })).toBe('97');
    expect((await ask('/api/v1/signals', { authorization: `Bearer ${key.toUpperCase()}` })).statusCode).toBe(401);
  });

  it('given any X-Forwarded-For, then no client counts as another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 40 }), async (text) => {
        await test.forgetCalls();
        const { headers } = await test.site.server.inject({
          url: HEALTH,
          headers: { 'x-forwarded-for': text.replace(/[^\x20-\x7e]/g, '') },
        });
        expect(headers['x-ratelimit-remaining']).toBe('59');
      }),
      { numRuns: 15 },
    );
  });
});
