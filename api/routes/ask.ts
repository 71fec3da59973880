/** POST /api/v1/ask: a cited answer, as JSON or as server-sent events. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AskRequest, answerOpen, openQuestion } from '../../answer/ask.ts';
import { AskBody } from '../../schemas/ask.ts';
import { NoParameters, readBody, readParameters } from '../../schemas/parameters.ts';
import type { RouteContext } from '../context.ts';
import { sendJson } from '../send-json.ts';
import { sendStream } from '../stream/send-stream.ts';

const wantsStream = (request: FastifyRequest, { stream }: AskBody): boolean =>
  stream ?? request.headers.accept?.includes('text/event-stream') ?? false;

/** Answers `AskAnswer`, or a stream that begins before the answer is looked for. */
export function askRoute(server: FastifyInstance, context: RouteContext): void {
  const { answers, authorise } = context;
  server.post('/api/v1/ask', { onRequest: authorise('ask') }, async (request, reply) => {
    readParameters(NoParameters, request.query);
    const body = readBody(AskBody, request.body);
    const { messages, session_id } = body;
    const asked: AskRequest = { messages, session_id, account: request.access.account, requestId: request.id };
    const question = await openQuestion(answers, asked);
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' });
    if (wantsStream(request, body)) return sendStream(request, reply, context, question);
    const { answer } = await answerOpen(answers, question);
    return sendJson(reply, JSON.stringify(answer));
  });
}
