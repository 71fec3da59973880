/** Moves: GET /api/v1/signals (and .csv), and GET /api/v1/signals/{slug}. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { batched } from '../../log/batched-requests.ts';
import { findPublicSignal, listPage } from '../../presentation/public-records.ts';
import { findDocuments, type ListFilter } from '../../projector/models/signals-queries.ts';
import { BrandAnswer, Watch } from '../../schemas/brand.ts';
import { Brief } from '../../schemas/brief.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import {
  BrandSlug,
  Cursor,
  Moment,
  MoveKind,
  NoParameters,
  readParameters,
  ThemeSlug,
  wholeNumber,
  YesOrNo,
} from '../../schemas/parameters.ts';
import { SignalDetail, SignalItem, SignalPage } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import { type CsvTable, prefersCsv, sendCsv, signalRows, watchRows, writeCsv } from '../csv.ts';
import { brandExample, briefItemExample, detailExample, signalExample, watchExample } from '../description/examples.ts';
import { checkKnown } from '../named-brands.ts';
import { type Answer, type Operation, type RouteContext, sendJson } from '../route.ts';
import { BriefQuery } from './brief.ts';
import { WatchQuery } from './watch.ts';

// GET /api/v1/signals, and /api/v1/signals.csv: the latest moves, newest first.

const LIMIT = 50;
/** Those who fetch the record in bulk may take more at a time. */
const EXPANDED_LIMIT = 100;

/** Parameters of the list. */
const SignalsQuery = z.strictObject({
  brand: BrandSlug.optional(),
  mentions: YesOrNo.optional(),
  theme: ThemeSlug.optional(),
  kind: MoveKind.optional(),
  since: Moment.optional(),
  limit: wholeNumber(1, EXPANDED_LIMIT)
    .default(20)
    .meta({ description: `a whole number from 1 to ${LIMIT}, with expand=detail to ${EXPANDED_LIMIT}` }),
  cursor: Cursor.optional(),
  expand: z.enum(['detail']).describe('detail, for every signal in full').optional(),
});

const readFilter = (text: string): ListFilter => JSON.parse(text) as ListFilter;

const PATH = '/api/v1/signals';
const TABLE = `${PATH}.csv`;

/** The address of the next page: the one asked for, with another cursor. */
function nextPage(address: string, query: object, cursor: string): string {
  const asked = new URLSearchParams(query as Record<string, string>);
  asked.set('cursor', cursor);
  return `<${address}?${asked}>; rel="next"`;
}

/**
 * Answers `SignalPage`: stored documents joined as they are, never parsed; or CSV, with the next page in `Link`.
 * A retired slug of a brand counts as the brand. 400 names a bad parameter.
 */
export function signalsRoute(server: FastifyInstance, { database, directory, baseUrl, authorise }: RouteContext): void {
  // Many ask for the same page at the same time, which is then read once. A bad cursor fails its asker alone.
  const pages = batched((filters) =>
    Promise.allSettled(filters.map((filter) => listPage(database, readFilter(filter)))),
  );
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { brand, expand, ...filter } = readParameters(SignalsQuery, request.query);
    if (filter.limit > LIMIT && expand === undefined)
      throw new Refusal(
        'invalid_request',
        `limit: "${filter.limit}" cannot be used. Allowed: a whole number from 1 to ${LIMIT}, with expand=detail to ${EXPANDED_LIMIT}.`,
      );
    await checkKnown(
      { database, directory },
      {
        brands: { brand: brand === undefined ? [] : [brand] },
        themes: { theme: filter.theme === undefined ? [] : [filter.theme] },
      },
    );
    const slugs = brand === undefined ? undefined : directory.slugsOf(directory.currentSlug(brand));
    const page = await pages(JSON.stringify({ ...filter, brand: slugs, detail: expand === 'detail' }));
    if (page.status === 'rejected') throw page.reason;
    const { documents, next_cursor } = page.value;
    const path = request.routeOptions.url ?? PATH;
    reply.header('cache-control', 'private, no-cache').header('vary', 'Accept');
    if (next_cursor !== null) reply.header('link', nextPage(`${baseUrl}${path}`, request.query as object, next_cursor));
    if (path === TABLE || prefersCsv(request.headers.accept)) {
      const signals = documents.map((document) => SignalItem.parse(JSON.parse(document)));
      return sendCsv(reply, 'signals', signalRows(signals));
    }
    return sendJson(reply, `{"signals":[${documents.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`);
  };
  for (const path of [PATH, TABLE]) server.get(path, { onRequest: authorise('read') }, answer);
}

// Moves, brands, Competitor Watch and the brief.

export const SignalAnswer = z.object({ signal: SignalDetail });

/** The same call with its answer as a table, at an address of its own: the type of the JSON answer stays one type. */
const asTable = (operation: Operation, id: string, { columns, rows }: CsvTable, headers = {}): Operation => ({
  ...operation,
  path: `${operation.path}.csv`,
  id,
  summary: `${operation.summary}, as CSV`,
  description: `What \`${operation.path}\` answers, as a table (RFC 4180) with the names of its columns first. Text that a spreadsheet would run as a formula begins with an apostrophe.`,
  answers: {
    200: {
      description: 'The table.',
      others: { 'text/csv': writeCsv(columns, rows) },
      headers: { ...headers, 'Content-Disposition': 'A name for the file' },
    },
  },
});
const NEXT_PAGE = { 'Link?': 'The next page, as `rel="next"`; missing on the last' };
const retired: Answer = {
  description: 'The slug was retired; its successor stands at `Location`.',
  headers: { Location: 'Address of the successor' },
};

