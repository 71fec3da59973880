/** Which answers can be read, and what the others mean. */

import { PollError } from '../poll-error.ts';
import { retryAt } from './answer-headers.ts';
import type { Page } from './fetch-page.ts';

const CHALLENGE =
  /cf-chl-|challenge-platform|<title>\s*(?:Just a moment|Attention Required|Access Denied|Are you a robot)|captcha-delivery|px-captcha|_Incapsula_Resource/i;

const MEANINGS: Record<number, readonly [code: string, message: string]> = {
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
    MEANINGS[status] ??
    (status >= 500 && status < 600
      ? ['server_error', 'the outlet has trouble of its own; it is tried again later']
      : ['unexpected_status', 'an answer that no reader can use']);
  throw new PollError(code, `HTTP ${status}: ${message}`, { status, retryAt: retryAt(page.headers, now) });
}

const challenge = (page: Page, now: Date): PollError =>
  new PollError(
    'challenge',
    `HTTP ${page.status}: a page that tests for browsers stands before this source; ask the outlet to let our User-Agent through`,
    { status: page.status, retryAt: retryAt(page.headers, now) },
  );

function isChallenge(page: Page): boolean {
  if (page.headers['cf-mitigated'] === 'challenge') return true;
  const head = page.body.subarray(0, 20_000).toString('latin1');
  return /<html|<!doctype html/i.test(head) && CHALLENGE.test(head) && page.body.length < 200_000;
}
