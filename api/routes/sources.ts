/** Sources: GET /api/v1/sources/health and POST /api/v1/sources/propose. */
import type { FastifyInstance } from 'fastify';
import { proposeSource } from '../../ingest/roster/source-proposals.ts';
import { entityTag } from '../../presentation/http/http-caching.ts';
import { healthSnapshot } from '../../projector/models/source-health-queries.ts';
import { HealthSnapshot } from '../../schemas/resources.ts';
import { ProposalAnswer, ProposeBody } from '../../schemas/source.ts';
import { healthExample } from '../description/examples.ts';
import { addRoute, defineOperation, type RouteContext, sendValue } from '../route.ts';

const URL = 'https://market-gazette.example/retail/feed.xml';
const proposal = (status: string) => ({ proposal: { id: 'prp_5b0c7d1e9a2f4836', url: URL, status } });

const getSourceHealth = defineOperation({
  method: 'get',
  path: '/api/v1/sources/health',
  id: 'getSourceHealth',
  tag: 'Sources',
  summary: 'The health of the sources, and how many moves they miss',
  description: 'May be cached for 60 seconds.',
  access: 'anonymous',
  answers: {
    200: { description: 'The roster and the last measurement.', schema: HealthSnapshot, example: healthExample },
  },
});

const propose = defineOperation({
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
      description: 'The proposal awaits review.',
      schema: ProposalAnswer,
      example: proposal('pending'),
      headers: { Location: 'The page that lists the sources' },
    },
  },
});

export const SOURCE_OPERATIONS = [getSourceHealth, propose];

/** Answers `HealthSnapshot`, cacheable for 60 seconds, and takes proposals of sources. */
export function sourceRoutes(server: FastifyInstance, context: RouteContext): void {
  addRoute(server, context, getSourceHealth, async ({ reply }) => {
    const snapshot = await healthSnapshot(context.database, context.now());
    // The tag leaves out the time of the request, else no two answers would ever have the same tag.
    const { generated_at: _, ...content } = snapshot;
    reply.headers({ 'cache-control': 'public, max-age=60', etag: entityTag(JSON.stringify(content)) });
    return sendValue(reply, snapshot);
  });

  addRoute(server, context, propose, async ({ reply, body }) => {
    const proposal = await proposeSource(context, body);
    // Once it is accepted, the page of sources lists it.
    if (proposal.status === 'pending') reply.header('location', `${context.baseUrl}/sources`);
    return sendValue(reply.code(proposal.status === 'pending' ? 202 : 200), { proposal });
  });
}
