/** Why a poll failed: the error, and what statuses and failed connections mean for an operator. */
import { AddressRefused } from '../../log/guarded-connection.ts';
import type { Page } from './fetch/fetch-page.ts';

/** Why a poll failed: a code for programs and a sentence that an operator can act on. */
export class PollError extends Error {
  override name = 'PollError';
  readonly code: string;
  /** The status of the response; null where there was none. */
  readonly status: number | null;
  /** The server asked for no request before this moment. */
  readonly retryAt: Date | null;
  constructor(code: string, message: string, about: { status?: number; retryAt?: Date | null } = {}) {
    super(message);
    this.code = code;
    this.status = about.status ?? null;
    this.retryAt = about.retryAt ?? null;
  }
}

type Headers = Readonly<Record<string, string>>;

/** Parses Retry-After, seconds or a date; null when it is missing or invalid. */
export function parseRetryAfter(headers: Headers, now: Date): Date | null {
  const written = headers['retry-after']?.trim();
  if (!written) return null;
  if (/^\d{1,9}$/.test(written)) return new Date(now.getTime() + Number(written) * 1000);
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Seconds for which a response is fresh by Cache-Control, else by Expires; 0 when neither states it. */
export function parseFreshSeconds(headers: Headers, now: Date): number {
  const control = headers['cache-control'] ?? '';
  if (/no-cache|no-store/i.test(control)) return 0;
  const age = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(control);
  if (age) return Math.max(0, Number(age[1]) - (Number(headers.age) || 0));
  const expires = new Date(headers.expires ?? '').getTime();
  return Number.isNaN(expires) ? 0 : Math.max(0, (expires - now.getTime()) / 1000);
}

const CHALLENGE =
  /cf-chl-|challenge-platform|<title>\s*(?:Just a moment|Attention Required|Access Denied|Are you a robot)|captcha-delivery|px-captcha|_Incapsula_Resource/i;

const STATUS_MEANINGS: Record<number, readonly [code: string, message: string]> = {
  401: ['forbidden', 'the outlet requires a password'],
  403: ['forbidden', 'the outlet refuses access; ask it for access, or find another address'],
  404: ['not_found', 'nothing is at this address any more; look for the new one'],
  410: ['gone', 'the outlet has removed this source permanently'],
  429: ['rate_limited', 'the outlet asks for fewer requests'],
};

/**
 * Accepts what can be read: 200, and 304 where a condition was sent.
 * @throws PollError with what the status means
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
      ? ['server_error', 'the server of the outlet fails; the poll is retried later']
      : ['unexpected_status', 'this status cannot be read']);
  throw new PollError(code, `HTTP ${status}: ${message}`, { status, retryAt: parseRetryAfter(page.headers, now) });
}

const challenge = (page: Page, now: Date): PollError =>
  new PollError(
    'challenge',
    `HTTP ${page.status}: a browser check protects this source; ask the outlet to allow the User-Agent of this service`,
    { status: page.status, retryAt: parseRetryAfter(page.headers, now) },
  );

function isChallenge(page: Page): boolean {
  if (page.headers['cf-mitigated'] === 'challenge') return true;
  const head = page.body.subarray(0, 20_000).toString('latin1');
  return /<html|<!doctype html/i.test(head) && CHALLENGE.test(head) && page.body.length < 200_000;
}

const NETWORK_MEANINGS: Record<string, readonly [code: string, message: string]> = {
  ENOTFOUND: ['name_not_found', 'the name of the host does not resolve; check the address of the source'],
  EAI_AGAIN: ['name_not_found', 'the name server did not respond; the poll is retried later'],
  ECONNREFUSED: ['connection_refused', 'the host refuses connections on this port'],
  ECONNRESET: ['connection_lost', 'the host closed the connection'],
  UND_ERR_SOCKET: ['connection_lost', 'the host closed the connection'],
  EPIPE: ['connection_lost', 'the host closed the connection'],
  EHOSTUNREACH: ['unreachable', 'there is no route to the host'],
  ENETUNREACH: ['unreachable', 'there is no route to the network of the host'],
  ETIMEDOUT: ['timeout', 'the host did not respond in time'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'the host did not accept the connection in time'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'the host did not respond in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the response was too slow'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['bad_answer', 'the response is longer or shorter than its Content-Length'],
  UND_ERR_HEADERS_OVERFLOW: ['bad_answer', 'the headers of the response are too large'],
};

/** The PollError for an error that a request threw. */
export function toPollError(error: unknown): PollError {
  if (error instanceof PollError) return error;
  if (!(error instanceof Error)) return new PollError('failed', String(error));
  if (error instanceof AddressRefused) return new PollError('address_refused', error.message);
  if (error.cause instanceof PollError || error.cause instanceof AddressRefused) return toPollError(error.cause);
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return toPollError(error.errors[0]);
  const code = 'code' in error ? String(error.code) : '';
  const meaning = NETWORK_MEANINGS[code];
  if (meaning) return new PollError(...meaning);
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|ALTNAME/.test(code))
    return new PollError('tls', `the host's certificate or TLS cannot be trusted: ${error.message}`);
  if (code.startsWith('ERR_HTTP2_')) return new PollError('bad_answer', `the response is not HTTP/2: ${error.message}`);
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError')
    return new PollError('bad_answer', `the response is not HTTP: ${error.message}`);
  return new PollError('failed', `${error.message}${code ? ` (${code})` : ''}`);
}
