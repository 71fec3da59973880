/**
 * Feeds: /feed.rss, /feed.atom, /feed.json and /feed.csv of what a filter finds, and the newest moves of a brand and a theme
 * under /brand/{slug} and /theme/{slug}.
 */

import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { searchOfToken } from '../../access/subscriptions.ts';
import { capitalised } from '../../language/prose.ts';
import { sendCsv, signalRows, writeCsv } from '../../presentation/csv.ts';
import { describeFilter, ownFilter } from '../../presentation/filters.ts';
import { findPublicBrand, listFiltered } from '../../presentation/public-records.ts';
import { findTheme } from '../../projector/models/brands-queries.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { wholeNumber } from '../../schemas/parameters.ts';
import { reportedAt, SignalItem } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import {
  FILE_SIGNALS,
  FilterParameters,
  filterAddress,
  filterOfParameters,
  narrows,
  type SignalQuery,
} from '../../schemas/signal-filter.ts';
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
  next_url: `${SITE}/feed.json?cursor=WyIyMDI2LTExLTIwIl0`,
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
      date_published: reportedAt(signalExample),
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

const ENTRIES = 50;

const FeedQuery = z.strictObject({
  ...FilterParameters.shape,
  limit: wholeNumber(1, FILE_SIGNALS).optional(),
});

const FILTERED =
  'Takes the filters of the pages: values of one parameter are alternatives, parameters combine, `not_` leaves moves out. Newest first unless `sort` says otherwise. The next entries are linked; a list by relevance has one page.';

type FeedPath = `${'/' | `/${'brand' | 'theme'}/{slug}/`}feed.${FeedFormat['ending']}`;

/** What all feeds have in common. */
const FEED = {
  method: 'get',
  tag: 'Feeds',
  access: 'anonymous',
  // They are limited as pages are.
  isLimited: false,
  // Feed readers and newsletters add parameters to measure visits.
  ignored: /^utm_/,
  errors: ['invalid_key', 'rate_limited'],
} as const;

/** The operation of one feed. @param of what it is about; null for the whole record */
function feedOperation<const Path extends FeedPath>(
  path: Path,
  { ending, type }: FeedFormat,
  of: 'Brand' | 'Theme',
  moved: Record<number, Answer> = {},
) {
  const { name, example } = FORMATS[ending];
  return defineOperation({
    ...FEED,
    path,
    id: `get${of}Feed${capitalised(ending)}`,
    summary: `The 50 latest moves of one ${of.toLowerCase()} as ${name}`,
    description: 'Parameters that begin with `utm_` are ignored. Every site may read it.',
    pathParameters: { slug: { description: `Slug of the ${of.toLowerCase()}`, example: 'kiri-foods' } },
    answers: { 200: { description: 'The feed.', others: { [type]: example } }, ...moved },
  });
}

const filteredOperation = <const Ending extends FeedFormat['ending'] | 'csv'>(
  ending: Ending,
  name: string,
  others: Answer['others'],
  headers: Answer['headers'] = {},
) =>
  defineOperation({
    ...FEED,
    path: `/feed.${ending}`,
    id: `getFeed${capitalised(ending)}`,
    summary: `Moves as ${name}, the newest of all by default`,
    description: `${FILTERED} Parameters that begin with \`utm_\` are ignored. Every site may read it.`,
    query: FeedQuery,
    queryExamples: { kind: ['stores'], city: ['Gurugram'], days: 30 },
    answers: { 200: { description: 'The moves.', others, headers } },
  });

const csvTable = signalRows([signalExample]);
const csvFeed = filteredOperation(
  'csv',
  'CSV',
  { 'text/csv': writeCsv(csvTable.columns, csvTable.rows) },
  { 'Link?': 'The next moves, as `rel="next"`; missing at the end', 'Content-Disposition': 'A name for the file' },
);