const listSignals: Operation = {
  method: 'get',
  path: '/api/v1/signals',
  id: 'listSignals',
  tag: 'Moves',
  summary: 'Latest moves, newest first',
  description:
    'Only public signals; resurfaced old news is left out. Ask for the next page with `cursor` until `next_cursor` is null: signals that arrive meanwhile shift nothing. Of 51 to 100 the `limit` needs `expand=detail`. With `Accept: text/csv` the answer is that of `/api/v1/signals.csv`.',
  access: 'read',
  query: SignalsQuery,
  queryExamples: { brand: 'zudio', theme: 'store-expansion', kind: 'stores', since: '2026-11-20', limit: 20 },
  answers: {
    200: {
      description: 'A page of moves.',
      schema: SignalPage,
      example: { signals: [signalExample], next_cursor: null },
      headers: NEXT_PAGE,
    },
  },
  errors: ['invalid_request'],
};

const watchBrands: Operation = {
  method: 'get',
  path: '/api/v1/watch',
  id: 'watchBrands',
  tag: 'Brands',
  summary: 'Competitor Watch: several brands side by side',
  description:
    'A free key watches up to 5 brands over 7 days, a Pro key up to 25 over 7, 30 or 90. A retired slug counts as the brand that it leads to. With `Accept: text/csv` the answer is that of `/api/v1/watch.csv`.',
  access: 'read',
  query: WatchQuery,
  queryExamples: { b: ['zudio', 'westside'], days: 7 },
  answers: {
    200: {
      description: 'The brands in the order of asking.',
      schema: Watch,
      example: watchExample,
    },
  },
  errors: ['invalid_request', 'pro_required'],
};

export const MOVE_OPERATIONS: readonly Operation[] = [
  listSignals,
  asTable(listSignals, 'listSignalsTable', signalRows([signalExample]), NEXT_PAGE),
  {
    method: 'get',
    path: '/api/v1/signals/{slug}',
    id: 'getSignal',
    tag: 'Moves',
    summary: 'One move in full',
    description: 'A cite id (`sig_` and 16 hexadecimal characters) in place of the slug leads to the slug.',
    access: 'read',
    pathParameters: { slug: { description: 'Slug of the signal', example: signalExample.slug } },
    answers: {
      200: { description: 'The move.', schema: SignalAnswer, example: { signal: detailExample } },
      301: retired,
    },
    errors: ['invalid_request', 'not_found'],
  },
  {
    method: 'get',
    path: '/api/v1/brands/{slug}',
    id: 'getBrand',
    tag: 'Brands',
    summary: 'One brand and its 10 latest moves',
    description: 'How many stories name the brand, its last 30 days by kind of move, and what it is reported with.',
    access: 'read',
    pathParameters: { slug: { description: 'Slug of the brand', example: 'kiri-foods' } },
    answers: {
      200: {
        description: 'The brand.',
        schema: BrandAnswer,
        example: { brand: brandExample, latest: [signalExample] },
      },
      301: retired,
    },
    errors: ['invalid_request', 'not_found'],
  },
  watchBrands,
  asTable(watchBrands, 'watchBrandsTable', watchRows(watchExample)),
  {
    method: 'get',
    path: '/api/v1/brief',
    id: 'getBrief',
    tag: 'Moves',
    summary: "Today's brief",
    description:
      'At most 12 moves, ranked by outlets, then by how many accounts follow their brands, then the newest; never two on one event. Brands and themes given together both have to fit.',
    access: 'read',
    query: BriefQuery,
    queryExamples: { brands: ['zudio'], themes: ['store-expansion'], hours: 24 },
    answers: {
      200: {
        description: 'The brief.',
        schema: Brief,
        example: {
          date: '2026-11-21',
          label: 'Morning brief, Saturday 21 November 2026',
          window_hours: 24,
          filters: { brands: [], themes: [] },
          items: [briefItemExample],
        },
      },
    },
    errors: ['invalid_request'],
  },
];

// GET /api/v1/signals/{slug}: one move in full.

/** Answers `{signal: SignalDetail}`; 301 when the slug was retired; 404 when no public signal has it. */
export function signalRoute(server: FastifyInstance, { database, baseUrl, authorise }: RouteContext): void {
  const documentOf = batched((slugs) => findDocuments(database, slugs));
  server.get<{ Params: { slug: string } }>(
    '/api/v1/signals/:slug',
    { onRequest: authorise('read') },
    async (request, reply) => {
      readParameters(NoParameters, request.query);
      const { slug } = request.params;
      reply.header('cache-control', 'private, no-cache');
      // What is no slug must not reach the others of its batch.
      const document = Slug.safeParse(slug).success ? await documentOf(slug) : null;
      if (document !== null) return sendJson(reply, `{"signal":${document}}`);
      const found = await findPublicSignal(database, slug);
      if ('redirect' in found) {
        const location = `${baseUrl}/api/v1/signals/${found.redirect}`;
        return reply.code(301).header('location', location).send();
      }
      return sendJson(reply, `{"signal":${found.document}}`);
    },
  );
}
