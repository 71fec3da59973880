/** What programs find before they connect, and what hosts read in addition to tools. */
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolCalls } from '../../access/quota/tool-calls.ts';
import { aiCatalog, manifest, mcpSurface, registeredName, serverCard } from '../../mcp/mcp-surface.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { TOOLS } from '../../mcp/tool-list.ts';
import { CARD_URI, SIGNAL_CARD } from '../../mcp/tools/get-signal.ts';
import registry from '../../server.json' with { type: 'json' };

const BASE_URL = 'https://clarity.example';
const SIGN_IN = { kind: 'external', issuer: 'https://issuer.example' } as const;

let server: FastifyInstance;
beforeAll(async () => {
  server = Fastify();
  const unused = (): never => {
    throw new Error('documents send no request');
  };
  server.register(
    mcpSurface({
      context: { baseUrl: BASE_URL } as ToolContext,
      identify: unused,
      calls: { count: unused, giveBack: unused, peek: unused } satisfies ToolCalls,
      signIn: SIGN_IN,
    }),
  );
  await server.ready();
});
afterAll(() => server.close());

describe('the documents', () => {
  it.each([
    ['/mcp/server-card', 'application/mcp-server-card+json', serverCard(BASE_URL, SIGN_IN)],
    ['/.well-known/mcp/server-card.json', 'application/mcp-server-card+json', serverCard(BASE_URL, SIGN_IN)],
    ['/.well-known/mcp.json', 'application/json', manifest(BASE_URL, SIGN_IN)],
    ['/.well-known/mcp/catalog.json', 'application/json', aiCatalog(BASE_URL)],
    ['/.well-known/ai-catalog.json', 'application/ai-catalog+json', aiCatalog(BASE_URL)],
  ])('given %s, then it is public, as %s', async (url, type, document) => {
    const answer = await server.inject(url);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(new RegExp(`^${type.replace(/[+.]/g, '\\$&')}(;|$)`));
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['cache-control']).toBe('public, max-age=3600');
    expect(answer.json()).toEqual(document);
  });

  it('given the card of the server, then it names the endpoints and protocol versions, and is valid against its schema', () => {
    const card = serverCard(BASE_URL, SIGN_IN);
    expect(card).toMatchObject({
      name: 'example.clarity/clarity',
      title: 'Clarity',
      remotes: [
        {
          type: 'streamable-http',
          url: `${BASE_URL}/mcp`,
          supportedProtocolVersions: expect.arrayContaining(['2026-07-28', '2025-11-25']),
        },
        { type: 'streamable-http', url: `${BASE_URL}/mcp/account` },
      ],
    });
    expect(String(card.description).length).toBeLessThanOrEqual(100);
    for (const url of [BASE_URL, 'http://localhost:8080', 'http://[::1]:8080'])
      expect(registeredName(url)).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  });

  it('given a service where nobody can sign in, then no document promises an account', () => {
    const off = { kind: 'off', why: 'a test' } as const;
    expect(JSON.stringify([serverCard(BASE_URL, off), manifest(BASE_URL, off)])).not.toContain('/mcp/account');
  });

  it('given the registry’s server.json, then it names the current version and endpoint', () => {
    expect(registry).toMatchObject({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      version: serverCard(BASE_URL, SIGN_IN).version,
      description: serverCard(BASE_URL, SIGN_IN).description,
    });
    expect(registry.remotes.map(({ url }) => url)).toEqual(['https://{host}/mcp', 'https://{host}/mcp/account']);
  });
});

describe('what hosts show', () => {
  it('given the icon of every tool, then it is a drawing without script', async () => {
    for (const { name } of TOOLS) {
      const answer = await server.inject(`/mcp/icons/${name}.svg`);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
      expect(answer.body).toMatch(/^<svg [^>]*><title>[\w ]+<\/title><.*<\/svg>$/);
      expect(answer.body).not.toMatch(/script|href|on\w+=/i);
    }
  });

  it('given the card of a signal, then it is one file under 40 KB that loads nothing', () => {
    const { uri, mimeType, text, meta } = SIGNAL_CARD;
    expect([uri, mimeType]).toEqual(['ui://clarity/signal-card.html', 'text/html;profile=mcp-app']);
    expect(Buffer.byteLength(text)).toBeLessThan(40_000);
    expect(meta).toMatchObject({ ui: { csp: { connectDomains: [], resourceDomains: [] } } });
    expect(text).toContain(`content="default-src 'none';`);
    expect(text).not.toMatch(/https?:\/\/|\bsrc=|@import|fetch\(|XMLHttpRequest|innerHTML|\beval\b/);
    expect(TOOLS.find(({ name }) => name === 'get_signal')?.meta).toMatchObject({ ui: { resourceUri: CARD_URI } });
  });
});
