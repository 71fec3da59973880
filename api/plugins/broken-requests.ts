/** Bytes that are no HTTP request: answered in the one form of errors, straight on the socket. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { noCalls } from '../../access/quota/limit-answers.ts';

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
    const body = JSON.stringify({ error: 'invalid_request', message: MESSAGE[status] });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-ID: ${newId()}`,
      ...Object.entries(noCalls(new Date())).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
