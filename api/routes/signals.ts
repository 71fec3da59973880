/** Moves: GET /api/v1/signals (and .csv), and GET /api/v1/signals/{slug}. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { batched } from '../../log/batched-requests.ts';
import type { Queryable } from '../../log/postgres/database.ts';
import { prefersCsv, sendCsv, signalRows } from '../../presentation/csv.ts';
import { checkKnown, findPublicSignal, linkBrands, listFiltered } from '../../presentation/public-records.ts';
import { keptWhileUnchanged } from '../../projector/model-progress.ts';
import { postgresSearch } from '../../projector/models/search-queries.ts';
import { isWalked } from '../../projector/models/signal-filter-queries.ts';
import { findDocuments } from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import {
  BrandParameter,
  Cursor,
  Moment,
  MoveKind,
  ThemeParameter,
  wholeNumber,
  YesOrNo,
} from '../../schemas/parameters.ts';
import { SignalDetail, SignalPage } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import { EXCLUSIONS, filterOfParameters, LISTS, SHARED, type SignalQuery } from '../../schemas/signal-filter.ts';
import { detailExample, retiredSlug, signalExample } from '../description/examples.ts';
import { addRoute, asTable, defineOperation, type JsonBody, jsonBody, type RouteContext, sendJson } from '../route.ts';

const MAXIMUM = 50;
/** The maximum with `expand=detail`, for callers who fetch the record in bulk. */
const EXPANDED_MAXIMUM = 100;

const SignalsQuery = z.strictObject({
  brand: BrandParameter.optional(),
  mentions: YesOrNo.optional(),
  theme: ThemeParameter.optional(),
  kind: MoveKind.optional(),
  since: Moment.optional(),
  limit: wholeNumber(1, EXPANDED_MAXIMUM)
    .default(20)
    .meta({ description: `a whole number from 1 to ${MAXIMUM}, with expand=detail to ${EXPANDED_MAXIMUM}` }),
  cursor: Cursor.optional(),
  expand: z.enum(['detail']).describe('detail, for every signal in full').optional(),
  q: SHARED.q,
  ...LISTS,
  ...EXCLUSIONS,
  until: Moment.optional(),
  outlets: SHARED.outlets,
  sort: SHARED.sort,
});

export const SignalAnswer = z.object({ signal: SignalDetail });

const NEXT_PAGE = { 'Link?': 'The next page, as `rel="next"`; missing on the last' };

/** The read models of signals with their brands. */
const MODELS = ['signals', 'brands'];

const listSignals = defineOperation({
  method: 'get',
  path: '/api/v1/signals',
  id: 'listSignals',
  tag: 'Moves',
  summary: 'Latest moves, newest first',
  description:
    'Only public signals; resurfaced old news is left out. Ask for the next page with `cursor` until `next_cursor` is null: signals that arrive meanwhile shift nothing. Filters combine: values of one parameter are alternatives, `not_` leaves signals out. `sort=salience` lists the weightiest first, `sort=relevance` the best matches of `q`, on one page. A `limit` of 51 to 100 needs `expand=detail`. With `Accept: text/csv` the answer is that of `/api/v1/signals.csv`.',
  access: 'read',
  query: SignalsQuery,
  queryExamples: {
    brand: 'zudio',
    theme: 'store-expansion',
    kind: 'stores',
    since: '2026-11-20',
    q: 'flagship store',
    city: ['Pune'],
    not_outlet: ['Daily Trade'],
    outlets: 2,
    limit: 20,
  },
  answers: {
    200: {
      description: 'A page of moves.',
      schema: SignalPage,
      example: { signals: [signalExample], next_cursor: null },
      headers: NEXT_PAGE,
    },
  },
});

const listSignalsTable = asTable(listSignals, 'listSignalsTable', signalRows([signalExample]), NEXT_PAGE);

const getSignal = defineOperation({
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
    301: retiredSlug,
  },
});

export const SIGNAL_OPERATIONS = [listSignals, listSignalsTable, getSignal];

/** A filter, its page, and the second in which it was asked for. */
type PageKey = readonly [SignalQuery, Parameters<typeof listFiltered>[2], number];

interface Page {
  readonly body: JsonBody;
  readonly next_cursor: string | null;
}

/** Maximum of pages and of signals that a process keeps, of some 25 and 5 KB each. */
const KEPT_PAGES = 500;
const KEPT_DETAILS = 5_000;
/** Connections that pages are read on at once. */
const PAGES_AT_ONCE = 4;

/** The `Link` header for the next page: the address of the request with another cursor. */
function nextPage(address: string, query: object, cursor: string): string {
  const parameters = new URLSearchParams(query as Record<string, string>);
  parameters.set('cursor', cursor);
  return `<${address}?${parameters}>; rel="next"`;
}

/**
 * Loads pages by their keys. Their bytes are kept until the read models move on, where the page comes from the same server as
 * the rows.
 */
