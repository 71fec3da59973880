/** POST /research in both versions, and GET /api/v1/research/{id}. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  findInvestigation,
  type RequestedResearch,
  requestResearch,
  resumeResearch,
  runResearch,
} from '../../answer/research.ts';
import { seeOwnWrite } from '../../projector/wait.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import { InvestigationId, ResearchBody } from '../../schemas/research.ts';
import { accountOf } from '../account-of.ts';
import type { RouteContext } from '../context.ts';
import { checkKnown } from '../known-names.ts';
import { sendJson } from '../send-json.ts';

/** v1 answers when the report is there; v2 answers at once with the address that tells how it stands. */
export function researchRoute(server: FastifyInstance, context: RouteContext): void {
  const { database, answers, baseUrl, authorise, giveBack } = context;
  const guard = { onRequest: authorise('account') };
  const requested = async (request: FastifyRequest): Promise<RequestedResearch> => {
    readParameters(NoParameters, request.query);
    const body = readBody(ResearchBody, request.body);
    await checkKnown(context, { brands: { brands: body.brands }, themes: { themes: body.themes } });
    return requestResearch(answers, { body, account: accountOf(request), requestId: request.id });
  };

  // Not before the port is open: until then the read models may not be there.
  server.addHook('onListen', () => {
    resumeResearch(answers).catch((error: unknown) =>
      server.log.error({ err: error }, 'briefings that were cut off could not be taken up'),
    );
  });

  server.post('/api/v1/research', guard, async (request, reply) => {
    const research = await requested(request);
    const { result, position } = await runResearch(answers, research);
    await seeOwnWrite(database, ['investigations'], position);
    return sendJson(reply, JSON.stringify(result));
  });

  server.post('/api/v2/research', guard, async (request, reply) => {
    const research = await requested(request);
    await seeOwnWrite(database, ['investigations'], research.position);
    runResearch(answers, research).catch(async (error: unknown) => {
      request.log.error({ err: error, request_id: request.id }, 'a briefing failed');
      await giveBack(request).catch(() => undefined);
    });
    const status_url = `${baseUrl}/api/v1/research/${research.id}`;
    return sendJson(
      reply.code(202).header('location', status_url),
      JSON.stringify({ id: research.id, status: 'queued', status_url }),
    );
  });

  server.get<{ Params: { id: string } }>('/api/v1/research/:id', guard, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const { id } = request.params;
    const found = InvestigationId.safeParse(id).success ? await findInvestigation(database, id, baseUrl) : null;
    if (found?.account !== accountOf(request)) throw new Refusal('not_found', `You have no briefing ${quoted(id)}.`);
    reply.header('cache-control', 'private, no-cache');
    return sendJson(reply, JSON.stringify(found.investigation));
  });
}
