/** GET /robots.txt and /sitemap.xml with the maps that it lists: every page of the record for crawlers. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { brandPath, cityPath, element, mallPath } from '../../presentation/markup.ts';
import { signalsOfMonth, sitemapMonths } from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { entriesOf } from '../layout.ts';
import { cacheFor, namesLoader } from '../names.ts';
import type { Site } from '../site.ts';

/** Personal pages, and pages of lists without new addresses. */
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
