import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shedOverload } from '../../api/plugins.ts';
import { buildServer } from '../../api/server.ts';
import { type Database, openDatabase } from '../../log/postgres/database.ts';
import { errorAnswers } from '../../presentation/http/error-answers.ts';
import { ErrorBody } from '../../schemas/resources.ts';
import { testDatabase } from '../harness/database.ts';
import { eventually } from '../harness/eventually.ts';
import { openAccess } from '../harness/open-access.ts';
import { type Serving, serving } from './serving.ts';

let site: Serving;
beforeAll(async () => {
  site = await serving();
});
afterAll(() => site.close());

const ask = (url: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' = 'GET', headers = {}) =>
  site.server.inject({ method, url, headers });

describe('errors', () => {
  it.each(['/api/v1/nothing', '/api/v1', '/api/v2/signals', '/nothing', '/api/v1/signals/a/b'])(
    'given the unknown path %s, then 404 in the common error format',
    async (url) => {
      const answer = await ask(url);
      expect(answer.statusCode).toBe(404);
      expect(ErrorBody.parse(answer.json()).error).toBe('not_found');
    },
  );

  it.each([
    '/api/v1/signals',
    '/api/v1/signals/some-slug',
    '/api/v1/sources/health',
    '/',
    '/signal/x',
    '/api/v1/signals/',
  ])('given POST to %s, then 405 with the allowed methods, whatever the body', async (url) => {
    const answer = await site.server.inject({
      method: 'POST',
      url,
      payload: '<broken',
      headers: { 'content-type': 'application/xml' },
    });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(answer.json().error).toBe('method_not_allowed');
  });

  it.each(['/api/v1/follow/inbox', '/api/v1/keys/applications'])(
    'given DELETE of %s, whose name is not an id, then 405',
    async (url) => {
      const answer = await site.server.inject({ method: 'DELETE', url });
      expect([answer.statusCode, answer.json().error]).toEqual([405, 'method_not_allowed']);
      expect(answer.headers.allow).toMatch(/^GET, HEAD, OPTIONS/);
    },
  );

  it('given OPTIONS, then the allowed methods, and 404 for an unknown path', async () => {
    const answer = await ask('/sources', 'OPTIONS');
    expect([answer.statusCode, answer.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect((await ask('/nothing', 'OPTIONS')).statusCode).toBe(404);
  });

  /** What a server says that reads from another database, and what its log says. */
  async function answerFrom(database: Database) {
    const lines: string[] = [];
    const server = await buildServer({
      database,
      store: site.engine.store,
      configuration: { BASE_URL: 'http://clarity.test', TRUST_PROXY: undefined },
      access: openAccess(),
      logger: pino({}, { write: (line) => void lines.push(line) }),
    });
    const answer = await server.inject({ url: '/api/v1/signals', headers: { 'x-request-id': 'mine-1' } });
    await server.close();
    await database.end();
    return { answer, log: lines.join() };
  }

  it('given an internal error, then 500 has only the request id, and the log has the details', async () => {
    const withoutRights = new URL(site.engine.url);
    withoutRights.searchParams.set('options', '-c role=pg_monitor');
    const { answer, log } = await answerFrom(openDatabase(withoutRights.href));
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({ error: 'server_error', message: expect.stringContaining('mine-1') });
    expect(answer.body).not.toMatch(/read\.|schema|denied/);
    expect(log).toMatch(/permission denied for schema projector/);
    expect(log).toContain('mine-1');
  });

  it('given read models that are not built yet, or lack a column of this release, then 503 says so', async () => {
    const empty = openDatabase(new URL('/postgres', site.engine.url).href);
    const earlier = await testDatabase();
    await earlier.database.query('CREATE SCHEMA read; CREATE VIEW read.signals AS SELECT 1 AS key');
    for (const database of [empty, openDatabase(earlier.url)]) {
      const { answer, log } = await answerFrom(database);
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toEqual({
        error: 'unavailable',
        message: expect.stringContaining('is still being built. Retry in 30 seconds'),
      });
      expect(answer.headers).toMatchObject({ 'retry-after': '30' });
      expect(log).toMatch(/(relation|column) .* does not exist/);
    }
    await earlier.close();
  });

  it('given an unreachable database, then 503 with Retry-After, and the log has the reason', async () => {
    const { answer, log } = await answerFrom(openDatabase('postgres://nobody:secret@127.0.0.1:1/none'));
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({ error: 'unavailable', message: expect.stringContaining('Retry in 5 seconds') });
    expect(answer.headers).toMatchObject({
      'retry-after': '5',
      'x-request-id': 'mine-1',
      'x-ratelimit-remaining': '0',
      'x-rate-limit-remaining': '0',
    });
    expect(answer.body).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres/);
    expect(log).toContain('ECONNREFUSED');
    expect(log).not.toContain('secret');
  });

  it('given more requests than can be answered at once, then the last ones get 503, and later ones are accepted again', async () => {
    const server = await buildServer({
      database: site.engine.database,
      store: site.engine.store,
      configuration: { BASE_URL: 'http://clarity.test', TRUST_PROXY: undefined },
      access: openAccess(),
      capacity: { maximum: 3, maximumLate: 3, wait: 60_000 },
    });
    const ask = () => server.inject('/api/v1/signals');
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3);
    expect(refused).toHaveLength(7);
    expect(refused[0]?.json().error).toBe('unavailable');
    expect(refused.every(({ headers }) => headers['retry-after'] === '1')).toBe(true);
    expect((await Promise.all([ask(), ask(), ask()])).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    await server.close();
  });

  it('given requests that wait for long, then the next are refused; given a short burst, then all are accepted', async () => {
    let passed = 0;
    const server = Fastify();
    errorAnswers(server);
    shedOverload(server, { maximum: 1_000, maximumLate: 2, wait: 2_000 }, () => passed);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    server.get('/slow', () => gate.then(() => 'done'));
    const slow = [server.inject('/slow'), server.inject('/slow'), server.inject('/slow')];
    await eventually(async () => expect(await server.inject('/none')).toMatchObject({ statusCode: 404 }));
    passed = 2_001;
    expect((await server.inject('/slow')).statusCode).toBe(503);
    open();
    expect((await Promise.all(slow)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await server.inject('/slow')).statusCode).toBe(200);
    await server.close();
  });

  it('given bytes that are not HTTP, then 400 in the common error format, written directly to the socket', async () => {
    await site.server.listen({ port: 0, host: '127.0.0.1' });
    const address = site.server.server.address();
    const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/X-Request-ID: req_[0-9a-f]{16}/);
    expect(ErrorBody.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).error).toBe('invalid_request');
  });
});

