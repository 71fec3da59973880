/** Why a poll failed: the error, and what statuses and failed connections mean for an operator. */
import type { Page } from './fetch/fetch-page.ts';

/** Why a poll failed, in a word for programs and a sentence that an operator can act on. */
export class PollError extends Error {
  override name = 'PollError';
  readonly code: string;
  /** The answer's status, null where none came. */
  readonly status: number | null;
  /** The server asked not to come back before this moment. */
  readonly retryAt: Date | null;
  constructor(code: string, message: string, about: { status?: number; retryAt?: Date | null } = {}) {
    super(message);
    this.code = code;
    this.status = about.status ?? null;
    this.retryAt = about.retryAt ?? null;
  }
}

/** What headers say about when to come back. */
type Headers = Readonly<Record<string, string>>;

/** Retry-After in both its forms, seconds or a date; null when it is missing or means nothing. */
export function parseRetryAfter(headers: Headers, now: Date): Date | null {
  const written = headers['retry-after']?.trim();
  if (!written) return null;
  if (/^\d{1,9}$/.test(written)) return new Date(now.getTime() + Number(written) * 1000);
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Seconds that an answer stays fresh by Cache-Control, else by Expires; 0 when neither says so. */
export function parseFreshSeconds(headers: Headers, now: Date): number {
  const control = headers['cache-control'] ?? '';
  if (/no-cache|no-store/i.test(control)) return 0;
  const age = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(control);
  if (age) return Math.max(0, Number(age[1]) - (Number(headers.age) || 0));
  const expires = new Date(headers.expires ?? '').getTime();
  return Number.isNaN(expires) ? 0 : Math.max(0, (expires - now.getTime()) / 1000);
}

// Which answers can be read, and what the others mean.

const CHALLENGE =
  /cf-chl-|challenge-platform|<title>\s*(?:Just a moment|Attention Required|Access Denied|Are you a robot)|captcha-delivery|px-captcha|_Incapsula_Resource/i;

const STATUS_MEANINGS: Record<number, readonly [code: string, message: string]> = {
  401: ['forbidden', 'the outlet asks for a password'],
  403: ['forbidden', 'the outlet refuses us; ask it for access, or find another address'],
  404: ['not_found', 'nothing stands at this address any more; look for the new one'],
  410: ['gone', 'the outlet has taken this source down for good'],
  429: ['rate_limited', 'the outlet asks for fewer requests'],
};

/**
 * Lets pass what can be read: 200, and 304 where a condition was sent.
 * @throws PollError that says what the answer means
 */
export function checkStatus(page: Page, conditional: boolean, now: Date): void {
  const { status } = page;
  if (status === 200 || (status === 304 && conditional)) {
    if (status === 200 && isChallenge(page)) throw challenge(page, now);
    return;
  }
  if ([403, 429, 503].includes(status) && isChallenge(page)) throw challenge(page, now);
  const [code, message] =
    STATUS_MEANINGS[status] ??
    (status >= 500 && status < 600
      ? ['server_error', 'the outlet has trouble of its own; it is tried again later']
      : ['unexpected_status', 'an answer that no reader can use']);
  throw new PollError(code, `HTTP ${status}: ${message}`, { status, retryAt: parseRetryAfter(page.headers, now) });
}

const challenge = (page: Page, now: Date): PollError =>
  new PollError(
    'challenge',
    `HTTP ${page.status}: a page that tests for browsers stands before this source; ask the outlet to let our User-Agent through`,
    { status: page.status, retryAt: parseRetryAfter(page.headers, now) },
  );

function isChallenge(page: Page): boolean {
  if (page.headers['cf-mitigated'] === 'challenge') return true;
  const head = page.body.subarray(0, 20_000).toString('latin1');
  return /<html|<!doctype html/i.test(head) && CHALLENGE.test(head) && page.body.length < 200_000;
}

// Errors of connections, in words that an operator can act on.

const NETWORK_MEANINGS: Record<string, readonly [code: string, message: string]> = {
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
export function toPollError(error: unknown): PollError {
  if (error instanceof PollError) return error;
  if (!(error instanceof Error)) return new PollError('failed', String(error));
  if (error.cause instanceof PollError) return error.cause;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return toPollError(error.errors[0]);
  const code = 'code' in error ? String(error.code) : '';
  const known = NETWORK_MEANINGS[code];
  if (known) return new PollError(...known);
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|ALTNAME/.test(code))
    return new PollError('tls', `the host's certificate or TLS cannot be trusted: ${error.message}`);
  if (code.startsWith('ERR_HTTP2_')) return new PollError('bad_answer', `the answer is not HTTP/2: ${error.message}`);
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError')
    return new PollError('bad_answer', `the answer is not HTTP: ${error.message}`);
  return new PollError('failed', `${error.message}${code ? ` (${code})` : ''}`);
}
