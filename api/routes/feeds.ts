/** Feeds: /feed.rss, /feed.atom, /feed.json, and the same under /brand/{slug} and /theme/{slug}. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { findPublicBrand, listSignalPage } from '../../presentation/public-records.ts';
import { findTheme } from '../../projector/models/brands-queries.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { type ErrorCode, SignalItem } from '../../schemas/resources.ts';
import { type BrandSlug, Slug } from '../../schemas/scalar.ts';
import { signalExample } from '../description/examples.ts';
import { FEED_WRITERS, type FeedContent, type FeedFormat, JsonFeed } from '../feed-formats.ts';
import { type Answer, addRoute, defineOperation, type RouteContext } from '../route.ts';

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
      external_url: signalExample.source.url ?? '',
      title: signalExample.headline,
      content_text: 'Kiri Foods opened 40 stores in Pune. Source: Daily Trade and 2 more.',
      date_published: signalExample.published_at,
      tags: ['stores', 'Kiri Foods', 'Pune'],
    },
  ],
};

/** By ending of the address. */
const FORMATS = {
  rss: { name: 'RSS', example: RSS },
  atom: { name: 'Atom', example: ATOM },
  json: { name: 'JSON Feed', example: { schema: JsonFeed, example: JSON_FEED } },
} as const;

/** Feeds are limited as pages are. */
const ERRORS: readonly ErrorCode[] = ['invalid_request', 'rate_limited'];

type FeedPath = `${'/' | `/${'brand' | 'theme'}/{slug}/`}feed.${FeedFormat['ending']}`;

/** Of feed readers and newsletters, which add parameters to measure visits. */
const CAMPAIGN_PARAMETERS = /^utm_/;

/** The operation of one feed. @param of what it is about; null for the whole record */
function feedOperation<const Path extends FeedPath>(
  path: Path,
  { ending, type }: FeedFormat,
  of: 'Brand' | 'Theme' | null,
  moved: Record<number, Answer> = {},
) {
  const { name, example } = FORMATS[ending];
  const subject = of === null ? 'the whole record' : `one ${of.toLowerCase()}`;
  return defineOperation({
    method: 'get',
    path,
    id: `get${of ?? ''}Feed${ending[0]?.toUpperCase()}${ending.slice(1)}`,
    tag: 'Feeds',
    summary: `The 50 latest moves of ${subject} as ${name}`,
    description: 'Parameters that begin with `utm_` are ignored. Every site may read it.',
    access: 'anonymous',
    isLimited: false,
    ignored: CAMPAIGN_PARAMETERS,
    ...(of
      ? { pathParameters: { slug: { description: `Slug of the ${of.toLowerCase()}`, example: 'kiri-foods' } } }
      : {}),
    answers: { 200: { description: 'The feed.', others: { [type]: example } }, ...moved },
    errors: of ? [...ERRORS, 'not_found'] : ERRORS,
  });
}

const retired = { 301: { description: 'The slug was retired.', headers: { Location: 'Address of the successor' } } };

const FEEDS = FEED_WRITERS.map((format) => ({
  format,
  all: feedOperation(`/feed.${format.ending}`, format, null),
  ofBrand: feedOperation(`/brand/{slug}/feed.${format.ending}`, format, 'Brand', retired),
  ofTheme: feedOperation(`/theme/{slug}/feed.${format.ending}`, format, 'Theme'),
}));

export const FEED_OPERATIONS = [
  ...FEEDS.map(({ all }) => all),
  ...FEEDS.map(({ ofBrand }) => ofBrand),
  ...FEEDS.map(({ ofTheme }) => ofTheme),
];

const ENTRIES = 50;
type Subject = Pick<FeedContent, 'title' | 'description' | 'page'> & { brand?: readonly BrandSlug[]; theme?: string };

/** Answers the 50 latest moves; 404 for an unknown slug, 301 for a retired slug of a brand. */
export function feedRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, baseUrl, now } = context;

  async function send(reply: FastifyReply, format: FeedFormat, subject: Subject): Promise<FastifyReply> {
    const { title, description, page, brand, theme } = subject;
    const { documents } = await listSignalPage(database, { brand, theme, limit: ENTRIES });
    const signals = documents.map((document) => SignalItem.parse(JSON.parse(document)));
    const updated = signals[0]?.published_at ?? now().toISOString();
    const self = `${page.replace(/\/$/, '')}/feed.${format.ending}`;
    const text = format.write({ title, description, page, self, updated, signals });
    return reply.header('cache-control', 'public, max-age=60').type(`${format.type}; charset=utf-8`).send(text);
  }

  for (const { format, all, ofBrand, ofTheme } of FEEDS) {
    addRoute(server, context, all, async ({ reply }) => {
      const description = 'Moves in Indian retail: every one dated and with its source.';
      return send(reply, format, { title: 'Clarity', description, page: `${baseUrl}/` });
    });

    addRoute(server, context, ofBrand, async ({ reply, parameters }) => {
      const found = await findPublicBrand(context, parameters.slug);
      if ('redirect' in found) return reply.redirect(`${baseUrl}/brand/${found.redirect}/feed.${format.ending}`, 301);
      const { name, slug, url } = found.brand;
      const description = `Every dated, source-cited move of ${name} in Indian retail.`;
      return send(reply, format, {
        title: `${name} · Clarity`,
        description,
        page: url,
        brand: directory.slugsOf(slug),
      });
    });

    addRoute(server, context, ofTheme, async ({ reply, parameters: { slug } }) => {
      const isSlug = Slug.safeParse(slug).success;
      const theme = directory.theme(slug) ?? (isSlug ? await findTheme(database, slug, { now: now(), baseUrl }) : null);
      if (!theme) throw new Refusal('not_found', `No theme has the slug ${quoted(slug)}.`);
      const description = `Every dated, source-cited move in Indian retail under the theme ${theme.name}.`;
      const page = `${baseUrl}/theme/${slug}`;
      return send(reply, format, { title: `${theme.name} · Clarity`, description, page, theme: slug });
    });
  }
}
