/**
 * Every error in one form, also for unknown paths (404) and for methods that a path lacks (405). Only a `Refusal`
 * shows its own message; the message of any other error stays in the log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../access/access.ts';
import type { Identify } from '../../access/authorise.ts';
import { HttpRefusal, httpAnswerOf } from '../../access/http-refusal.ts';
import { StreamContention } from '../../log/command-handler.ts';
import { isUnavailable } from '../../log/errors.ts';
import { isReadModelOutdated } from '../../log/postgres/postgres-errors.ts';
import { ReadModelUnbuilt } from '../../projector/promote-build.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import type { ErrorCode } from '../../schemas/resources.ts';

/** What an error page shows. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
}

/** Renders an error as a page for readers of the site. */
export type ErrorPage = (answer: ErrorAnswer) => Promise<string>;

/** Seconds after which a database that restarts usually answers again. */
const RESTART_SECONDS = 5;
/** Seconds after which a client asks again for what a rebuild will have. */
const REBUILD_SECONDS = 30;
/** Seconds after which the requests in progress are usually done. */
const BUSY_SECONDS = 1;

/** The refusal of a request that was not started, because too many are in progress. */
export const tooBusy = (): Refusal =>
  new Refusal('unavailable', `Too many requests are in progress. Retry in ${BUSY_SECONDS} second.`, BUSY_SECONDS);

const contended = (): Refusal =>
  new Refusal(
    'unavailable',
    `Too many changes are in progress; this one was not made. Retry in ${BUSY_SECONDS} second.`,
    BUSY_SECONDS,
  );

/** A new release builds its read models next to the live ones; until then a few answers are missing. */
const outdated = (): Refusal =>
  new Refusal(
    'unavailable',
    `A read model of this release is still being built. Retry in ${REBUILD_SECONDS} seconds. \`clarity status\` shows the progress.`,
    REBUILD_SECONDS,
  );

/** The refusal for a transient error: it says when to retry. Null for every other error. */
export function unavailableRefusal(error: unknown): Refusal | null {
  if (error instanceof StreamContention) return contended();
  if (isReadModelOutdated(error) || error instanceof ReadModelUnbuilt) return outdated();
  if (!isUnavailable(error)) return null;
  return new Refusal(
    'unavailable',
    `The record cannot be read just now. Retry in ${RESTART_SECONDS} seconds.`,
    RESTART_SECONDS,
  );
}

/** Message for a request whose client left; it is only logged, because no client receives it. */
export const INCOMPLETE_BODY = 'The connection was closed before the whole body had arrived.';

/** JSON is UTF-8 (RFC 8259, section 8.1): replaced bytes would be other words than those that were sent. */
export const NOT_UTF8 = 'The body is not valid UTF-8.';

/**
 * Whether the client left before its body had arrived. Its error has the code of a lost connection, as that of a
 * database has.
 */
export const clientLeft = ({ raw }: Pick<FastifyRequest, 'raw'>): boolean => raw.readableAborted === true;

const isForReaders = (request: FastifyRequest): boolean =>
  !/^\/(api|mcp|\.well-known)(\/|$|\?)/.test(request.url) && /\btext\/html\b/.test(request.headers.accept ?? '');

/** What is wrong with a body, by the status of the error that Fastify raises. */
export const BODY_FAULTS: Readonly<Record<number, string>> = {
  413: 'The body is too large.',
  415: 'The body must be JSON: send Content-Type: application/json.',
};

/** What a caller is told of a failure on our side. @param counted what is said of the call that failed */
export const failureMessage = (requestId: string, counted = ''): string =>
  `The service failed${counted}. Retry shortly. If the error persists, quote request ${requestId}.`;

/** The refusal for an error that Fastify raises on a client's request; null for a failure on our side. */
function refusalOf(error: { statusCode?: number; code?: string }): Refusal | null {
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return null;
  if (status === 404) return new Refusal('not_found', 'There is nothing at this address.');
  const message = BODY_FAULTS[status] ?? 'The request cannot be read. Check its address, headers and body.';
  return new Refusal('invalid_request', message);
}

/**
 * Answers an error: a refusal as it is, an unreachable database as `unavailable`, everything else as `server_error`,
 * logged with the request id.
 * @param errorPage for readers of pages; without it every client gets JSON
 */
