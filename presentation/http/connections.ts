/**
 * Limits of connections, so that a slow or idle client affects only itself: how long headers and bodies may take to arrive,
 * how long an answer may stay unread, and how many connections a client may have. And answers to bytes that are not HTTP.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance, RawServerDefault } from 'fastify';
import { countedAddress, noCalls } from '../../access/quota/limits.ts';
import type { Configuration } from '../../schemas/configuration.ts';
import type { ErrorCode } from '../../schemas/resources.ts';

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
const MESSAGE: Readonly<Record<number, string>> = {
  400: 'This is no well-formed HTTP request.',
  408: 'The request took too long to arrive.',
  431: 'The headers of the request are too large.',
};

/** Creates the handler for requests that Node's parser refuses. A connection that the client closed gets no answer. */
export const answerBrokenRequest =
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
export const connectionLimits = (
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
export const connectionOptions = (limits: ConnectionLimits) =>
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
export function limitConnections(
  server: FastifyInstance,
  limits: ConnectionLimits,
  byAddress: boolean,
  newId: () => string,
): void {
  const answering = new WeakMap<Socket, { readonly isUnderWay: () => boolean }>();
  server.addHook('onRequest', async ({ raw }, { raw: answer }) => {
    const { socket } = raw;
    answering.set(socket, {
      // The body is here, and either the answer is being composed, or all of it that was sent has been read.
      isUnderWay: () =>
        raw.complete && !answer.writableFinished && (!answer.headersSent || socket.writableLength === 0),
    });
    answer.once('close', () => answering.delete(socket));
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