describe('headers of every answer', () => {
  it.each(['/', '/api/v1/signals', '/nothing', '/api/v1/signals?x=1', '/site.css', '/robots.txt', '/%zz'])(
    'given %s, then it has a request id and the security headers',
    async (url) => {
      const { headers } = await ask(url);
      expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{16}$/);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers['strict-transport-security']).toBeUndefined();
    },
  );

  it.each([
    ['my-request.1', 'my-request.1'],
    ['a'.repeat(128), 'a'.repeat(128)],
    ['a'.repeat(129), /^req_/],
    ['two words', /^req_/],
    ['<script>', /^req_/],
    ['', /^req_/],
  ])('given the request id %s from the client, then it is kept only when it is well formed', async (sent, expected) => {
    const { headers } = await ask('/api/v1/signals', 'GET', { 'x-request-id': sent });
    expect(headers['x-request-id']).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  it('given a page of another origin, then it may read the API and gets the CORS headers', async () => {
    const preflight = await ask('/api/v1/signals', 'OPTIONS', { 'access-control-request-method': 'GET' });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
    expect((await ask('/api/v1/nothing')).headers['access-control-allow-origin']).toBe('*');
    expect((await ask('/')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('given https, then the response has Strict-Transport-Security', async () => {
    const secure = await buildServer({
      database: site.engine.database,
      store: site.engine.store,
      configuration: { BASE_URL: 'https://clarity.test', TRUST_PROXY: '1' },
      access: openAccess(),
    });
    const { headers } = await secure.inject('/api/v1/signals');
    await secure.close();
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});
