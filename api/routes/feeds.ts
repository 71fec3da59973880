/** Feeds: /feed.rss, /feed.atom, /feed.json, and the same under /brand/{slug} and /theme/{slug}. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findPublicBrand, listPage } from '../../presentation/public-records.ts';
import { findTheme } from '../../projector/models/themes-queries.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { NoParameters, readParameters } from '../../schemas/parameters.ts';
import { type ErrorCode, SignalItem } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import { signalExample } from '../description/examples.ts';
import { FEED_WRITERS, type FeedContent, type FeedFormat, JsonFeed } from '../feed-formats.ts';
import type { Answer, Operation, RouteContext } from '../route.ts';

// Feeds and documents outside /api/v1.

const RSS = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Clarity</title></channel></rss>
`;
const ATOM = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Clarity</title></feed>
`;
const SITE = 'https://clarity.example';
const JSON_FEED: JsonFeed = {
  version: 'https://jsonfeed.org/version/1.1',
  title: 'Clarity',
  home_page_url: `${SITE}/`,
  feed_url: `${SITE}/feed.json`,
  description: 'Moves in Indian retail: every one dated and with its source.',
  language: 'en-IN',
  authors: [{ name: 'Clarity' }],
  items: [
    {
      id: signalExample.id,
      url: signalExample.url,
      title: signalExample.headline,
      content_text: 'Kiri Foods opened 40 stores in Pune. Source: Daily Trade and 2 more.',
      date_published: signalExample.published_at,
      tags: ['stores', 'Kiri Foods', 'Pune'],
    },
  ],
};

const FORMS = [
  { ending: 'rss', name: 'RSS', type: 'application/rss+xml', example: RSS },
  { ending: 'atom', name: 'Atom', type: 'application/atom+xml', example: ATOM },
  {
    ending: 'json',
    name: 'JSON Feed',
    type: 'application/feed+json',
    example: { schema: JsonFeed, example: JSON_FEED },
  },
] as const;

/** Of what is limited as pages are. */
const LIMITED: readonly ErrorCode[] = ['invalid_request', 'rate_limited'];

const PLACES = [
  { path: '', of: '', what: 'the whole record' },
  { path: '/brand/{slug}', of: 'Brand', what: 'one brand' },
  { path: '/theme/{slug}', of: 'Theme', what: 'one theme' },
] as const;

const retired: Record<number, Answer> = {
  301: { description: 'The slug was retired.', headers: { Location: 'Address of the successor' } },
};

const feeds: Operation[] = PLACES.flatMap(({ path, of, what }) =>
  FORMS.map(
    ({ ending, name, type, example }): Operation => ({
      method: 'get',
      path: `${path}/feed.${ending}`,
      id: `get${of}Feed${ending[0]?.toUpperCase()}${ending.slice(1)}`,
      tag: 'Feeds',
      summary: `The 50 latest moves of ${what} as ${name}`,
      description: 'Parameters that begin with `utm_` are ignored. Every site may read it.',
      access: 'anonymous',
      isLimited: false,
      ...(of
        ? { pathParameters: { slug: { description: `Slug of the ${of.toLowerCase()}`, example: 'kiri-foods' } } }
        : {}),
      answers: { 200: { description: 'The feed.', others: { [type]: example } }, ...(of === 'Brand' ? retired : {}) },
      errors: of ? [...LIMITED, 'not_found'] : LIMITED,
    }),
  ),
);

export const DOCUMENT_OPERATIONS: readonly Operation[] = [
  ...feeds,
  {
    method: 'get',
    path: '/.well-known/openapi.yaml',
    id: 'getDescription',
    tag: 'Documents',
    summary: 'This description',
    description: 'The same wherever the service runs: its addresses begin at the root of the server.',
    access: 'anonymous',
    isLimited: false,
    answers: { 200: { description: 'OpenAPI 3.1.', others: { 'application/yaml': 'openapi: 3.1.1\n' } } },
    errors: ['invalid_request'],
  },
  {
    method: 'get',
    path: '/llms.txt',
    id: 'getGuide',
    tag: 'Documents',
    summary: 'A guide to the service for language models',
    description: 'What the service has, and at which addresses.',
    access: 'anonymous',
    isLimited: false,
    answers: { 200: { description: 'Plain text in Markdown.', others: { 'text/plain': '# Clarity\n' } } },
    errors: LIMITED,
  },
];

// /feed.rss, /feed.atom, /feed.json, and the same under /brand/{slug} and /theme/{slug}.

const ENTRIES = 50;
type About = Pick<FeedContent, 'title' | 'description' | 'page'> & { brand?: readonly string[]; theme?: string };
type WithSlug = FastifyRequest<{ Params: { slug: string } }>;

/** Feed readers and newsletters add parameters that measure visits; they change nothing. */
const checkQuery = (query: unknown): void =>
  void readParameters(
    NoParameters,
    Object.fromEntries(Object.entries(query as object).filter(([name]) => !name.startsWith('utm_'))),
  );

/** Answers the 50 latest moves; 404 for what is not there, 301 for a retired slug of a brand. */
export function feedRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, baseUrl, now } = context;

  async function send(reply: FastifyReply, { ending, type, write }: FeedFormat, about: About): Promise<FastifyReply> {
    const { title, description, page, brand, theme } = about;
    const { documents } = await listPage(database, { brand, theme, limit: ENTRIES });
    const signals = documents.map((document) => SignalItem.parse(JSON.parse(document)));
    const updated = signals[0]?.published_at ?? now().toISOString();
    const self = `${page.replace(/\/$/, '')}/feed.${ending}`;
    const text = write({ title, description, page, self, updated, signals });
    return reply.header('cache-control', 'public, max-age=60').type(`${type}; charset=utf-8`).send(text);
  }

  for (const form of FEED_WRITERS) {
    server.get(`/feed.${form.ending}`, async (request, reply) => {
      checkQuery(request.query);
      const description = 'Moves in Indian retail: every one dated and with its source.';
      return send(reply, form, { title: 'Clarity', description, page: `${baseUrl}/` });
    });

    server.get(`/brand/:slug/feed.${form.ending}`, async (request: WithSlug, reply) => {
      checkQuery(request.query);
      const found = await findPublicBrand(context, request.params.slug);
      if ('redirect' in found) return reply.redirect(`${baseUrl}/brand/${found.redirect}/feed.${form.ending}`, 301);
      const { name, slug, url } = found.brand;
      const description = `Every dated, source-cited move of ${name} in Indian retail.`;
      return send(reply, form, { title: `${name} · Clarity`, description, page: url, brand: directory.slugsOf(slug) });
    });

    server.get(`/theme/:slug/feed.${form.ending}`, async (request: WithSlug, reply) => {
      checkQuery(request.query);
      const { slug } = request.params;
      const isSlug = Slug.safeParse(slug).success;
      const theme = directory.theme(slug) ?? (isSlug ? await findTheme(database, slug, { now: now(), baseUrl }) : null);
      if (!theme) throw new Refusal('not_found', `No theme has the slug ${quoted(slug)}.`);
      const description = `Every dated, source-cited move in Indian retail under the theme ${theme.name}.`;
      const page = `${baseUrl}/theme/${slug}`;
      return send(reply, form, { title: `${theme.name} · Clarity`, description, page, theme: slug });
    });
  }
}
