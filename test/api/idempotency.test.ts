import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AskAnswer } from '../../schemas/ask.ts';
import { detected, understanding } from '../projector/signal-events.ts';
import { type Keyed, keyed } from './keyed.ts';

let open: Keyed;
let key: string;
beforeAll(async () => {
  open = await keyed(undefined, {}, ['brands', 'follows', 'names', 'search', 'sessions', 'investigations']);
  await open.site.append(detected('seed', { understanding: understanding({}) }));
});
afterAll(() => open.close());
beforeEach(async () => {
  await open.forgetCalls();
  key = await open.key({ plan: 'pro' });
});

const QUESTION = { messages: [{ role: 'user', content: 'What did Kiri Foods open?' }] };
const post = (url: string, payload: object, once: string, more: Record<string, string> = {}) =>
  open.site.server.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    payload,
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': once, ...more },
  });
const callsLeft = async (): Promise<number> => {
  const { headers } = await open.site.server.inject({
    url: '/api/v1/signals?limit=1',
    headers: { authorization: `Bearer ${key}` },
  });
  return Number(headers['x-ratelimit-remaining']);
};
/** Since the calls were forgotten. */
const accountsThatCalled = async (): Promise<string[]> =>
  (
    await open.site.engine.database.query<{ key: string }>(
      `SELECT key FROM access.quota_window WHERE key LIKE 'acc_% minute'`,
    )
  ).rows.map((row) => row.key.split(' ')[0] ?? '');
const sessionsBegun = async (): Promise<number> =>
  (await open.site.engine.store.readAll({ after: 0n, prefixes: ['session-'], limit: 10_000 })).events.filter(
    ({ type }) => type === 'SessionStarted',
  ).length;
const requestsOf = async (): Promise<number> =>
  (await open.site.engine.store.readAll({ after: 0n, prefixes: ['investigation-'], limit: 10_000 })).events.filter(
    ({ type }) => type === 'ResearchRequested',
  ).length;

