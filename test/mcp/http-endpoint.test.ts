/** Access control and limits of calls, and the responses to refused calls, over real HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountOfEmail } from '../../access/account.ts';
import type { Assistant } from '../../schemas/access.ts';
import { call, from, LATEST, poster, saidBy } from './post.ts';
import { type ServingMcp, servingMcp } from './serving-mcp.ts';
import { ID, RECORD } from './small-record.ts';

const ASSISTANTS: readonly Assistant[] = [
  {
    id: 'claude',
    name: 'Claude',
    user_agent: 'Claude-User',
    addresses: ['160.79.104.0/21'],
    session_headers: [],
    session_meta: [],
  },
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    user_agent: 'openai-mcp/1.0.0',
    addresses: ['203.0.113.0/24'],
    session_headers: ['x-openai-session'],
    session_meta: ['openai/session'],
  },
];

let serving: ServingMcp;
beforeAll(async () => {
  // A header gives the client address, as behind a trusted proxy.
  serving = await servingMcp({ assistants: ASSISTANTS, proxied: true });
  await serving.site.append(...RECORD);
});
afterEach(() => serving.forgetCalls());
afterAll(() => serving.close());

const post = poster(() => serving);
const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

describe('calls without a key', () => {
  it('given 49 calls of an address today, then one more is answered and the next gets the time of its reset, in IST', async () => {
    await serving.spend('mcp ip 198.51.100.7 day', 49, new Date('2026-12-01T08:35:00Z'));
    const last = await post(call(1), from('198.51.100.7'));
    expect(last.messages[0]?.result?.isError).toBeUndefined();
    expect(last.headers.get('x-ratelimit-limit')).toBe('50');
    expect(last.headers.get('x-ratelimit-remaining')).toBe('0');
    const over = await post(call(2), from('198.51.100.7'));
    expect(over.status).toBe(200);
    expect(over.messages[0]?.result?.isError).toBe(true);
    expect(saidBy(over)).toMatch(
      /^The 50 calls a day without a key are used until 14:05:00 IST on 1 December 2026; .*\.$/,
    );
    expect(saidBy(over).match(/\. /g)).toBeNull();
    expect(over.messages[0]?.result?._meta).toMatchObject({ 'clarity/limit': { error: 'quota_exhausted', max: 50 } });
    const elsewhere = await post(call(3), from('198.51.100.8'));
    expect(elsewhere.messages[0]?.result?.isError).toBeUndefined();
  });

  it('given a full minute, then the tool returns an error and the call does not count for the day', async () => {
    await serving.spend('mcp ip 198.51.100.7 minute', 30, inAnHour());
    const over = await post(call(1), from('198.51.100.7'));
    expect(saidBy(over)).toMatch(/^The 30 calls a minute without a key are used until \d\d:\d\d:\d\d IST/);
    const { rows } = await serving.site.engine.database.query(
      `SELECT used FROM access.quota_window WHERE key LIKE '% day' AND used > 0`,
    );
    expect(rows).toEqual([]);
  });

  it('given lists, the card and pings, then they do not count', async () => {
    await serving.spend('mcp ip 198.51.100.7 day', 50, inAnHour());
    for (const [method, params] of [
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/read', { uri: 'ui://clarity/signal-card.html' }],
      ['ping', {}],
    ] as const) {
      const answer = await post({ jsonrpc: '2.0', id: 1, method, params }, from('198.51.100.7'));
      expect(answer.messages[0]?.error, method).toBeUndefined();
      expect(answer.messages[0]?.result, method).toBeDefined();
    }
  });

  it('given a signal read as a resource, then it counts as a call, and over the limit it is an error', async () => {
    const read = (id: number) =>
      post(
        { jsonrpc: '2.0', id, method: 'resources/read', params: { uri: `clarity://signal/${ID.opened}` } },
        from('198.51.100.7'),
      );
    await serving.spend('mcp ip 198.51.100.7 day', 49, inAnHour());
    const last = await read(1);
    expect(last.messages[0]?.result?.contents).toHaveLength(1);
    expect(last.headers.get('x-ratelimit-remaining')).toBe('0');
    const over = await read(2);
    expect(over.messages[0]?.result).toBeUndefined();
    expect(over.messages[0]?.error?.message).toMatch(/^The 50 calls a day without a key are used until/);
  });

  it('given a batch of calls, then each counts and only those over the limit are refused', async () => {
    await serving.spend('mcp ip 198.51.100.7 day', 48, inAnHour());
    const batch = await post([call(1), call(2), call(3)], {
      ...from('198.51.100.7'),
      'mcp-protocol-version': '2025-03-26',
    });
    const errors = Object.fromEntries(batch.messages.flat().map(({ id, result }) => [id, result?.isError ?? false]));
    expect(errors).toEqual({ 1: false, 2: false, 3: true });
    const tooMany = await post(
      Array.from({ length: 21 }, (_, id) => call(id)),
      from('198.51.100.7'),
    );
    expect([tooMany.status, tooMany.messages[0]?.error?.code]).toEqual([400, -32600]);
  });

  it('given requests of one batch with the same id, then none is executed and none counts; 1 and "1" are two ids', async () => {
    const address = from('198.51.100.9', { 'mcp-protocol-version': '2025-03-26' });
    for (const batch of [
      [call(1), call(1)],
      [call(1), { jsonrpc: '2.0', id: 1, method: 'ping' }],
      [
        { jsonrpc: '2.0', id: 'a', method: 'ping' },
        { jsonrpc: '2.0', id: 'a', method: 'tools/list' },
      ],
    ]) {
      const answer = await post(batch, address);
      expect([answer.status, answer.messages[0]?.error?.code]).toEqual([400, -32600]);
    }
    expect((await post(call(1), address)).headers.get('x-ratelimit-remaining')).toBe('49');
    const response = await post([call(1), { ...call(1), id: '1' }], address);
    expect(response.messages.flat().map(({ id, result }) => [id, result?.isError ?? false])).toEqual(
      expect.arrayContaining([
        [1, false],
        ['1', false],
      ]),
    );
    expect(response.headers.get('x-ratelimit-remaining')).toBe('47');
  });
});

describe('hosted assistants', () => {
  const CLAUDE = from('160.79.104.9', { 'user-agent': 'Claude-User' });

  it('given many users behind the address of one, then they share its 2,000 calls a day and no lower limit', async () => {
    await serving.spend('mcp ip 160.79.104.9 day', 50, inAnHour());
    await serving.spend('mcp claude assistant-day', 1_999, inAnHour());
    expect((await post(call(1), CLAUDE)).messages[0]?.result?.isError).toBeUndefined();
    expect(saidBy(await post(call(2), CLAUDE))).toMatch(
      /^The 2000 tool calls a day that all users of this assistant share/,
    );
  });

  it('given only its name, or only its address, then the caller counts as any other', async () => {
    for (const headers of [from('198.51.100.7', { 'user-agent': 'Claude-User' }), from('160.79.104.9')]) {
      await serving.spend(`mcp ip ${headers['x-forwarded-for']} day`, 50, inAnHour());
      expect(saidBy(await post(call(1), headers))).toMatch(/^The 50 calls a day/);
    }
  });

  it('given sessions that it names in a header or in _meta, then each counts on its own', async () => {
    const headers = from('203.0.113.5', { 'user-agent': 'openai-mcp/1.0.0' });
    const inMeta = (session: string) => call(1, { ...LATEST, _meta: { 'openai/session': session } });
    for (let number = 0; number < 30; number++) await post(inMeta('one'), headers);
    expect(saidBy(await post(inMeta('one'), headers))).toMatch(/^The 30 calls a minute/);
    expect((await post(inMeta('two'), headers)).messages[0]?.result?.isError).toBeUndefined();
    expect(
      (await post(call(1), { ...headers, 'x-openai-session': 'three' })).messages[0]?.result?.isError,
    ).toBeUndefined();
  });
});

describe('keys', () => {
  it('given a key, then MCP and REST count for the account together', async () => {
    const account = `${crypto.randomUUID()}@clarity.test`;
    const key = await serving.key({ account });
    await serving.spend(`${accountOfEmail(account).id} day`, 98, inAnHour());
    const first = await post(call(1), { authorization: `Bearer ${key}` });
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    const rest = await fetch(`${serving.baseUrl}/api/v1/signals`, { headers: { 'x-api-key': key } });
    expect([rest.status, rest.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
    expect(saidBy(await post(call(2), { 'x-api-key': key }))).toMatch(/^The 100 calls a day of the free plan are used/);
  });

  it('given a key that was never issued, is malformed or has expired, then 401 with an error of JSON-RPC, for every method', async () => {
    const expired = await serving.key({ expires_at: new Date(Date.now() + 500).toISOString() });
    const ids: unknown[] = [];
    await expect.poll(async () => (await post(call(1), { 'x-api-key': expired })).status).toBe(401);
    for (const key of [`ck_live_${'a'.repeat(32)}`, 'nonsense', expired])
      for (const method of ['tools/call', 'tools/list', 'initialize']) {
        const answer = await post(
          { jsonrpc: '2.0', id: 'q', method, params: LATEST },
          { authorization: `Bearer ${key}` },
        );
        expect([answer.status, answer.messages[0]?.error?.code]).toEqual([401, -32001]);
        expect(answer.messages[0]?.error?.message).toMatch(/key or sign-in token/);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
        ids.push(answer.messages[0]?.id);
      }
    expect(new Set(ids)).toEqual(new Set(['q']));
  });

  it('given a key without the scope read, then the tool says so', async () => {
    const key = await serving.key({ plan: 'pro', scopes: ['ask'] });
    expect(saidBy(await post(call(1), { 'x-api-key': key }))).toMatch(/lacks the scope "read"/);
  });

  it('given no Pro plan, then a longer comparison is refused with an explanation; with Pro it is answered', async () => {
    const args = { brands: ['Kiri Foods', 'Vastra Bazaar'], days: 30 };
    for (const [plan, isError] of [
      ['free', true],
      ['pro', undefined],
    ] as const) {
      const key = await serving.key({ plan });
      const answer = await post(call(1, { name: 'compare_brands', arguments: args }), { 'x-api-key': key });
      expect(answer.messages[0]?.result?.isError).toBe(isError);
      if (isError)
        expect(saidBy(answer)).toMatch(
          /Free is a comparison of up to 5 brands over 7 days: call compare_brands with \{/,
        );
    }
  });
});

describe('requests that are not calls', () => {
  it.each([
    ['a page of another site', 403, { headers: { origin: 'https://evil.example' }, method: 'POST', payload: call(1) }],
    [
      'a key that was never issued',
      401,
      { headers: { 'x-api-key': `ck_live_${'0'.repeat(32)}` }, method: 'POST', payload: call(1) },
    ],
    ['another type', 415, { headers: { 'content-type': 'text/plain' }, method: 'POST', payload: '{}' }],
    ['a method that is not offered', 405, { headers: {}, method: 'GET' }],
    ['another method that is not offered', 405, { headers: {}, method: 'PUT' }],
  ] as const)('given %s, then %i with the remaining calls', async (_what, status, { headers, ...rest }) => {
    const answer = await serving.site.server.inject({
      url: '/mcp',
      ...rest,
      headers: { host: new URL(serving.baseUrl).host, 'content-type': 'application/json', ...headers },
    });
    expect(answer.statusCode).toBe(status);
    // Without a key 50 calls a day are left; a key that was never issued has none.
    expect(answer.headers['x-rate-limit-remaining']).toBe(status === 401 ? '0' : '50');
    expect(answer.headers['x-ratelimit-remaining']).toBe(answer.headers['x-rate-limit-remaining']);
  });

  it.each([
    ['another site’s page', { origin: 'https://evil.example' }, 403],
    ['a page without an origin of its own', { origin: 'null' }, 403],
    ['a page of this machine', { origin: 'http://localhost:6274' }, 200],
  ])('given %s, then by its origin %o it gets %i', async (_who, headers, status) => {
    expect((await post(call(1), headers)).status).toBe(status);
  });

  it('given another host name for this address, then the request is refused', async () => {
    const answer = await serving.site.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host: 'rebound.example', 'content-type': 'application/json' },
      payload: call(1),
    });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringMatching(/BASE_URL/) } });
  });

  it('given a body that is not JSON, not an object, of another type or too large, then the JSON-RPC error says what is wrong', async () => {
    expect((await post('{')).messages[0]?.error?.code).toBe(-32700);
    expect((await post('"text"')).status).toBe(400);
    const latin = await post(
      Buffer.from(JSON.stringify(call(1, { name: 'search', arguments: { query: 'café' } })), 'latin1'),
    );
    expect([latin.status, latin.messages[0]?.error]).toEqual([
      400,
      { code: -32700, message: 'The body is not valid UTF-8.' },
    ]);
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const large = await post(call(1, { name: 'search', arguments: { query: 'x'.repeat(300_000) } }));
    expect([large.status, large.messages[0]?.error?.message]).toEqual([413, 'The body is too large.']);
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await fetch(`${serving.baseUrl}/mcp`, { method });
      expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST']);
      expect(await answer.json(), method).toMatchObject({ jsonrpc: '2.0', error: { message: 'Method not allowed.' } });
    }
  });

  it.each([
    [
      'the id',
      (deep: string) => `{"jsonrpc":"2.0","id":${deep},"method":"tools/call","params":{"name":"latest_moves"}}`,
    ],
    ['a batch', (deep: string) => `[{"jsonrpc":"2.0","id":${deep},"method":"ping"}]`],
    ['an argument', (deep: string) => JSON.stringify(call(1, { name: 'search', arguments: {} })).replace('{}', deep)],
    [
      '_meta',
      (deep: string) => JSON.stringify(call(1, { ...LATEST, _meta: {} })).replace('"_meta":{}', `"_meta":${deep}`),
    ],
    ['the body itself', (deep: string) => deep],
    ['a body that never closes', (deep: string) => deep.slice(0, 50_000)],
  ])('given %s nested 50,000 deep, then 400 says so and nothing counts', async (_where, bodyWith) => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const before = await post({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const answer = await post(bodyWith(deep));
    expect(answer.status).toBe(400);
    expect(answer.messages).toEqual([
      { jsonrpc: '2.0', error: { code: -32600, message: 'The body is nested deeper than 64 levels.' }, id: null },
    ]);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(before.headers.get('x-ratelimit-remaining'));
  });

  it('given a caller that accepts any type, as curl does, then it is answered; a client that accepts only HTML gets an explanation', async () => {
    expect((await post(call(1), { accept: '*/*' })).messages[0]?.result?.isError).toBeUndefined();
    expect((await post(call(1), { accept: 'text/html' })).status).toBe(406);
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const alone = await post(call(1), { accept: 'application/json', 'mcp-protocol-version': version });
      expect(alone.headers.get('content-type')).toMatch(/^application\/json/);
      expect(alone.messages).toMatchObject([{ id: 1, result: { structuredContent: { signals: [{}] } } }]);
    }
    const batch = await post([call(1), call(2)], { accept: 'application/json', 'mcp-protocol-version': '2025-03-26' });
    expect(
      batch.messages
        .flat()
        .map((one) => (one as { id?: unknown }).id)
        .toSorted(),
    ).toEqual([1, 2]);
  });

  it('given arguments that are null, then they count as absent', async () => {
    const answer = await post(call(1, { name: 'latest_moves', arguments: null }));
    expect(answer.messages[0]?.result?.isError).toBeUndefined();
    expect(saidBy(answer)).toMatch(/moves, newest first/);
  });

  it('given a preflight of a page of this machine, then it may send what clients send', async () => {
    const answer = await fetch(`${serving.baseUrl}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:6274');
    expect(answer.headers.get('access-control-allow-headers')).toMatch(/Authorization.*Mcp-Method/);
  });
});
