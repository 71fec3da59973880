/** Every error in one form. Only a `Refusal` speaks for itself; the text of any other error stays in the log. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientLeft, type ErrorPage, INCOMPLETE_BODY, unavailableRefusal } from '../../presentation/http-answers.ts';
import { Refusal } from '../../schemas/input-errors.ts';

const isForReaders = (request: FastifyRequest): boolean =>
  !/^\/(api|mcp|\.well-known)(\/|$|\?)/.test(request.url) && /\btext\/html\b/.test(request.headers.accept ?? '');

/** Errors that Fastify itself raises on what a client sent, in our words. */
function refusalOf(error: { statusCode?: number; code?: string }): Refusal | null {
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return null;
  if (status === 404) return new Refusal('not_found', 'There is nothing at this address.');
  if (error.code === 'FST_ERR_BAD_URL')
    return new Refusal('invalid_request', 'The address holds a malformed percent escape; write "%" as "%25".');
  if (status === 413) return new Refusal('invalid_request', 'The body is too large.');
  if (status === 415)
    return new Refusal('invalid_request', 'The body must be JSON: send Content-Type: application/json.');
  return new Refusal('invalid_request', 'The request cannot be read. Check its address, headers and body.');
}

/**
 * Answers an error: a refusal as it is, a database that is away as `unavailable`, everything else as `server_error`,
 * logged with the request id.
 * @param errorPage for readers of pages; without it everybody gets JSON
 */
export const answerError =
  (errorPage?: ErrorPage) =>
  async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const left = clientLeft(request) ? new Refusal('invalid_request', INCOMPLETE_BODY) : null;
    if (left) request.log.info({ request_id: request.id }, 'a client left before its body had arrived');
    const away = left ? null : unavailableRefusal(error);
    const known =
      left ?? (error instanceof Refusal ? error : (away ?? refusalOf(error as { statusCode?: number; code?: string })));
    if (!known) request.log.error({ err: error, request_id: request.id }, 'a request failed');
    if (away) request.log.warn({ err: error, request_id: request.id }, 'a request found the database away');
    const refusal =
      known ??
      new Refusal(
        'server_error',
        `Something failed on our side. Retry shortly; if it stays, quote request ${request.id}.`,
      );
    const { code, message, status, details } = refusal;
    reply.code(status).headers({ 'cache-control': 'no-store', 'x-request-id': request.id, ...refusal.headers });
    if (errorPage && isForReaders(request))
      return reply
        .type('text/html; charset=utf-8')
        .send(await errorPage({ status, code, message, requestId: request.id }));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ error: code, message, ...details }));
  };

/** Makes every error of the server answer in the one form. */
export function errorAnswers(server: FastifyInstance, errorPage?: ErrorPage): void {
  server.setErrorHandler(answerError(errorPage));
}
