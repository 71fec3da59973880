/** `Idempotency-Key` on POST requests of the API: a repetition answers what the first request answered. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  beginRequest,
  firstOutcome,
  type KeptAnswer,
  keepAnswer,
  releaseRequest,
  requestHash,
} from '../../access/idempotency.ts';
import type { Database } from '../../log/postgres/database.ts';
import { quoted, Refusal } from '../../schemas/input-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the request with the claim was read and is carried out: its answer is kept from then on. */
    onceBegun?: boolean;
    /** Set when the answer turns out to be a failure after its status was sent, as in a stream. */
    onceFailed?: boolean;
  }
}

/** Headers about the answer itself; limits and the request id belong to each request. */
const KEPT_HEADERS = ['content-type', 'cache-control', 'location', 'vary', 'link'] as const;
/** In characters. Longer answers are not kept; the longest of the API are briefings. */
const MAXIMUM_LENGTH = 1_048_576;
const CONFLICTS = {
  'at work': 'The first request with this Idempotency-Key is still being carried out. Retry in 2 seconds.',
  'other credential':
    'This Idempotency-Key was used with another key or token, and its answer can be read with that one alone. Use a new Idempotency-Key.',
} as const;

const keptHeaders = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );

/**
 * Answers repetitions, and keeps the answers of first requests. What failed with an internal error, what a limit refused, and what
 * was refused before it was carried out, is not kept. The guard of the route has claimed the key, or charged nothing.
 * @param database where claims and answers are written
 */
export function idempotency(server: FastifyInstance, database: Database): void {
  server.addHook('preHandler', async (request, reply) => {
    const { once, onceClaim } = request;
    if (!once) return;
    const hash = requestHash(request.url, request.headers.accept ?? '', request.body);
    if (onceClaim !== undefined && (await beginRequest(database, once, onceClaim, hash))) {
      request.onceBegun = true;
      return;
    }
    const outcome = await firstOutcome(database, once, hash);
    switch (outcome.is) {
      case 'answered':
        reply.code(outcome.answer.status).headers(outcome.answer.headers).header('idempotency-replayed', 'true');
        return reply.send(outcome.answer.body);
      case 'other request':
        throw new Refusal(
          'invalid_request',
          `Idempotency-Key: ${quoted(request.headers['idempotency-key'])} was used for another request. Send the same body again, or use a new one.`,
        );
      default:
        throw new Refusal('conflict', CONFLICTS[outcome.is], outcome.is === 'at work' ? { 'retry-after': '2' } : {});
    }
  });

  server.addHook('onSend', async (request, reply, payload) => {
    if (request.onceClaim === undefined) return payload;
    const { statusCode: status } = reply;
    if (status >= 500 || status === 429 || !request.onceBegun) await settle(request, null);
    else if (typeof payload === 'string' || payload === null || payload === undefined)
      await settle(request, { status, headers: keptHeaders(reply), body: payload ?? '' });
    else if (payload instanceof Readable)
      return Readable.from(copied(request, payload, { status, headers: keptHeaders(reply) }), { objectMode: false });
    else await settle(request, null);
    return payload;
  });

  /**
   * Passes a stream on, and keeps what it was. When the client leaves, the rest is read all the same: it is carried
   * out.
   */
  async function* copied(
    request: FastifyRequest,
    stream: Readable,
    answer: Omit<KeptAnswer, 'body'>,
  ): AsyncGenerator<string> {
    const chunks = stream[Symbol.asyncIterator]();
    let body = '';
    const next = async (): Promise<string | null> => {
      const { done, value } = await chunks.next();
      if (done) return null;
      if (body.length <= MAXIMUM_LENGTH) body += String(value);
      return String(value);
    };
    try {
      for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk;
    } catch (error) {
      request.onceFailed = true;
      throw error;
    } finally {
      for (let isOpen = !request.onceFailed; isOpen; ) isOpen = (await next()) !== null;
      await settle(request, { ...answer, body });
    }
  }

  async function settle(request: FastifyRequest, answer: KeptAnswer | null): Promise<void> {
    const { once, onceClaim } = request;
    if (!once || onceClaim === undefined) return;
    delete request.onceClaim;
    try {
      if (answer && !request.onceFailed && answer.body.length <= MAXIMUM_LENGTH)
        await keepAnswer(database, once, onceClaim, answer);
      else await releaseRequest(database, once, onceClaim);
    } catch (error) {
      // What was done is done: the answer goes out, and a repetition waits until the claim has expired.
      request.log.error({ err: error, request_id: request.id }, 'the answer to an Idempotency-Key was not kept');
    }
  }
}
