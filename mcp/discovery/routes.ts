/** Serves the documents of discovery, to everybody and to pages of any site. */
import type { FastifyInstance } from 'fastify';
import type { SignIn } from '../../access/sign-in.ts';
import { aiCatalog, manifest, serverCard } from './documents.ts';

const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type',
  'cache-control': 'public, max-age=3600',
};

/** Registers a route for each; the text is made once. */
export function discoveryRoutes(server: FastifyInstance, baseUrl: string, signIn: SignIn): void {
  const card = serverCard(baseUrl, signIn);
  const documents: readonly (readonly [path: string, type: string, document: unknown])[] = [
    ['/mcp/server-card', 'application/mcp-server-card+json', card],
    ['/.well-known/mcp/server-card.json', 'application/mcp-server-card+json', card],
    ['/.well-known/mcp.json', 'application/json', manifest(baseUrl, signIn)],
    ['/.well-known/mcp/catalog.json', 'application/json', aiCatalog(baseUrl)],
    ['/.well-known/ai-catalog.json', 'application/ai-catalog+json', aiCatalog(baseUrl)],
  ];
  for (const [path, type, document] of documents) {
    const text = JSON.stringify(document, null, 2);
    server.get(path, async (_request, reply) => reply.headers(OPEN).type(type).send(text));
  }
}
