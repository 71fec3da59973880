/** Bytes that are no HTTP request: answered in the one form of errors, straight on the socket. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { noCalls } from '../../access/quota/limit-answers.ts';
import type { ErrorCode } from '../../schemas/resources.ts';

const STATUS: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
const MESSAGE: Readonly<Record<number, string>> = {
  400: 'This is no well-formed HTTP request.',
  408: 'The request took too long to arrive.',
  431: 'The headers of the request are too large.',
};

/** Makes the handler for what Node's parser refuses. A connection that the client has left gets no answer. */
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

/** An error as it is written on a socket whose request nobody reads. @param more headers besides those of every error */
export function socketAnswer(
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
