/**
 * Every page of the record. GET /index: every name with a page, brands by first letter. GET /robots.txt and
 * /sitemap.xml with the maps that it lists, for crawlers.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { z } from 'zod';
import { addressWith, brandPath, cityPath, element, type Markup, mallPath } from '../../presentation/markup.ts';
import { signalsOfMonth, sitemapMonths } from '../../projector/models/signals-queries.ts';
import type { Entry } from '../../schemas/directory.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { readQuery } from '../forms.ts';
import { entriesOf, showPage } from '../layout.ts';
import { cacheFor, namesLoader } from '../names.ts';
import { listPart, part, subject } from '../parts.ts';
import type { Site } from '../site.ts';

/** Personal pages, and pages of lists without new addresses. */
const CLOSED = [
  '/api/',
  '/mcp',
  '/oidc/',
  '/my-brands',
  '/lists',
  '/keys',
  '/account',
  '/operate',
  '/sign-in',
  '/view',
  '/find',
  '/send',
  '/*?*cursor=',
];

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

/** Addresses of a map; the protocol allows 50,000. */
const MAXIMUM_ADDRESSES = 45_000;
const KEPT_SECONDS = 600;
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

const place = (kind: 'url' | 'sitemap', address: string, changed?: Date): string =>
  `<${kind}>${element('loc', address)}${changed ? element('lastmod', changed.toISOString()) : ''}</${kind}>`;
const mapOf = (kind: 'urlset' | 'sitemapindex', places: readonly string[]): string =>
  `${XML}<${kind} ${SCHEMA}>\n${places.join('\n')}\n</${kind}>\n`;

export function sitemapPage(server: FastifyInstance, site: Site): void {
  const { database, directory, gazetteer, baseUrl, now } = site;
  const months = cacheFor(KEPT_SECONDS, now, () => sitemapMonths(database));
  const loadNames = namesLoader(site);

  server.get('/sitemap.xml', async (_request, reply) => {
    const maps = (await months()).flatMap(({ month, signals, newest }) =>
      Array.from({ length: Math.ceil(signals / MAXIMUM_ADDRESSES) }, (_, page) =>
        place('sitemap', `${baseUrl}/sitemap/${month}-p${page + 1}.xml`, newest),
      ),
    );
    return sendMap(reply, mapOf('sitemapindex', [place('sitemap', `${baseUrl}/sitemap/pages.xml`), ...maps]));
  });

  server.get('/sitemap/pages.xml', async (_request, reply) => {
    const { brands, cities, themes } = await loadNames();
    const paths = [
      ...entriesOf('sections').map(({ path }) => path),
      ...themes.map(({ slug }) => `/theme/${slug}`),
      ...directory.groups.map(({ slug }) => `/group/${slug}`),
      ...cities.map(({ name }) => cityPath(name)),
      ...gazetteer.malls.map(({ name }) => mallPath(name)),
      ...brands.map(({ slug }) => brandPath(slug)),
    ];
    return sendMap(
      reply,
      mapOf(
        'urlset',
        paths.map((path) => place('url', `${baseUrl}${path}`)),
      ),
    );
  });

  server.get<{ Params: { name: string } }>('/sitemap/:name', async (request, reply) => {
    const [, month, page] = /^(\d{4}-(?:0[1-9]|1[0-2]))-p([1-9]\d{0,2})\.xml$/.exec(request.params.name) ?? [];
    const signals =
      month === undefined
        ? []
        : await signalsOfMonth(database, month, {
            offset: (Number(page) - 1) * MAXIMUM_ADDRESSES,
            limit: MAXIMUM_ADDRESSES,
          });
    if (signals.length === 0) throw new Refusal('not_found', 'No map of the record has this address.');
    const places = signals.map(({ slug, published_at }) => place('url', `${baseUrl}/signal/${slug}`, published_at));
    return sendMap(reply, mapOf('urlset', places));
  });
}

const sendMap = (reply: FastifyReply, text: string): FastifyReply =>
  reply.header('cache-control', 'public, max-age=600').type('application/xml; charset=utf-8').send(text);

/** Names listed for a letter; search finds the others. */
const MAXIMUM_NAMES = 300;
const OTHERS = '0-9';

const IndexQuery = z.object({
  letter: z
    .string()
    .regex(/^(?:[a-z]|0-9)$/)
    .describe('a letter from a to z, or 0-9')
    .optional(),
});

const letterOf = ({ name }: Entry): string => {
  const first = name.normalize('NFKD').charAt(0).toLowerCase();
  return /[a-z]/.test(first) ? first : OTHERS;
};

const nameList = (entries: readonly Entry[], pathOf: (entry: Entry) => string): Markup =>
  html`<ul class="names">${entries.slice(0, MAXIMUM_NAMES).map((entry) => html`<li><a href="${pathOf(entry)}">${entry.name}</a></li>`)}</ul>`;

const namesPart = (heading: string, entries: readonly Entry[], pathOf: (entry: Entry) => string): Markup | null =>
  listPart(heading, entries, () => nameList(entries, pathOf));

/** The brands of a letter, with links to the other letters. */
function brandsPart(brands: readonly Entry[], letter: string | undefined): Markup {
  const byLetter = Map.groupBy(brands, letterOf);
  const letters = [...byLetter.keys()].sort();
  const current = letter ?? letters.find((one) => one !== OTHERS) ?? 'a';
  const entries = byLetter.get(current) ?? [];
  const steps = letters.map(
    (one) =>
      html`<a href="/index?letter=${one}"${one === current ? html` aria-current="page"` : null} aria-label="Brands with ${one.toUpperCase()}">${one.toUpperCase()}</a> `,
  );
  return part(
    'Brands',
    html`<nav class="steps" aria-label="Letters">${steps}</nav>
        ${entries.length === 0 ? html`<p class="note">No brands with this letter have stories yet.</p>` : nameList(entries, ({ slug }) => brandPath(slug))}
        ${entries.length > MAXIMUM_NAMES ? html`<p class="note">${entries.length - MAXIMUM_NAMES} more brands have this letter: <a href="/">search</a> finds them by name.</p>` : null}`,
  );
}

export function indexPage(server: FastifyInstance, site: Site): void {
  const load = namesLoader(site);
  const introduction = html`<p>Every brand, theme, city and group of companies with a page of its own.</p>`;
  server.get('/index', async (request, reply) => {
    const { letter } = readQuery(IndexQuery, request.query);
    const { brands, themes, cities } = await load();
    const others =
      letter === undefined
        ? html`${namesPart('Groups and their results season', site.directory.groups, ({ slug }) => `/group/${slug}`)}
            ${namesPart('Themes', themes, ({ slug }) => `/theme/${slug}`)}
            ${namesPart('Cities', cities, ({ name }) => cityPath(name))}`
        : html`<p class="note"><a href="/index">Themes, cities and groups</a></p>`;
    return showPage(reply, site, {
      title: letter === undefined ? 'Index' : `Brands with ${letter.toUpperCase()}`,
      description: 'Every brand, theme, city and group of companies in the record of Indian retail.',
      path: addressWith('/index', { letter }),
      body: html`${subject(null, 'Index', introduction)}${brandsPart(brands, letter)}${others}`,
    });
  });
}
