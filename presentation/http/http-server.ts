/** The Fastify server below API, MCP and pages: limits, request ids, logs, and draining before a stop. */

import { randomFillSync } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { countedAddress, noCalls } from '../../access/quota/limits.ts';
import type { Configuration } from '../../schemas/configuration.ts';
import { requestAnswered } from '../../schemas/observation.ts';
import type { ErrorCode } from '../../schemas/resources.ts';
import { answerError, type ErrorPage, readableAddress } from './error-answers.ts';

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
const MESSAGE: Readonly<Record<number, string>> = {
  400: 'This is no well-formed HTTP request.',
  408: 'The request took too long to arrive.',
  431: 'The headers of the request are too large.',
};

/** Creates the handler for requests that Node's parser refuses. A connection that the client closed gets no answer. */
const answerBrokenRequest =
  (newId: () => string) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[error.code ?? ''] ?? 400;
    socket.end(socketAnswer(status, { error: 'invalid_request', message: MESSAGE[status] ?? '' }, newId()));
  };

/** An error as text for a socket whose request is not read. @param more headers in addition to those of every error */
function socketAnswer(
  status: number,
  error: { readonly error: ErrorCode; readonly message: string },
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const body = JSON.stringify(error);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-ID': requestId,
    ...noCalls(new Date()),
    ...more,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

export interface ConnectionLimits {
  /** Milliseconds from the first byte of a request until its headers are complete. */
  readonly headers: number;
  /** Milliseconds from the first byte of a request until its body is complete. */
  readonly request: number;
  /** Milliseconds in which a client must read something of an answer. Composing an answer may take longer. */
  readonly idle: number;
  /** Milliseconds that a connection without a request stays open. */
  readonly keepAlive: number;
  /** Connections of one client address at once; of IPv6, of one /64 network. */
  readonly perClient: number;
}

/** A load balancer keeps idle connections for a minute: a request is lost when the server closes first, so this is longer. */
const CONNECTION_LIMITS: ConnectionLimits = {
  headers: 15_000,
  request: 30_000,
  idle: 60_000,
  keepAlive: 72_000,
  perClient: 256,
};

/** The limits of a service: those of its settings, and CONNECTION_LIMITS for the rest. */
const connectionLimits = (
  { CONNECTIONS_PER_CLIENT: perClient }: Partial<Pick<Configuration, 'CONNECTIONS_PER_CLIENT'>>,
  given: Partial<ConnectionLimits> = {},
): ConnectionLimits => ({ ...CONNECTION_LIMITS, ...(perClient === undefined ? {} : { perClient }), ...given });

/** How often Node looks for requests that take too long, in milliseconds. */
const CHECK = 1_000;
const TOO_MANY = {
  error: 'unavailable',
  message: 'Too many connections are open from this address. Close some, or retry in 5 seconds.',
} as const;

/** What a server is built with: Node answers 408 to requests that take longer, by way of `clientErrorHandler`. */
const connectionOptions = (limits: ConnectionLimits) =>
  ({
    requestTimeout: limits.request,
    keepAliveTimeout: limits.keepAlive,
    connectionTimeout: limits.idle,
    http: {
      headersTimeout: Math.min(limits.headers, limits.request),
      connectionsCheckingInterval: Math.min(CHECK, limits.headers, limits.request),
    },
  }) satisfies FastifyHttpOptions<RawServerDefault>;

/**
 * Holds the server to the limits that are not Node's own.
 * @param byAddress false where connections come from a proxy, whose address is that of all its clients
 */
function limitConnections(
  server: FastifyInstance,
  limits: ConnectionLimits,
  byAddress: boolean,
  newId: () => string,
): void {
  const answering = new WeakMap<Socket, { readonly isUnderWay: () => boolean }>();
  server.addHook('onRequest', ({ raw }, { raw: answer }, done) => {
    const { socket } = raw;
    answering.set(socket, {
      // The body is here, and either the answer is being composed, or all of it that was sent has been read.
      isUnderWay: () =>
        raw.complete && !answer.writableFinished && (!answer.headersSent || socket.writableLength === 0),
    });
    answer.once('close', () => answering.delete(socket));
    done();
  });
  server.server.on('timeout', (socket: Socket) => {
    if (!answering.get(socket)?.isUnderWay()) socket.destroy();
  });
  if (!byAddress) return;
  const open = new Map<string, number>();
  server.server.on('connection', (socket: Socket) => {
    const address = countedAddress(socket.remoteAddress ?? '');
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
    if (count <= limits.perClient) return;
    // Also a client that does not read this is gone.
    socket.end(socketAnswer(503, TOO_MANY, newId(), { 'Retry-After': '5' }), () => socket.destroy());
    socket.setTimeout(CHECK, () => socket.destroy());
  });
}

/**
 * Adds the hooks. After `beginDraining` every answer closes its connection, so that no client keeps one that is about to be
 * closed: a request on a connection that closes at the same moment would be lost.
 */
function draining(server: FastifyInstance): void {
  let begun = false;
  server.decorate('beginDraining', () => {
    begun = true;
  });
  server.addHook('onRequest', (_request, { raw }, done) => {
    if (begun) raw.setHeader('connection', 'close');
    done();
  });
  // For requests that came earlier.
  server.addHook('onSend', (_request, { raw }, payload, done) => {
    if (begun && !raw.headersSent) raw.setHeader('connection', 'close');
    done(null, payload);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on, asks clients to close their connections after the answer. */
    beginDraining(): void;
  }
}

const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/**
 * The id of a request: the one its client sent, when that is 1 to 128 letters, digits, dots, colons, dashes or
 * underscores, else a new one.
 */
const requestIdOf = (request: Pick<IncomingMessage, 'headers'>, newId: () => string): string => {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : newId();
};

/** Writes `X-Request-ID` on every answer of the server. */
export function requestIds(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

/**
 * Records the route's pattern instead of the address, which may contain a question, and no header, which may contain a
 * key. The request id is the one in the answer.
 */
export function requestRecords(server: FastifyInstance): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, id: request_id } = request;
    const about = {
      method,
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
    };
    requestAnswered.emit(about);
    request.log.info({ request_id, ...about }, 'answered');
    done();
  });
}

