/** Every error in one form. Only a `Refusal` shows its own message; the message of any other error stays in the log. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StreamContention } from '../../log/command-handler.ts';
import { isUnavailable } from '../../log/errors.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import type { ErrorCode } from '../../schemas/resources.ts';

// HTTP answers of every surface: what an error page shows, refusals for transient failures, and entity tags.

/** What an error page shows. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
}

/** Renders an error for people who look rather than call. */
export type ErrorPage = (answer: ErrorAnswer) => Promise<string>;

/** Seconds after which a database that restarts usually answers again. */
const RESTART_SECONDS = 5;
/** Seconds after which the requests under way are usually done. */
const BUSY_SECONDS = 1;

/** The refusal of a request that was not begun, because too many are under way. */
export const tooBusy = (): Refusal =>
  new Refusal('unavailable', `Too many requests are under way here. Retry in ${BUSY_SECONDS} second.`, {
    'retry-after': String(BUSY_SECONDS),
  });

const contended = (): Refusal =>
  new Refusal(
    'unavailable',
    `Too many changes are under way at once; this one was not made. Retry in ${BUSY_SECONDS} second.`,
    {
      'retry-after': String(BUSY_SECONDS),
    },
  );

/** The refusal for a transient error: it says when to retry. Null for every other error. */
export const unavailableRefusal = (error: unknown): Refusal | null =>
  error instanceof StreamContention
    ? contended()
    : isUnavailable(error)
      ? new Refusal('unavailable', `The record cannot be read just now. Retry in ${RESTART_SECONDS} seconds.`, {
          'retry-after': String(RESTART_SECONDS),
        })
      : null;

/** Message for a request whose client left; it is only logged, since nobody reads it. */
export const INCOMPLETE_BODY = 'The connection was closed before the whole body had arrived.';

/** Whether the client left before its body had arrived. Its error has the code of a lost connection, as that of a database has. */
export const clientLeft = ({ raw }: Pick<FastifyRequest, 'raw'>): boolean => raw.readableAborted === true;

/** A weak entity tag of a text: the bytes may be compressed on their way, the meaning stays. */
export const entityTag = (text: string | Buffer): string =>
  `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** Whether `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export const matches = (ifNoneMatch: string | undefined, tag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  const bare = (one: string): string => one.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => bare(one) === bare(tag));
};

// Every error in one form. Only a `Refusal` speaks for itself; the text of any other error stays in the log.

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
