/** Errors of connections, in words that an operator can act on. */
import { PollError } from '../poll-error.ts';

const MEANINGS: Record<string, readonly [code: string, message: string]> = {
  ENOTFOUND: ['name_not_found', 'the name of the host does not resolve; check the address of the source'],
  EAI_AGAIN: ['name_not_found', 'the name server did not answer; it is tried again later'],
  ECONNREFUSED: ['connection_refused', 'the host refuses connections on this port'],
  ECONNRESET: ['connection_lost', 'the host broke the connection off'],
  UND_ERR_SOCKET: ['connection_lost', 'the host broke the connection off'],
  EPIPE: ['connection_lost', 'the host broke the connection off'],
  EHOSTUNREACH: ['unreachable', 'no route leads to the host'],
  ENETUNREACH: ['unreachable', 'no route leads to the network of the host'],
  ETIMEDOUT: ['timeout', 'the host did not answer in time'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'the host did not take the connection in time'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'the host did not answer in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the answer came too slowly'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['bad_answer', 'the answer is longer or shorter than it says itself'],
  UND_ERR_HEADERS_OVERFLOW: ['bad_answer', 'the headers of the answer are too large'],
};

/** Makes a PollError of whatever a request threw. */
export function networkFailure(error: unknown): PollError {
  if (error instanceof PollError) return error;
  if (!(error instanceof Error)) return new PollError('failed', String(error));
  if (error.cause instanceof PollError) return error.cause;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return networkFailure(error.errors[0]);
  const code = 'code' in error ? String(error.code) : '';
  const known = MEANINGS[code];
  if (known) return new PollError(...known);
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|ALTNAME/.test(code))
    return new PollError('tls', `the host's certificate or TLS cannot be trusted: ${error.message}`);
  if (code.startsWith('ERR_HTTP2_')) return new PollError('bad_answer', `the answer is not HTTP/2: ${error.message}`);
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError')
    return new PollError('bad_answer', `the answer is not HTTP: ${error.message}`);
  return new PollError('failed', `${error.message}${code ? ` (${code})` : ''}`);
}
