/** GET /developers/changelog: the changes that users notice, newest first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { layout, sendPage } from '../../layout.ts';
import { markdown } from '../../markdown.ts';
import type { Site } from '../../site.ts';

const FILE = join(import.meta.dirname, '../../../CHANGELOG.md');

export function changelogPage(server: FastifyInstance, site: Site): void {
  // The heading of the page replaces the first heading.
  const text = readFileSync(FILE, 'utf8').replace(/^# .*\n/, '');
  server.get('/developers/changelog', async (_request, reply) =>
    sendPage(
      reply,
      await layout(site, {
        title: 'Changes · Clarity',
        description: 'What changed in the API, the pages and the tools of Clarity, newest first.',
        path: '/developers/changelog',
        body: html`<header class="subject"><p class="kicker"><a href="/developers">Developers</a></p><h1>Changes</h1></header>
        <div class="prose">${markdown(text)}</div>`,
      }),
    ),
  );
}
