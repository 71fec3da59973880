/** The few files that pages name: one style sheet, the icon, the rules for robots. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

const css = ['tokens', 'frame', 'feed', 'pages', 'print'].map((name) => read(`styles/${name}.css`)).join('\n');
const icon = read('favicon.svg');
const version = createHash('sha256').update(css).digest('hex').slice(0, 10);

/** Address of the style sheet; it changes with its content, so that browsers may keep it for ever. */
export const STYLESHEET = `/site.css?v=${version}`;

const ROBOTS = `User-agent: *\nAllow: /\nDisallow: /api/\n`;

/** Serves them. */
export function assets(server: FastifyInstance): void {
  server.get<{ Querystring: { v?: unknown } }>('/site.css', async (request, reply) => {
    // Only the address with this very version may be kept: another's text is not known here.
    const kept = request.query.v === version;
    reply.header('cache-control', kept ? 'public, max-age=31536000, immutable' : 'no-cache');
    return reply.type('text/css; charset=utf-8').send(css);
  });
  server.get('/favicon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml; charset=utf-8').send(icon),
  );
  server.get('/robots.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(ROBOTS));
}
