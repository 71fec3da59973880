/** The static files of pages: one style sheet, the scripts, the icon. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const STYLES = ['tokens', 'base', 'ledger', 'signal', 'parts', 'tables', 'charts', 'forms', 'people', 'print'];

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly version: string;
}

const asset = (path: string, type: string, text: string): Asset => ({
  path,
  type,
  text,
  version: createHash('sha256').update(text).digest('hex').slice(0, 10),
});

/** Removes comments and blanks from a style sheet. */
const minified = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};]) ?/g, '$1')
    .replace(/;}/g, '}');

const style = asset('/site.css', 'text/css', minified(STYLES.map((name) => read(`styles/${name}.css`)).join('\n')));
const script = asset('/site.js', 'text/javascript', read('site.js'));
const askScript = asset('/ask.js', 'text/javascript', read('ask.js'));
const icon = read('favicon.svg');

/** The address changes with the content, so that browsers may cache it forever. */
const addressOf = ({ path, version }: Asset): string => `${path}?v=${version}`;

/** Address of the style sheet. */
export const STYLESHEET = addressOf(style);
/** Address of the script. Every page works without it. */
export const SCRIPT = addressOf(script);

/** Address of the script of the pages with questions. */
export const ASK_SCRIPT = addressOf(askScript);

/** Serves the static files. */
export function registerAssets(server: FastifyInstance): void {
  for (const { path, type, text, version } of [style, script, askScript])
    server.get<{ Querystring: { v?: unknown } }>(path, async (request, reply) => {
      // Only the current version may be cached: this process does not have the text of others.
      const kept = request.query.v === version;
      reply.header('cache-control', kept ? 'public, max-age=31536000, immutable' : 'no-cache');
      return reply.type(`${type}; charset=utf-8`).send(text);
    });
  server.get('/favicon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml; charset=utf-8').send(icon),
  );
}