function pageLoader(context: RouteContext): (key: PageKey) => Promise<Page> {
  const { database, directory } = context;

  const listed = async (from: Pick<RouteContext, 'search'> & { database: Queryable }, key: string): Promise<Page> => {
    const [filter, page] = JSON.parse(key) as PageKey;
    const { documents, next_cursor } = await listFiltered({ ...context, ...from }, filter, page);
    const linked = await linkBrands({ ...context, ...from }, documents);
    const signals = `{"signals":[${linked.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`;
    return { body: jsonBody(signals), next_cursor };
  };
  // Each page is a batch of its own, so that a bad cursor fails its own request only.
  const walkedPages = keptWhileUnchanged(
    database,
    async (connection, [key = '']) => [await listed({ database: connection, search: postgresSearch(connection) }, key)],
    {
      models: MODELS,
      maximum: KEPT_PAGES,
      dependsOn: () => directory.brands,
      batch: { maximum: 1, concurrency: PAGES_AT_ONCE },
    },
  );
  // Other pages may come from another server than the rows; the same page is read once for all that wait for it.
  const otherPages = batched((keys) => Promise.allSettled(keys.map((key) => listed(context, key))));
  const otherPage = async (key: string): Promise<Page> => {
    const page = await otherPages(key);
    if (page.status === 'rejected') throw page.reason;
    return page.value;
  };
  return (key) => {
    const [filter] = key;
    const isKept = (filter.sort ?? 'time') === 'time' && isWalked(filter);
    return isKept ? walkedPages(JSON.stringify(key)) : otherPage(JSON.stringify(key));
  };
}

function listRoutes(server: FastifyInstance, context: RouteContext): void {
  const { directory, baseUrl, now } = context;
  const loadPage = pageLoader(context);
  for (const operation of [listSignals, listSignalsTable])
    addRoute(server, context, operation, async ({ request, reply, query }) => {
      const { brand, theme, kind, mentions, expand, since, until, limit, ...others } = query;
      if (limit > MAXIMUM && expand === undefined)
        throw new Refusal(
          'invalid_request',
          `limit: "${limit}" cannot be used. Allowed: a whole number from 1 to ${MAXIMUM}, with expand=detail to ${EXPANDED_MAXIMUM}.`,
        );
      await checkKnown(context, {
        brands: { brand: brand === undefined ? [] : [brand] },
        themes: { theme: theme === undefined ? [] : [theme] },
      });
      const filter = filterOfParameters(others, directory);
      const only = {
        ...filter.only,
        ...(kind && { kind: [kind] }),
        ...(brand && { brand: [directory.currentSlug(brand)] }),
        ...(theme && { theme: [theme] }),
      };
      const full: SignalQuery = { ...filter, only, ...(mentions ? {} : { about: true }) };
      // A filter may count its days from now: a page is kept for the rest of the second.
      const second = Math.floor(now().getTime() / 1_000);
      const { body, next_cursor } = await loadPage([
        full,
        { since, until, limit, detail: expand === 'detail' },
        second,
      ]);
      reply.header('cache-control', 'private, no-cache').header('vary', 'Accept');
      if (next_cursor !== null)
        reply.header('link', nextPage(`${baseUrl}${operation.path}`, request.query as object, next_cursor));
      if (operation === listSignalsTable || prefersCsv(request.headers.accept)) {
        const { signals } = SignalPage.parse(JSON.parse(body.bytes.toString()));
        return sendCsv(reply, 'signals', signalRows(signals));
      }
      return sendJson(reply, body);
    });
}

function detailRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, baseUrl } = context;
  const detailOf = keptWhileUnchanged(
    database,
    async (connection, slugs) => {
      const documents = await findDocuments(connection, slugs);
      const present = documents.flatMap((document) => document ?? []);
      const linked = (await linkBrands({ ...context, database: connection }, present)).values();
      return documents.map((document) => document && jsonBody(`{"signal":${linked.next().value}}`));
    },
    // One batch at a time: after a start or an event, when many are read, it has all that waited for the one before.
    { models: MODELS, maximum: KEPT_DETAILS, dependsOn: () => directory.brands, batch: { concurrency: 1 } },
  );
  addRoute(server, context, getSignal, async ({ reply, parameters: { slug } }) => {
    reply.header('cache-control', 'private, no-cache');
    // A value that is not a slug must not reach the others of its batch.
    const detail = Slug.safeParse(slug).success ? await detailOf(slug) : null;
    if (detail !== null) return sendJson(reply, detail);
    const signal = await findPublicSignal(database, slug);
    if ('redirect' in signal)
      return reply.code(301).header('location', `${baseUrl}/api/v1/signals/${signal.redirect}`).send();
    return sendJson(reply, `{"signal":${await linkBrands(context, [signal.document])}}`);
  });
}

/**
 * Serves the list and the single signal. Stored documents are sent as text, never parsed, unless CSV is asked for, and
 * their bytes are kept until the read models move on.
 * A retired slug of a brand counts as the brand; the retired slug of a signal is answered with 301.
 */
export function signalRoutes(server: FastifyInstance, context: RouteContext): void {
  listRoutes(server, context);
  detailRoute(server, context);
}
