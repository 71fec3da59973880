/** Sources: GET /api/v1/sources/health and POST /api/v1/sources/propose. */

import type { FastifyInstance } from 'fastify';
import { proposeSource } from '../../ingest/roster/source-proposals.ts';
import { entityTag } from '../../presentation/http/entity-tags.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { ProposalAnswer, ProposeBody } from '../../schemas/proposal.ts';
import { HealthSnapshot } from '../../schemas/resources.ts';
import { healthExample } from '../description/examples.ts';
import { type Operation, type RouteContext, sendJson } from '../route.ts';

// Sources: their health, and proposals of new ones.

const URL = 'https://market-gazette.example/retail/feed.xml';
const proposal = (status: string) => ({ proposal: { id: 'prp_5b0c7d1e9a2f4836', url: URL, status } });

export const SOURCE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/sources/health',
    id: 'getSourceHealth',
    tag: 'Sources',
    summary: 'How the roster of sources does, and how much it misses',
    description: 'May be kept for 60 seconds.',
    access: 'anonymous',
    answers: {
      200: { description: 'The roster and the last measurement.', schema: HealthSnapshot, example: healthExample },
    },
    errors: ['invalid_request'],
  },
  {
    method: 'post',
    path: '/api/v1/sources/propose',
    id: 'proposeSource',
    tag: 'Sources',
    summary: 'Suggest a source',
    description: 'The same address is the same proposal, however often it is made.',
    access: 'anonymous',
    body: { schema: ProposeBody, example: { url: URL, outlet: 'Market Gazette', reason: 'First with mall leases' } },
    answers: {
      200: {
        description: 'The roster has the source already, or the proposal was decided.',
        schema: ProposalAnswer,
        example: proposal('listed'),
      },
      202: {
        description: 'It waits to be looked at.',
        schema: ProposalAnswer,
        example: proposal('pending'),
        headers: { Location: 'The page that lists the sources' },
      },
    },
    errors: ['invalid_request'],
  },
];

// GET /api/v1/sources/health: how the roster does, for everybody.

/** Answers `HealthSnapshot`, cacheable for 60 seconds. */
export function sourceHealthRoute(server: FastifyInstance, { database, authorise, now }: RouteContext): void {
  server.get('/api/v1/sources/health', { onRequest: authorise('anonymous') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const snapshot = await healthSnapshot(database, now());
    // The tag leaves out the time of asking, else no two answers would ever count as the same.
    const { generated_at: _, ...content } = snapshot;
    reply.headers({ 'cache-control': 'public, max-age=60', etag: entityTag(JSON.stringify(content)) });
    return sendJson(reply, JSON.stringify(snapshot));
  });
}

// POST /api/v1/sources/propose: suggests a source for the catalogue.

/** Answers 202 while the proposal waits to be looked at, 200 when it was decided or the roster has the source. */
export function proposeRoute(server: FastifyInstance, context: RouteContext): void {
  server.post('/api/v1/sources/propose', { onRequest: context.authorise('anonymous') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const proposal = await proposeSource(context, readBody(ProposeBody, request.body));
    // Once it is accepted, the page of sources lists it.
    if (proposal.status === 'pending') reply.header('location', `${context.baseUrl}/sources`);
    return sendJson(reply.code(proposal.status === 'pending' ? 202 : 200), JSON.stringify({ proposal }));
  });
}
