/** GET /api/v1/signals, and /api/v1/signals.csv: the latest moves, newest first. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { batched } from '../../log/batch.ts';
import { listPage } from '../../presentation/public-records.ts';
import type { ListFilter } from '../../projector/models/signals-queries.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import {
  BrandSlug,
  Cursor,
  Moment,
  MoveKind,
  readParameters,
  ThemeSlug,
  wholeNumber,
  YesOrNo,
} from '../../schemas/parameters.ts';
import { SignalItem } from '../../schemas/resources.ts';
import type { RouteContext } from '../context.ts';
import { prefersCsv } from '../csv/prefers-csv.ts';
import { sendCsv } from '../csv/send-csv.ts';
import { signalRows } from '../csv/signal-rows.ts';
import { checkKnown } from '../known-names.ts';
import { sendJson } from '../send-json.ts';

const LIMIT = 50;
/** Those who fetch the record in bulk may take more at a time. */
const EXPANDED_LIMIT = 100;

/** Parameters of the list. */
export const SignalsQuery = z.strictObject({
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
