/** One page over HTTP, guarded: by address, size, time, redirects. */
import type { lookup as systemLookup } from 'node:dns';
import { request } from 'undici';
import { PollError } from '../poll-error.ts';
import type { AllowAddress } from './addresses.ts';
import { readBody } from './decompress.ts';
import { guardedAgent } from './guarded-connection.ts';
import type { HostGate } from './host-gate.ts';
import { networkFailure } from './network-failure.ts';

export interface PageRequest {
  readonly url: string;
  /** What the last answer said, for a conditional request. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly signal: AbortSignal;
}

export interface Page {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; a repeated one joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The address to use from now on, when every redirect on the way was a permanent one; else null. */
  readonly movedTo: string | null;
}

/** @throws PollError when no answer came that can be used; an answer with an error status is returned */
export type FetchPage = (page: PageRequest) => Promise<Page>;

export interface FetchOptions {
  readonly allowAddress: AllowAddress;
  readonly userAgent: string;
  readonly gate?: HostGate;
  /** Most bytes after unpacking; 15 MiB when unset. */
  readonly maximumBytes?: number;
  /** Whole time of one request from connection to last byte; 20 s when unset. */
  readonly timeoutMs?: number;
  readonly lookup?: typeof systemLookup;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.5';

/** A fetcher for a process. It keeps no cookies, sends no credentials and follows at most five redirects. */
export function createFetchPage(options: FetchOptions): FetchPage {
  return async (wanted) => {
    let url = webUrl(wanted.url);
    let permanent = true;
    for (let redirects = 0; ; redirects++) {
      const leave = await options.gate?.enter(url.hostname, wanted.signal);
      const page = await ask(url, wanted, options).finally(() => leave?.());
      const location = REDIRECTS.has(page.status) ? page.headers.location : undefined;
      if (location === undefined) return { ...page, movedTo: permanent && redirects > 0 ? url.href : null };
      if (redirects === MOST_REDIRECTS)
        throw new PollError('too_many_redirects', `${wanted.url} redirects more than ${MOST_REDIRECTS} times`);
      permanent &&= page.status === 301 || page.status === 308;
      url = webUrl(location, url);
    }
  };
}

function webUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new PollError('bad_address', `${JSON.stringify(address.slice(0, 200))} is no http or https address`);
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

async function ask(url: URL, wanted: PageRequest, options: FetchOptions): Promise<Omit<Page, 'movedTo'>> {
  const timeout = options.timeoutMs ?? 20_000;
  const late = AbortSignal.timeout(timeout);
  const over = AbortSignal.any([wanted.signal, late]);
  const agent = guardedAgent(url, options.allowAddress, options.lookup);
  // A request looks at its signal only once it has a connection: while one is being made, the agent is ended with it.
  over.addEventListener('abort', () => void agent.destroy().catch(() => undefined), { once: true });
  try {
    over.throwIfAborted();
    const answer = await request(url, {
      dispatcher: agent,
      signal: over,
      headers: {
        'user-agent': options.userAgent,
        accept: ACCEPT,
        'accept-encoding': 'gzip, deflate, br',
        ...(wanted.etag ? { 'if-none-match': wanted.etag } : {}),
        ...(wanted.lastModified ? { 'if-modified-since': wanted.lastModified } : {}),
      },
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    );
    const skip = answer.statusCode === 304 || (REDIRECTS.has(answer.statusCode) && headers.location !== undefined);
    const body = skip
      ? Buffer.alloc(0)
      : await readBody(answer.body, headers['content-encoding'] ?? '', options.maximumBytes ?? 15 * 1_048_576);
    return { url: url.href, status: answer.statusCode, headers, body };
  } catch (error) {
    if (wanted.signal.aborted) throw wanted.signal.reason;
    if (late.aborted) throw new PollError('timeout', `the whole answer did not come within ${timeout / 1000} s`);
    throw networkFailure(error);
  } finally {
    // Also drops a body that was left unread.
    await agent.destroy().catch(() => undefined);
  }
}
