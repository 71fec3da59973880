/** Plugins of the API alone: repeated POSTs, JSON bodies with the place of an error, and limits of waiting. */

import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import {
  beginRequest,
  firstOutcome,
  type KeptAnswer,
  keepAnswer,
  releaseRequest,
  requestHash,
} from '../access/idempotency.ts';
import type { Database } from '../log/postgres/database.ts';
import { NOT_UTF8, tooBusy } from '../presentation/http/error-answers.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import { isNestedTooDeep, MAXIMUM_DEPTH } from '../schemas/parameters.ts';

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
 * Passes a stream on, and keeps what it was. When the client leaves, the rest is read all the same: it is carried
 * out.
 */
async function* copied(
  database: Database,
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
    await settle(database, request, { ...answer, body });
  }
}

async function settle(database: Database, request: FastifyRequest, answer: KeptAnswer | null): Promise<void> {
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
        throw new Refusal('conflict', CONFLICTS[outcome.is], outcome.is === 'at work' ? 2 : null);
    }
  });

  server.addHook('onSend', async (request, reply, payload) => {
    if (request.onceClaim === undefined) return payload;
    const { statusCode: status } = reply;
    if (status >= 500 || status === 429 || !request.onceBegun) await settle(database, request, null);
    else if (typeof payload === 'string' || payload === null || payload === undefined)
      await settle(database, request, { status, headers: keptHeaders(reply), body: payload ?? '' });
    else if (payload instanceof Readable)
      return Readable.from(copied(database, request, payload, { status, headers: keptHeaders(reply) }), {
        objectMode: false,
      });
    else await settle(database, request, null);
    return payload;
  });
}

const FAULTS: Readonly<Record<string, string>> = {
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  PropertyNameExpected: 'a field name in double quotes is missing',
  ValueExpected: 'a value is missing',
  EndOfFileExpected: 'there is text after the end of the value',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidEscapeCharacter: 'a string contains an invalid escape sequence',
  InvalidUnicode: 'a string contains an invalid Unicode escape',
  InvalidCharacter: 'a string contains a control character that is not escaped',
  InvalidCommentToken: 'comments are not allowed',
};

/**
 * Where a text stops being JSON, such as `line 1, column 9: a comma is missing`.
 * @returns undefined when no place can be named, such as for text that is nested too deep to be followed
 */
function brokenJsonPlace(text: string): string | undefined {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
  const [first] = errors;
  if (!first) return undefined;
  const before = text.slice(0, first.offset);
  const line = before.split('\n').length;
  const column = first.offset - before.lastIndexOf('\n');
  const fault = FAULTS[printParseErrorCode(first.error)] ?? 'this is no JSON value';
  return `line ${line}, column ${column}: ${fault}`;
}

/** Replaces the server's parser of JSON bodies; what it accepts and how it guards prototypes stays the same. */
export function jsonBodies(server: FastifyInstance): void {
  const parser = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (!isUtf8(bytes)) return done(new Refusal('invalid_request', NOT_UTF8));
    const body = bytes.toString('utf8');
    if (isNestedTooDeep(body))
      return done(new Refusal('invalid_request', `The body is nested deeper than ${MAXIMUM_DEPTH} levels.`));
    parser(request, body, (error, parsed) => {
      if (!error) return done(null, parsed);
      if (body.trim() === '')
        return done(new Refusal('invalid_request', 'The body is empty; it must be a JSON object.'));
      const place = brokenJsonPlace(body);
      done(place ? new Refusal('invalid_request', `The body is not valid JSON: ${place}.`) : error);
    });
  });
}

export interface Capacity {
  /** Maximum of requests whose answers have not begun: it bounds the memory that they take. */
  readonly maximum: number;
  /** Maximum of them that have waited for longer than `wait`; a few are slow by nature, such as briefings. */
  readonly maximumLate: number;
  /** Milliseconds. */
  readonly wait: number;
}

/** A burst that is answered in a moment is admitted; a lasting crowd is refused as long as it lasts. */
const CAPACITY: Capacity = { maximum: 2_048, maximumLate: 32, wait: 2_000 };

/** Whether a body must be read before the request is handled. */
const awaitsBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * Refuses with `unavailable` before anything is read or counted. A request waits for its answer from the moment that its
 * body has arrived: a client that sends slowly takes up no capacity.
 * @param elapsed a clock in milliseconds
 */
export function shedOverload(
  server: FastifyInstance,
  capacity: Capacity = CAPACITY,
  elapsed = () => performance.now(),
): void {
  /** Time at which each waiting request came, by its answer, oldest first. */
  const waiting = new Map<ServerResponse, number>();
  const isCrowded = (): boolean => {
    if (waiting.size >= capacity.maximum) return true;
    let late = 0;
    for (const came of waiting.values()) {
      if (elapsed() - came <= capacity.wait) return false;
      late += 1;
      if (late >= capacity.maximumLate) return true;
    }
    return false;
  };
  const admit = (answer: ServerResponse): void => {
    waiting.set(answer, elapsed());
    // A caller who leaves no longer waits.
    answer.once('close', () => waiting.delete(answer));
  };
  server.addHook('onRequest', (request, { raw }, done) => {
    if (isCrowded()) return done(tooBusy());
    if (!awaitsBody(request)) admit(raw);
    done();
  });
  server.addHook('preValidation', (request, { raw }, done) => {
    if (awaitsBody(request)) admit(raw);
    done();
  });
  // A stream that goes on takes up no capacity once it has begun.
  server.addHook('onSend', (_request, { raw }, payload, done) => {
    waiting.delete(raw);
    done(null, payload);
  });
}
