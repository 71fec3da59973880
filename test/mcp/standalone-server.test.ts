/** MCP in a separate process: the same endpoint without the API. */
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Identify } from '../../access/authorise.ts';
import { ANONYMOUS } from '../../access/caller.ts';
import { invalidKey } from '../../access/http-refusal.ts';
import type { ToolCalls } from '../../access/quota/tool-calls.ts';
import type { Database } from '../../log/postgres/database.ts';
import { mcpSurface, standaloneServer } from '../../mcp/mcp-surface.ts';
import { createNameLookup } from '../../mcp/tool.ts';
import { CATALOGUE } from './small-record.ts';

const BASE_URL = 'https://clarity.example';
const FREE = { fits: true, windows: [], at: new Date() };
const calls: ToolCalls = { count: async () => FREE, giveBack: async () => undefined, peek: async () => FREE };
const given: unknown[] = [];
/** A database that is down: every tool fails on our side. */
const database = {
  query: async () => {
    throw new Error('the password of the database is hunter2');
  },
} as unknown as Database;

const identify: Identify = async ({ authorization }) => {
  if (authorization !== undefined) throw invalidKey();
  return ANONYMOUS;
};
let server: Awaited<ReturnType<typeof standaloneServer>>;
beforeAll(async () => {
  const surface = mcpSurface({
    context: { ...createNameLookup(CATALOGUE), database, baseUrl: BASE_URL, now: () => new Date() },
    identify,
    calls: { ...calls, giveBack: async (charged) => void given.push(charged) },
    signIn: { kind: 'off', why: 'Signing in is off here.' },
  });
  const logger = pino({ level: 'silent' });
  server = await standaloneServer({ configuration: { BASE_URL, TRUST_PROXY: undefined }, logger, surface, identify });
});
afterAll(() => server.close());

const post = (url: string, message: object) =>
  server.inject({
    method: 'POST',
    url,
    headers: {
      host: 'clarity.example',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, ...message },
  });

describe('a server of MCP alone', () => {
  it('given the list of tools, then it answers with the headers that the API has', async () => {
    const answer = await post('/mcp', { method: 'tools/list' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('"latest_moves"');
    expect(answer.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^req_/),
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.any(String),
    });
    expect((await server.inject({ url: '/.well-known/mcp.json' })).statusCode).toBe(200);
    expect((await server.inject({ url: '/api/v1/signals' })).statusCode).toBe(404);
  });

  it('given a bad key, then documents are refused too', async () => {
    const headers = { authorization: 'Bearer ck_live_none' };
    for (const url of ['/mcp/server-card', '/.well-known/mcp.json', '/.well-known/ai-catalog.json'])
      expect([url, (await server.inject({ url, headers })).statusCode]).toEqual([url, 401]);
  });

  it('given a database that is down, then the tool reports that without the message of the database, and the call does not count', async () => {
    const answer = await post('/mcp', { method: 'tools/call', params: { name: 'latest_moves', arguments: {} } });
    expect(answer.body).toMatch(/"isError":true/);
    expect(answer.body).toMatch(/The service failed; the call was not counted\. .*req_/);
    expect(answer.body).not.toContain('hunter2');
    expect(given).toEqual([FREE]);
  });

  it('given a service where nobody can sign in, then the account endpoint says why and names no metadata', async () => {
    const answer = await post('/mcp/account', { method: 'tools/list' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, -32001]);
    expect(answer.json().error.message).toContain('Signing in is off here.');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="clarity"');
    expect((await server.inject('/.well-known/oauth-protected-resource/mcp/account')).statusCode).toBe(404);
  });
});
