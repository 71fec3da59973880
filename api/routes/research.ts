/** Briefings: POST /research in both versions, and GET /api/v1/research/{id}, also as CSV. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  findInvestigation,
  type RequestedResearch,
  requestResearch,
  resumeResearch,
  runResearch,
} from '../../answer/research.ts';
import { briefingTable, sendCsv } from '../../presentation/csv.ts';
import { waitForOwnWrite } from '../../projector/model-progress.ts';
import { Investigation, InvestigationId, QueuedResearch, ResearchBody, ResearchResult } from '../../schemas/ask.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { citationExample } from '../description/examples.ts';
import { checkKnown } from '../named-brands.ts';
import { accountOf, addRoute, asTable, defineOperation, type RouteContext, sendJson } from '../route.ts';

const ID = 'inv_6c0d9e1f2a3b4857';
const SITE = 'https://clarity.example';
const body = { schema: ResearchBody, example: { topic: 'Quick commerce in Pune', preset: 'standard' } };

const research = defineOperation({
  method: 'post',
  path: '/api/v1/research',
  id: 'research',
  tag: 'Answers',
  summary: 'Compose a briefing on a topic',
  description:
    'Answers when the report is written, which takes seconds. The report is Markdown: summary, timeline, by brand, figures, what to watch, sources; every statement links to its signals. 5 briefings in 5 minutes.',
  access: 'account',
  body,
  answers: {
    200: {
      description: 'The briefing is complete.',
      schema: ResearchResult,
      example: { id: ID, status: 'completed', report_url: `${SITE}/research/${ID}`, citation_count: 14, cost_usd: 0 },
    },
  },
  errors: ['invalid_request'],
});

const researchQueued = defineOperation({
  method: 'post',
  path: '/api/v2/research',
  id: 'researchQueued',
  tag: 'Answers',
  summary: 'Order a briefing on a topic',
  description: 'The form planned for v2: it answers at once. Poll `status_url` until `status` is no longer `queued`.',
  access: 'account',
  body,
  answers: {
    202: {
      description: 'The briefing is being composed.',
      headers: { Location: 'The `status_url`' },
      schema: QueuedResearch,
      example: { id: ID, status: 'queued', status_url: `${SITE}/api/v1/research/${ID}` },
    },
  },
  errors: ['invalid_request'],
});

const getResearch = defineOperation({
  method: 'get',
  path: '/api/v1/research/{id}',
  id: 'getResearch',
  tag: 'Answers',
  summary: 'A briefing and its status',
  description: 'Those of other accounts are 404.',
  access: 'account',
  pathParameters: { id: { description: 'Id of a briefing of the account', example: ID, schema: InvestigationId } },
  answers: {
    200: {
      description: 'The briefing. `status` is `queued`, `completed` or `failed`.',
      schema: Investigation,
      example: {
        id: ID,
        status: 'completed',
        topic: 'Quick commerce in Pune',
        preset: 'standard',
        created_at: '2026-11-21T06:30:00Z',
        completed_at: '2026-11-21T06:30:01Z',
        report_url: `${SITE}/research/${ID}`,
        report_markdown: '# Quick commerce in Pune\n',
        citations: [citationExample],
        citation_count: 1,
        cost_usd: 0,
        error: null,
      },
    },
  },
  errors: ['invalid_request', 'not_found'],
});

const REPORT_EXAMPLE = `## Deals

| Date | Company | Deal | Amount | Signal |
|---|---|---|---|---|
| 20 November 2026 | Kiri Foods | funding | ₹230 Cr | [\\[1\\]](${SITE}/signal/kiri-foods-raises) |`;
const getResearchTable = asTable(getResearch, 'getResearchTable', briefingTable(REPORT_EXAMPLE));

export const RESEARCH_OPERATIONS = [research, researchQueued, getResearch, getResearchTable];

/** v1 answers when the report is complete; v2 answers at once with the address of its status. */
export function researchRoutes(server: FastifyInstance, context: RouteContext): void {
  const { database, answers, baseUrl, giveBack } = context;
  const requested = async (request: FastifyRequest, body: ResearchBody): Promise<RequestedResearch> => {
    await checkKnown(context, { brands: { brands: body.brands }, themes: { themes: body.themes } });
    return requestResearch(answers, { body, account: accountOf(request), requestId: request.id });
  };

  // Not before the port is open: until then the read models may be missing.
  server.addHook('onListen', () => {
    resumeResearch(answers, (error, id) =>
      server.log.error({ err: error, investigation: id }, 'a resumed briefing failed'),
    ).catch((error: unknown) => server.log.error({ err: error }, 'interrupted briefings could not be resumed'));
  });

  addRoute(server, context, research, async ({ request, reply, body }) => {
    const { result, position } = await runResearch(answers, await requested(request, body));
    await waitForOwnWrite(database, ['investigations'], position);
    return sendJson(reply, JSON.stringify(result));
  });

  addRoute(server, context, researchQueued, async ({ request, reply, body }) => {
    const ordered = await requested(request, body);
    await waitForOwnWrite(database, ['investigations'], ordered.position);
    runResearch(answers, ordered).catch(async (error: unknown) => {
      request.log.error({ err: error, request_id: request.id }, 'a briefing failed');
      await giveBack(request).catch((failure: unknown) =>
        request.log.error(
          { err: failure, request_id: request.id },
          'the charge of a failed briefing was not given back',
        ),
      );
    });
    const status_url = `${baseUrl}/api/v1/research/${ordered.id}`;
    return sendJson(
      reply.code(202).header('location', status_url),
      JSON.stringify({ id: ordered.id, status: 'queued', status_url }),
    );
  });

  const ownBriefing = async (request: FastifyRequest, id: string): Promise<Investigation> => {
    const found = InvestigationId.safeParse(id).success ? await findInvestigation(database, id, baseUrl) : null;
    if (found?.account !== accountOf(request)) throw new Refusal('not_found', `You have no briefing ${quoted(id)}.`);
    return found.investigation;
  };

  addRoute(server, context, getResearch, async ({ request, reply, parameters: { id } }) => {
    const investigation = await ownBriefing(request, id);
    reply.header('cache-control', 'private, no-cache');
    return sendJson(reply, JSON.stringify(investigation));
  });

  addRoute(server, context, getResearchTable, async ({ request, reply, parameters: { id } }) => {
    const { report_markdown } = await ownBriefing(request, id);
    reply.header('cache-control', 'private, no-cache');
    return sendCsv(reply, id, briefingTable(report_markdown ?? ''));
  });
}