describe('Idempotency-Key', () => {
  it('given the same request again, then the same response, executed and counted once', async () => {
    const before = await requestsOf();
    const first = await post('/research', { topic: 'Kiri Foods' }, 'a-1');
    expect(first.statusCode).toBe(200);
    const left = await callsLeft();
    const again = await post('/research', { topic: 'Kiri Foods' }, 'a-1');
    expect([again.statusCode, again.body]).toEqual([200, first.body]);
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'content-type': first.headers['content-type'],
    });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(await requestsOf()).toBe(before + 1);
    // Reading the remaining calls is itself a call.
    expect(await callsLeft()).toBe(left - 1);
  });

  it('given limits that are used up, then a repetition is still answered', async () => {
    const first = await post('/ask', QUESTION, 'full-1');
    const [account] = await accountsThatCalled();
    await open.spend(`${account} minute`, 60);
    expect((await post('/ask', QUESTION, 'full-2')).statusCode).toBe(429);
    expect((await post('/ask', QUESTION, 'full-1')).body).toBe(first.body);
  });

  it('given a question as a stream, then its frames are repeated and the session has one turn', async () => {
    const first = await post('/ask', { ...QUESTION, stream: true }, 'stream-1');
    const again = await post('/ask', { ...QUESTION, stream: true }, 'stream-1');
    expect(again.body).toBe(first.body);
    expect(again.headers['content-type']).toContain('text/event-stream');
  });

  it('given another body with the same key, then 400 and nothing is executed', async () => {
    await post('/research', { topic: 'Kiri Foods' }, 'b-1');
    const before = await requestsOf();
    const other = await post('/research', { topic: 'Maya Beauty' }, 'b-1');
    expect([other.statusCode, other.json().error]).toEqual([400, 'invalid_request']);
    expect(other.json().message).toContain('Idempotency-Key: "b-1" was used for another request');
    expect(await requestsOf()).toBe(before);
  });

  it('given the same request ten times at once, then it is executed once and the others get 409', async () => {
    const before = await sessionsBegun();
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/ask', QUESTION, 'c-1')));
    const done = answers.filter(({ statusCode }) => statusCode === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ body }) => body)).size).toBe(1);
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 200))
      expect([answer.statusCode, answer.json().error, answer.headers['retry-after']]).toEqual([409, 'conflict', '2']);
    expect(await sessionsBegun()).toBe(before + 1);
  });

  it('given one call left and the same request ten times at once, then no caller gets the error that the limit is reached', async () => {
    await callsLeft();
    const [account] = await accountsThatCalled();
    await open.spend(`${account} minute`, 59);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/ask', QUESTION, 'last-1')));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).not.toEqual([]);
    for (const { statusCode, headers } of answers) {
      expect([200, 409]).toContain(statusCode);
      expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    }
    expect((await post('/ask', QUESTION, 'last-2')).json().error).toBe('rate_limited');
    expect((await post('/ask', QUESTION, 'last-1')).statusCode).toBe(200);
  });

  it('given a limit that is reached, then the key is free for a later attempt', async () => {
    await callsLeft();
    const [account] = await accountsThatCalled();
    await open.spend(`${account} minute`, 60);
    expect((await post('/ask', QUESTION, 'later-1')).statusCode).toBe(429);
    await open.forgetCalls();
    expect((await post('/ask', QUESTION, 'later-1')).statusCode).toBe(200);
  });

  it('given a body that is not JSON, then the key is free for a corrected request', async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'free-1' };
    const payload = '{"messages":';
    const refused = await open.site.server.inject({ method: 'POST', url: '/api/v1/ask', payload, headers });
    expect(refused.statusCode).toBe(400);
    expect((await post('/ask', QUESTION, 'free-1')).statusCode).toBe(200);
  });

  it('given a client that disconnects in the middle of its body, then the key is free for its next attempt', async () => {
    const address = await open.site.server.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    const claims = async (): Promise<number> =>
      (await open.site.engine.database.query('SELECT FROM access.idempotent_request')).rowCount ?? 0;
    const before = await claims();
    const head = ['POST /api/v1/ask HTTP/1.1', 'Host: clarity.test', `Authorization: Bearer ${key}`];
    const body = ['Idempotency-Key: left-1', 'Content-Type: application/json', 'Content-Length: 100', '', '{'];
    socket.write([...head, ...body].join('\r\n'));
    await expect.poll(claims).toBe(before + 1);
    socket.destroy();
    await expect.poll(async () => (await post('/ask', QUESTION, 'left-1')).statusCode).toBe(200);
  });

  it('given the key of another account, or another route, then it is another request', async () => {
    const mine = AskAnswer.parse((await post('/ask', QUESTION, 'd-1')).json());
    key = await open.key({ plan: 'pro' });
    const other = AskAnswer.parse((await post('/ask', QUESTION, 'd-1')).json());
    expect(other.session_id).not.toBe(mine.session_id);
    expect((await post('/research', { topic: 'Kiri Foods' }, 'd-1')).statusCode).toBe(200);
  });

  it('given an anonymous caller, then its address is the scope', async () => {
    const ask = () =>
      open.site.server.inject({
        method: 'POST',
        url: '/api/v1/ask',
        payload: QUESTION,
        headers: { 'idempotency-key': 'e-1' },
      });
    expect((await ask()).body).toBe((await ask()).body);
  });

  it('given a new API key in the answer, then it is repeated, and stored nowhere in the clear', async () => {
    const token = await open.issuer.token({ sub: 'asha@clarity.test' });
    key = token;
    await open.key({ account: 'asha@clarity.test', plan: 'pro' });
    const first = await post('/keys', { name: 'Report' }, 'f-1');
    expect(first.statusCode).toBe(201);
    const again = await post('/keys', { name: 'Report' }, 'f-1');
    expect([again.statusCode, again.json()]).toEqual([201, first.json()]);
    const { rows } = await open.site.engine.database.query(
      'SELECT q::text AS row, answer FROM access.idempotent_request q',
    );
    for (const { row, answer } of rows) {
      expect(row).not.toContain(first.json().key);
      expect(Buffer.from(answer ?? '').toString('latin1')).not.toContain(first.json().key);
    }
  });

  it.each([' ', 'a b', 'x'.repeat(256), 'é'])('given the key %j, then 400 names the header', async (bad) => {
    const answer = await post('/ask', QUESTION, bad);
    expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
  });

  it('given only an X-Request-ID that is repeated, then each request is executed', async () => {
    const ask = () =>
      open.site.server.inject({
        method: 'POST',
        url: '/api/v1/ask',
        payload: QUESTION,
        headers: { authorization: `Bearer ${key}`, 'x-request-id': 'same' },
      });
    expect((await ask()).json().session_id).not.toBe((await ask()).json().session_id);
  });
});