/** The operation of the feed of a saved search, in one format. */
const savedOperation = (ending: 'atom' | 'json' | 'csv', name: string, others: Answer['others']) =>
  defineOperation({
    ...FEED,
    path: `/saved/{token}/feed.${ending}`,
    id: `getSavedFeed${capitalised(ending)}`,
    summary: `The newest moves of a saved search as ${name}`,
    description:
      'The token is shown once, on the page where the feed is made. Everyone who has it may read the search, until it is revoked. Parameters that begin with `utm_` are ignored.',
    pathParameters: {
      token: { description: 'Token of the feed', example: 'q3p0mFh8yZr1kV5xT9wB2nL7cD4sG6jA0eR8uI1oP3Q' },
    },
    answers: {
      200: {
        description: 'The moves.',
        others,
        headers: ending === 'csv' ? { 'Content-Disposition': 'A name for the file' } : {},
      },
    },
  });

const savedCsv = savedOperation('csv', 'CSV', { 'text/csv': writeCsv(csvTable.columns, csvTable.rows) });
const SAVED = FEED_WRITERS.flatMap((format) => {
  const { ending, type } = format;
  if (ending === 'rss') return [];
  const { name, example } = FORMATS[ending];
  return [{ format, operation: savedOperation(ending, name, { [type]: example }) }];
});

const retired = { 301: { description: 'The slug was retired.', headers: { Location: 'Address of the successor' } } };

const FEEDS = FEED_WRITERS.map((format) => ({
  format,
  all: filteredOperation(format.ending, FORMATS[format.ending].name, { [format.type]: FORMATS[format.ending].example }),
  ofBrand: feedOperation(`/brand/{slug}/feed.${format.ending}`, format, 'Brand', retired),
  ofTheme: feedOperation(`/theme/{slug}/feed.${format.ending}`, format, 'Theme', retired),
}));

export const FEED_OPERATIONS = [
  csvFeed,
  ...FEEDS.map(({ all }) => all),
  ...SAVED.map(({ operation }) => operation),
  savedCsv,
  ...FEEDS.map(({ ofBrand }) => ofBrand),
  ...FEEDS.map(({ ofTheme }) => ofTheme),
];

type Subject = Pick<FeedContent, 'title' | 'description' | 'page'> & {
  /** The address of the feed. */
  readonly path: string;
  readonly filter: SignalQuery;
  readonly limit?: number | undefined;
  /** False for a feed of the newest alone. */
  readonly continues?: boolean;
};

const DESCRIPTION = 'Moves in Indian retail: every one dated and with its source.';

