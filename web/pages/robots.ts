/** GET /robots.txt: what robots may read, and where everything is listed. */
import type { FastifyInstance } from 'fastify';
import type { Site } from '../site.ts';

/** What belongs to a person, and lists of lists that lead nowhere new. */
const CLOSED = ['/api/', '/mcp', '/oidc/', '/inbox', '/keys', '/account', '/operate', '/sign-in', '/*?*cursor='];

export function robotsPage(server: FastifyInstance, { baseUrl }: Site): void {
  const lines = [
    'User-agent: *',
    'Allow: /',
    ...CLOSED.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${baseUrl}/sitemap.xml`,
  ];
  server.get('/robots.txt', async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send(`${lines.join('\n')}\n`),
  );
}
