/** GET /developers/changelog?page: the changes that users notice, the newest first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Markup } from '../../presentation/markup.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readParameters } from '../../schemas/parameters.ts';
import { showPage } from '../layout.ts';
import { markdown } from '../markdown.ts';
import { subject } from '../parts.ts';
import type { Site } from '../site.ts';

const FILE = join(import.meta.dirname, '../../CHANGELOG.md');
/** Characters of Markdown on one page of changes: with the style sheet it stays well under 60 KB. */
const CHANGES_PER_PAGE = 18_000;

/**
 * Cuts the changelog into pages, before an entry or a heading. A page that begins within a section repeats the headings above it.
 */
export function changelogPages(text: string, maximum = CHANGES_PER_PAGE): string[] {
  const pages: string[][] = [[]];
  let size = 0;
  let headings: string[] = [];
  for (const block of text.split(/\n(?=#{2,3} |- )/)) {
    const level = /^(#{2,3}) /.exec(block)?.[1]?.length ?? null;
    if (size > 0 && size + block.length > maximum) {
      pages.push(level === null ? [...headings] : headings.slice(0, level - 2));
      size = 0;
    }
    if (level !== null) headings = [...headings.slice(0, level - 2), block.split('\n')[0] ?? ''];
    pages.at(-1)?.push(block);
    size += block.length;
  }
  return pages.map((blocks) => blocks.join('\n'));
}

const ChangelogQuery = z.strictObject({ page: z.coerce.number().int().min(1).max(1_000).default(1) });

/** The changes that users notice, the newest first, in pages. 404 for a page that there is not. */
export function changelogPage(server: FastifyInstance, site: Site): void {
  // The heading of the page replaces the first heading.
  const pages = changelogPages(readFileSync(FILE, 'utf8').replace(/^# .*\n/, ''));
  server.get('/developers/changelog', async (request, reply) => {
    const { page } = readParameters(ChangelogQuery, request.query);
    const text = pages[page - 1];
    if (text === undefined) throw new Refusal('not_found', `The changes have ${pages.length} pages.`);
    const link = (to: number, words: string): Markup | null =>
      pages[to - 1] === undefined ? null : html`<a href="/developers/changelog?page=${to}">${words}</a>`;
    return showPage(reply, site, {
      title: 'Changes',
      description: 'What changed in the API, the pages and the tools of Clarity, newest first.',
      path: '/developers/changelog',
      body: html`${subject(html`<a href="/developers">Developers</a>`, 'Changes')}
        <div class="prose">${markdown(text)}<p>${link(page - 1, 'Newer changes')} ${link(page + 1, 'Older changes')}</p></div>`,
    });
  });
}
