/** No credential is ever logged, not even when everything fails. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccess } from '../../access/access.ts';
import { newKey } from '../../access/api-keys.ts';
import { buildServer } from '../../api/server.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { readConfiguration } from '../../schemas/configuration.ts';
import { type TestDatabase, testDatabase } from '../harness/database.ts';

const { key } = newKey();
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhc2hhIn0.c2lnbmF0dXJl';
const COOKIE = 'session=s3cr3t-of-a-session';
const SECRETS = [key, key.slice(-12), TOKEN, COOKIE, 'hunter2', 'asha@example.com'];
const lines: string[] = [];
let test: TestDatabase;

beforeAll(async () => {
  // Without tables every query fails, and every failure is logged.
  test = await testDatabase();
});
afterAll(() => test.close());

describe('the log', () => {
  it('given calls with keys, tokens and cookies while the database fails, then only request ids, routes and reasons are logged', async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const configuration = readConfiguration({ OIDC_ISSUER: 'http://127.0.0.1:1' });
    const { database } = test;
    const store = postgresEventStore(database);
    const server = await buildServer({
      database,
      store,
      configuration,
      access: openAccess({ database, configuration }),
      logger: pino({ level: 'trace' }, sink),
    });
    const authorizations = [`Bearer ${key}`, `Bearer ${TOKEN}`, 'Basic YXNoYTpodW50ZXIy'];
    const calls = authorizations.flatMap((authorization, index) =>
      ['/api/v1/signals', `/api/v1/signals?key=${key}`, `/api/v1/brands/${key}`, '/api/v1/keys', '/nowhere'].map(
        (url) => ({
          method: 'GET' as const,
          url,
          headers: { authorization, 'x-api-key': key, cookie: COOKIE, 'x-request-id': `call-${index}` },
        }),
      ),
    );
    for (const call of calls) await server.inject(call);
    await server.inject({
      method: 'POST',
      url: '/api/v1/keys/applications',
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: { email: 'asha@example.com' },
    });
    await server.close();
    await store.close();
    const text = lines.join('');
    expect(lines.filter((line) => JSON.parse(line).msg === 'a request failed').length).toBeGreaterThan(0);
    expect(lines.filter((line) => JSON.parse(line).msg === 'answered')).toHaveLength(calls.length + 1);
    expect(text).toContain('"request_id":"call-2"');
    expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
  });
});