export const answerError =
  (errorPage?: ErrorPage) =>
  async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const left = clientLeft(request) ? new Refusal('invalid_request', INCOMPLETE_BODY) : null;
    if (left) request.log.info({ request_id: request.id }, 'a client left before its body had arrived');
    const transient = left ? null : unavailableRefusal(error);
    const refusalOfError =
      left ??
      (error instanceof Refusal ? error : (transient ?? refusalOf(error as { statusCode?: number; code?: string })));
    if (!refusalOfError) request.log.error({ err: error, request_id: request.id }, 'a request failed');
    if (transient) request.log.warn({ err: error, request_id: request.id }, 'a request failed with a transient error');
    const refusal = refusalOfError ?? new Refusal('server_error', failureMessage(request.id));
    const { code, message } = refusal;
    const { status, headers, details } = httpAnswerOf(refusal);
    reply.code(status).headers({ 'cache-control': 'no-store', 'x-request-id': request.id, ...headers });
    if (errorPage && isForReaders(request))
      return reply
        .type('text/html; charset=utf-8')
        .send(await errorPage({ status, code, message, requestId: request.id }));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ error: code, message, ...details }));
  };

/** Registers the error handler of a server. */
export function errorAnswers(server: FastifyInstance, errorPage?: ErrorPage): void {
  server.setErrorHandler(answerError(errorPage));
}

/** Ends the path of a request whose own path cannot be decoded: no route has it, and it is refused behind the guards. */
const MALFORMED = '%00malformed';

/** The address to route: that of the request, or one that no route has where an escape of its path is malformed. */
export function readableAddress(url: string): string {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '');
    return url;
  } catch {
    return `${/^\/api(?=\/)/.exec(url)?.[0] ?? ''}/${MALFORMED}`;
  }
}

/** The API, the endpoints of MCP and the embedded issuer identify their callers themselves. */
const IDENTIFYING = /^\/(?:api(?:\/|\?|$)|oidc\/|mcp(?:\/account)?\/?(?:\?|$))/;

/** A key or token that does not hold is refused also where none is needed: on pages, feeds, files and documents. */
export function refuseBadKeys(server: FastifyInstance, identify: Identify, baseUrl: string): void {
  server.addHook('onRequest', async ({ url, headers }) => {
    if (!IDENTIFYING.test(url))
      await identify(headers, `${baseUrl}${/\/mcp\b/.test(url) ? '/mcp/account' : '/api/v1'}`);
  });
}

/** A route pattern such as `/signals/:slug` as an expression over a path, without regard to a slash at its end. */
const patternOf = (url: string): RegExp => {
  const escaped = url
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:[A-Za-z_]+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${escaped}/?$`);
};

/** Paths of the API that answer callers without a key. */
const ANONYMOUS_PATHS = /^\/api\/v1\/(ask|sources\/propose|sources\/health)\/?$/;

/**
 * Refuses what no route takes before its body is read: 405 with `Allow` when the path has other methods, else 404.
 * `OPTIONS` is answered with `Allow`. Under `/api/` the key is checked first and the call counts, as at any other path;
 * at a path that anonymous callers may use, they may also learn which methods it has. The path of a page that cannot be
 * decoded counts as a page.
 * Must be called before the routes are registered.
 * @param access guards the paths under `/api/` and counts pages; unset where there are none
 */
export function unknownPaths(server: FastifyInstance, access?: Pick<Access, 'authorise' | 'chargePage'>): void {
  const guards = access && { known: access.authorise('known'), anonymous: access.authorise('anonymous') };
  const methodsOf = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  server.addHook('onRoute', ({ url, method }) => {
    const route = methodsOf.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
    for (const one of [method].flat()) route.methods.add(one);
    methodsOf.set(url, route);
  });
  server.addHook('onRequest', async (request, reply) => {
    // RFC 9112, section 3.2: a request with two Host headers may mean another site than the one that answers.
    if (request.raw.rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length > 1)
      throw new Refusal('invalid_request', 'The request has more than one Host header.');
    const path = request.url.split('?', 1)[0] ?? '';
    // A route with a parameter takes the methods that a path in full lacks: DELETE /follow/inbox is no follow called "inbox".
    const isOther = request.routeOptions.url !== path && methodsOf.get(path)?.methods.has(request.method) === false;
    if (!request.is404 && !isOther) return;
    const exact = methodsOf.get(path);
    const allowed = isOther && exact ? [exact] : [...methodsOf.values()].filter(({ pattern }) => pattern.test(path));
    if (guards && /^\/api(\/|$)/.test(path))
      await guards[ANONYMOUS_PATHS.test(path) ? 'anonymous' : 'known'](request, reply);
    if (path.endsWith(MALFORMED)) {
      if (access && !path.startsWith('/api/')) reply.headers(await access.chargePage(request, null));
      throw new Refusal('invalid_request', 'The address contains a malformed percent escape; write "%" as "%25".');
    }
    if (allowed.length === 0) throw new Refusal('not_found', 'There is nothing at this address.');
    const allow = [...new Set(allowed.flatMap(({ methods }) => [...methods]))].sort().join(', ');
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
    throw new HttpRefusal('method_not_allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, { allow });
  });
}