/** Bytes. */
const MAXIMUM_BODY = 262_144;

export interface HttpServerOptions {
  readonly configuration: Pick<Configuration, 'BASE_URL' | 'TRUST_PROXY'> &
    Partial<Pick<Configuration, 'CONNECTIONS_PER_CLIENT'>>;
  /** A pino logger; silent when unset. */
  readonly logger?: FastifyBaseLogger;
  /** Limits that differ from the defaults and from the configuration. */
  readonly connections?: Partial<ConnectionLimits>;
  readonly newRequestId?: () => string;
  /** Renders errors for browsers; JSON for every client when unset. */
  readonly errorPage?: ErrorPage;
}

/**
 * The proxies that are trusted to report the address of a client, as Fastify takes them.
 * @param setting a number of hops from the socket, or a list of addresses; no proxy is trusted when unset
 */
function proxyTrust(setting: string | undefined): false | string | ((address: string, hop: number) => boolean) {
  if (setting === undefined) return false;
  return /^\d+$/.test(setting) ? (_address, hop) => hop < Number(setting) : setting;
}

/** Random bytes in advance: a call for a few of them costs as much as one for many. */
const random = Buffer.alloc(4_096);
let used = random.length;

function createRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += 8;
  return `req_${random.toString('hex', used - 8, used)}`;
}

/** Creates the server without plugins for requests and without routes. It does not listen yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { configuration, logger, errorPage, newRequestId = createRequestId } = options;
  const connections = connectionLimits(configuration, options.connections);
  const server: FastifyInstance = Fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: proxyTrust(configuration.TRUST_PROXY),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request, newRequestId),
    rewriteUrl: ({ url = '/' }) => readableAddress(url),
    frameworkErrors: answerError(errorPage),
    clientErrorHandler: answerBrokenRequest(newRequestId),
    bodyLimit: MAXIMUM_BODY,
    ...connectionOptions(connections),
    // Requests that arrive while the server closes are answered as any others: a restart refuses none.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2_000 },
  });
  draining(server);
  limitConnections(server, connections, configuration.TRUST_PROXY === undefined, newRequestId);
  return server;
}
