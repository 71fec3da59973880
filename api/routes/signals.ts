/** Moves: GET /api/v1/signals (and .csv), and GET /api/v1/signals/{slug}. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { batched } from '../../log/batched-requests.ts';
import { prefersCsv, sendCsv, signalRows } from '../../presentation/csv.ts';
import { findPublicSignal, linkBrands, listFiltered } from '../../presentation/public-records.ts';
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
import { SignalDetail, SignalItem, SignalPage } from '../../schemas/resources.ts';
import { Slug } from '../../schemas/scalar.ts';
import { EXCLUSIONS, filterOfParameters, LISTS, SHARED, type SignalQuery } from '../../schemas/signal-filter.ts';
import { detailExample, retiredSlug, signalExample } from '../description/examples.ts';
import { checkKnown } from '../named-brands.ts';
import { addRoute, asTable, defineOperation, type RouteContext, sendJson } from '../route.ts';

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
  errors: ['invalid_request'],
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
  errors: ['invalid_request', 'not_found'],
});

export const SIGNAL_OPERATIONS = [listSignals, listSignalsTable, getSignal];

type Asked = readonly [SignalQuery, Parameters<typeof listFiltered>[2]];
const readAsked = (text: string): Asked => JSON.parse(text) as Asked;

/** The `Link` header for the next page: the address of the request with another cursor. */
function nextPage(address: string, query: object, cursor: string): string {
  const asked = new URLSearchParams(query as Record<string, string>);
  asked.set('cursor', cursor);
  return `<${address}?${asked}>; rel="next"`;
}

/**
 * Serves the list and the single signal. Stored documents are sent as text, never parsed, unless CSV is asked for.
 * A retired slug of a brand counts as the brand; the retired slug of a signal is answered with 301.
 */
export function signalRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, directory, baseUrl } = context;

  // Many callers request the same page at the same time; it is read once. A bad cursor fails its own request only.
  const pages = batched((filters) =>
    Promise.allSettled(filters.map((filter) => listFiltered(context, ...readAsked(filter)))),
  );
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
      const asked: SignalQuery = { ...filter, only, ...(mentions ? {} : { about: true }) };
      const page = await pages(
        JSON.stringify([asked, { since, until, limit, detail: expand === 'detail' }] satisfies Asked),
      );
      if (page.status === 'rejected') throw page.reason;
      const { next_cursor } = page.value;
      const documents = await linkBrands(context, page.value.documents);
      reply.header('cache-control', 'private, no-cache').header('vary', 'Accept');
      if (next_cursor !== null)
        reply.header('link', nextPage(`${baseUrl}${operation.path}`, request.query as object, next_cursor));
      if (operation === listSignalsTable || prefersCsv(request.headers.accept)) {
        const signals = documents.map((document) => SignalItem.parse(JSON.parse(document)));
        return sendCsv(reply, 'signals', signalRows(signals));
      }
      return sendJson(reply, `{"signals":[${documents.join(',')}],"next_cursor":${JSON.stringify(next_cursor)}}`);
    });

  const documentOf = batched((slugs) => findDocuments(database, slugs));
  addRoute(server, context, getSignal, async ({ reply, parameters: { slug } }) => {
    reply.header('cache-control', 'private, no-cache');
    // A value that is not a slug must not reach the others of its batch.
    const document = Slug.safeParse(slug).success ? await documentOf(slug) : null;
    const answer = async (text: string) => sendJson(reply, `{"signal":${await linkBrands(context, [text])}}`);
    if (document !== null) return answer(document);
    const found = await findPublicSignal(database, slug);
    if ('redirect' in found)
      return reply.code(301).header('location', `${baseUrl}/api/v1/signals/${found.redirect}`).send();
    return answer(found.document);
  });
}
