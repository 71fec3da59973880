/** GET /about, /contact, /privacy and /terms, the manifest with icons, the browser's search and the worker. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { escapeXml, type Markup } from '../../presentation/markup.ts';
import { picturesOf } from '../cards/paint.ts';
import { ICON, showPage } from '../layout.ts';
import { markdown } from '../markdown.ts';
import { subject } from '../parts.ts';
import type { Site } from '../site.ts';

interface TextPage {
  readonly name: 'about' | 'contact' | 'privacy' | 'terms';
  readonly title: string;
  readonly description: string;
  /** Markdown, where the operators have no text of their own. */
  text(site: Site): string;
}

const write = ({ contact }: Site): string =>
  contact === null
    ? 'The operators have not set an address yet; each entry has a form for mistakes.'
    : `Write to ${contact}.`;

const PAGES: readonly TextPage[] = [
  {
    name: 'about',
    title: 'About',
    description: 'What the record has, how it is made, and how right it is.',
    text: () =>
      `Clarity records what happens in Indian retail and consumer business: stores, deals, people, results, launches, strategy and rules. Each entry is one event with its date, its outlets and a link to the report.

Reports are read from feeds and public pages of outlets. Facts are published when the text proves them or readers agree; what is doubtful waits for an operator. Headlines are quoted with their source and lead to it.

[Quality](/quality) says how right the record is, [corrections](/corrections) what was changed, and [sources](/sources) where it comes from.`,
  },
  {
    name: 'contact',
    title: 'Contact',
    description: 'How to reach the operators: mistakes, plans, sources, rights.',
    text: (site) =>
      `${write(site)}

- A mistake in an entry: "Report a mistake" on its page is read first.
- A plan or a key: see [plans](/plans).
- A source that is missing: propose it on [sources](/sources).
- Rights in a text, or personal data: name the address of the page.`,
  },
  {
    name: 'privacy',
    title: 'Privacy',
    description: 'Which personal data the service stores, why, and how it is deleted.',
    text: (site) =>
      `Reading needs no account, and no page loads anything from other companies. There are no advertising or tracking cookies.

- An account stores its e-mail address, what it follows and saves, its name in team lists, its keys and its questions. A cookie holds the session.
- Network addresses are used to count requests against limits, in memory, and are not stored with what was read.
- Mails are sent only where a reader asked for them; those that repeat have a link that ends them. The address that a reader leaves with a report of a mistake is used for one mail.
- An account and its data are deleted on request; what is personal in the log is encrypted with a key that is then destroyed.

${write(site)}`,
  },
  {
    name: 'terms',
    title: 'Terms',
    description: 'What readers may do with the record, and what the operators promise.',
    text: (site) =>
      `- Entries may be quoted and linked with their source. Headlines and reports belong to their publishers.
- The record is made with care and is no advice: check the report before you act on a figure.
- Keys and plans have [limits](/plans). Calls beyond them are refused, not charged.
- The service may change; changes of the API are announced in [changes](/developers/changelog).

${write(site)}`,
  },
];

/** The text of the operators where they have one. */
async function textOf(page: TextPage, site: Site): Promise<string> {
  const own =
    site.texts === null ? null : await readFile(join(site.texts, `${page.name}.md`), 'utf8').catch(() => null);
  return own ?? page.text(site);
}

const body = (title: string, text: string): Markup =>
  html`${subject(null, title)}<div class="prose">${markdown(text)}</div>`;

const MANIFEST = {
  name: 'Clarity: Indian retail, on the record',
  short_name: 'Clarity',
  start_url: '/brief',
  scope: '/',
  display: 'minimal-ui',
  background_color: '#fdfcf9',
  theme_color: '#7c1618',
  icons: [
    { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: '/icon.png', sizes: '512x512', type: 'image/png' },
  ],
};

const openSearch = (baseUrl: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Clarity</ShortName><Description>Search the record of Indian retail</Description><InputEncoding>UTF-8</InputEncoding><Image width="32" height="32" type="image/svg+xml">${escapeXml(baseUrl)}/favicon.svg</Image><Url type="text/html" template="${escapeXml(baseUrl)}/?q={searchTerms}"/></OpenSearchDescription>`;

export function aboutPages(server: FastifyInstance, site: Site): void {
  for (const page of PAGES)
    server.get(`/${page.name}`, async (_request, reply) => {
      const { title, description, name } = page;
      return showPage(reply, site, {
        title,
        description,
        path: `/${name}`,
        body: body(title, await textOf(page, site)),
      });
    });
  const daily = { 'cache-control': 'public, max-age=86400' };
  server.get('/manifest.webmanifest', async (_request, reply) =>
    reply.headers(daily).type('application/manifest+json; charset=utf-8').send(JSON.stringify(MANIFEST)),
  );
  server.get('/opensearch.xml', async (_request, reply) =>
    reply.headers(daily).type('application/opensearchdescription+xml; charset=utf-8').send(openSearch(site.baseUrl)),
  );
  const picture = picturesOf(server);
  server.get('/icon.png', async (_request, reply) =>
    reply
      .headers(daily)
      .type('image/png')
      .send(await picture('icon', ICON.replace('<svg ', '<svg width="512" height="512" '))),
  );
  const worker = readFileSync(join(import.meta.dirname, '../worker.js'), 'utf8');
  server.get('/worker.js', async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': "default-src 'none'; connect-src 'self'" })
      .type('text/javascript; charset=utf-8')
      .send(worker),
  );
}