/** The moves of a feed, and the addresses of itself and of the next ones. */
async function loadMoves(context: RouteContext, { path, filter, limit, continues = false }: Subject, usual: number) {
  const { baseUrl } = context;
  const { documents, next_cursor } = await listFiltered(context, filter, {
    limit: limit ?? usual,
    dated: 'reported_at',
  });
  const self = (query: SignalQuery): string => {
    const address = `${baseUrl}${filterAddress(path, query)}`;
    return limit === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}limit=${limit}`;
  };
  return {
    signals: documents.map((document) => SignalItem.parse(JSON.parse(document))),
    self: continues ? self(filter) : `${baseUrl}${path}`,
    next: continues && next_cursor !== null ? self({ ...filter, cursor: next_cursor }) : null,
  };
}

async function sendFeed(
  context: RouteContext,
  reply: FastifyReply,
  format: FeedFormat,
  subject: Subject,
): Promise<FastifyReply> {
  const { title, description, page } = subject;
  const { signals, self, next } = await loadMoves(context, subject, ENTRIES);
  const newest = signals
    .flatMap((signal) => [signal.published_at, reportedAt(signal)])
    .toSorted()
    .at(-1);
  const updated = newest ?? context.now().toISOString();
  const text = format.write({ title, description, page, self, updated, signals, next });
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'public, max-age=60');
  return reply.type(`${format.type}; charset=utf-8`).send(text);
}

/** What a filter in an address finds. */
function filteredSubject(
  { directory, baseUrl }: RouteContext,
  { limit, ...parameters }: z.output<typeof FeedQuery>,
  ending: string,
): Subject {
  const filter = filterOfParameters(parameters, directory);
  const { cursor: _, sort: __, ...narrowed } = filter;
  const words = narrows(narrowed) ? `: ${describeFilter(narrowed, directory)}` : '';
  return {
    title: `Clarity${words}`,
    description: DESCRIPTION,
    page: `${baseUrl}${filterAddress('/', { ...narrowed, ...(filter.sort && { sort: filter.sort }) })}`,
    path: `/feed.${ending}`,
    filter,
    limit,
    continues: true,
  };
}

/** What the search of a token finds. @throws Refusal `not_found` for a token that was revoked or never issued */
async function savedSubject(
  { database, directory, baseUrl }: RouteContext,
  token: string,
  ending: string,
): Promise<Subject> {
  const search = await searchOfToken(database, token);
  if (!search) throw new Refusal('not_found', 'No feed has this address. It was revoked, or never made.');
  const filter = await ownFilter({ database, directory }, search);
  return {
    title: `${search.name} · Clarity`,
    description: DESCRIPTION,
    page: `${baseUrl}${filterAddress('/', { ...filter, sort: 'time' })}`,
    path: `/saved/${token}/feed.${ending}`,
    filter: { ...filter, sort: 'time' },
  };
}

async function sendBrandFeed(
  context: RouteContext,
  reply: FastifyReply,
  format: FeedFormat,
  wantedSlug: string,
): Promise<FastifyReply> {
  const { baseUrl } = context;
  const { ending } = format;
  const brand = await findPublicBrand(context, wantedSlug);
  if ('redirect' in brand) return reply.redirect(`${baseUrl}/brand/${brand.redirect}/feed.${ending}`, 301);
  const { name, slug, url } = brand.brand;
  return sendFeed(context, reply, format, {
    title: `${name} · Clarity`,
    description: `Every dated, source-cited move of ${name} in Indian retail.`,
    page: url,
    path: `/brand/${slug}/feed.${ending}`,
    filter: { only: { brand: [slug] }, without: {}, about: true },
  });
}

async function sendThemeFeed(
  context: RouteContext,
  reply: FastifyReply,
  format: FeedFormat,
  slug: string,
): Promise<FastifyReply> {
  const { database, directory, baseUrl, now } = context;
  const { ending } = format;
  const isSlug = Slug.safeParse(slug).success;
  const listed = directory.theme(slug);
  if (listed && listed.slug !== slug) return reply.redirect(`${baseUrl}/theme/${listed.slug}/feed.${ending}`, 301);
  const theme = listed ?? (isSlug ? await findTheme(database, slug, { now: now(), baseUrl }) : null);
  if (!theme) throw new Refusal('not_found', `No theme has the slug ${quoted(slug)}.`);
  const description = `Every dated, source-cited move in Indian retail under the theme ${theme.name}.`;
  const [page, path] = [`${baseUrl}/theme/${slug}`, `/theme/${slug}/feed.${ending}`];
  const filter = { only: { theme: [slug] }, without: {} };
  return sendFeed(context, reply, format, { title: `${theme.name} · Clarity`, description, page, path, filter });
}

/** Answers the latest moves; 404 for an unknown slug, 301 for a retired slug. */
export function feedRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, csvFeed, async ({ reply, query }) => {
    const { signals, next } = await loadMoves(context, filteredSubject(context, query, 'csv'), FILE_SIGNALS);
    if (next !== null) reply.header('link', `<${next}>; rel="next"`);
    return sendCsv(reply.header('cache-control', 'public, max-age=60'), 'clarity-signals', signalRows(signals));
  });

  addRoute(server, context, savedCsv, async ({ reply, parameters: { token } }) => {
    const { signals } = await loadMoves(context, await savedSubject(context, token, 'csv'), FILE_SIGNALS);
    return sendCsv(reply.header('cache-control', 'private, no-cache'), 'clarity-search', signalRows(signals));
  });
  for (const { format, operation } of SAVED)
    addRoute(server, context, operation, async ({ reply, parameters: { token } }) =>
      sendFeed(
        context,
        reply.header('cache-control', 'private, no-cache'),
        format,
        await savedSubject(context, token, format.ending),
      ),
    );

  for (const { format, all, ofBrand, ofTheme } of FEEDS) {
    addRoute(server, context, all, async ({ reply, query }) =>
      sendFeed(context, reply, format, filteredSubject(context, query, format.ending)),
    );
    addRoute(server, context, ofBrand, ({ reply, parameters: { slug } }) =>
      sendBrandFeed(context, reply, format, slug),
    );
    addRoute(server, context, ofTheme, ({ reply, parameters: { slug } }) =>
      sendThemeFeed(context, reply, format, slug),
    );
  }
}
