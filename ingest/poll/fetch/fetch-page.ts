/** One page over HTTP, guarded: by address, size, time, redirects. */
import type { lookup as systemLookup } from 'node:dns';
import { CookieJar } from 'tough-cookie';
import { request } from 'undici';
import { PollError } from '../poll-error.ts';
import type { AllowAddress } from './addresses.ts';
import { readBody } from './decompress.ts';
import { type ConnectionManner, guardedAgent, type OnConnected } from './guarded-connection.ts';
import type { HostGate } from './host-gate.ts';
import { networkFailure } from './network-failure.ts';
import { type SecretLookup, withSecrets } from './source-headers.ts';

export interface PageRequest {
  readonly url: string;
  /** What the last answer said, for a conditional request. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** Further headers; `${SOURCE_…}` in a value stands for a secret. They go to the origin of `url` only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as a form by POST; unset, it is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** Milliseconds of rest at the host after this request; that of the gate when unset or shorter. */
  readonly restMs?: number;
  /** The header Accept; that of feeds when unset. */
  readonly accept?: string;
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
  /** Seconds that the host's robots.txt asks for between two requests; unset when it was not asked or does not say. */
  readonly crawlDelaySeconds?: number;
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
  /** The value of a secret that a header names; no header may name one when unset. */
  readonly secrets?: SecretLookup;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Redirects after which a form is sent again as it was. */
const KEEPS_METHOD = new Set([307, 308]);
const MAXIMUM_COOKIES = 50;
const MAXIMUM_COOKIE = 4_096;
const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.5';

/**
 * A fetcher for a process. It follows at most five redirects, keeps cookies only while it follows them, and sends the
 * headers of a request to its own origin only.
 */
export function createFetchPage(options: FetchOptions): FetchPage {
  const manners = createManners();
  return async (wanted) => {
    let url = webUrl(wanted.url);
    const { origin } = url;
    // Cookies of one chain of redirects: some servers send a reader round until it shows theirs.
    const cookies = new CookieJar();
    let permanent = true;
    for (let redirects = 0; ; redirects++) {
      const cookie = redirects > 0 ? cookies.getCookieStringSync(url.href) : '';
      const headers = {
        ...(cookie ? { cookie } : {}),
        ...(url.origin === origin ? withSecrets(wanted.headers ?? {}, options.secrets) : {}),
      };
      const leave = await options.gate?.enter(url.hostname, wanted.signal, wanted.restMs);
      const { setCookies, ...page } = await ask(url, { ...wanted, headers }, options, manners).finally(() => leave?.());
      const follows = REDIRECTS.has(page.status) && (!wanted.form || KEEPS_METHOD.has(page.status));
      const location = follows ? page.headers.location : undefined;
      if (location === undefined) return { ...page, movedTo: permanent && redirects > 0 ? url.href : null };
      if (redirects === MOST_REDIRECTS)
        throw new PollError('too_many_redirects', `${wanted.url} redirects more than ${MOST_REDIRECTS} times`);
      for (const one of setCookies.slice(0, MAXIMUM_COOKIES))
        if (one.length <= MAXIMUM_COOKIE) cookies.setCookieSync(one, url.href, { ignoreError: true });
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

type Answer = Omit<Page, 'movedTo'> & { readonly setCookies: readonly string[] };

/** Which origins need another manner of connection, as far as this process has learned it. */
interface Manners {
  of(origin: string): ConnectionManner;
  /** @returns false when the origin is asked in this manner already */
  learn(origin: string, manner: ConnectionManner): boolean;
}

const MAXIMUM_ORIGINS = 1_000;

function createManners(): Manners {
  const known = new Map<string, ConnectionManner>();
  const of = (origin: string): ConnectionManner => known.get(origin) ?? {};
  return {
    of,
    learn(origin, manner) {
      const before = of(origin);
      const now = { ...before, ...manner };
      if (Object.keys(now).length === Object.keys(before).length) return false;
      if (known.size >= MAXIMUM_ORIGINS) known.clear();
      known.set(origin, now);
      return true;
    },
  };
}

/** What would make a failed request work, null when nothing is known to. @param overHttp2 how it was asked */
function mannerAfter(error: unknown, overHttp2: boolean): ConnectionManner | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (overHttp2 && /^(?:ERR_HTTP2_|UND_ERR_(?:SOCKET|INFO|ABORTED)$|ECONNRESET$)/.test(code))
    return { avoidHttp2: true };
  // The parser takes two lengths that agree for one long number.
  const isLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || /^HPE_.*CONTENT_LENGTH$/.test(code);
  return isLength ? { repairHead: true } : null;
}

/** Asks once, and once more in another manner where that helps. @throws PollError, or the signal's reason */
async function ask(url: URL, wanted: PageRequest, options: FetchOptions, manners: Manners): Promise<Answer> {
  const timeout = options.timeoutMs ?? 20_000;
  const late = AbortSignal.timeout(timeout);
  const over = AbortSignal.any([wanted.signal, late]);
  for (;;) {
    let overHttp2 = false;
    const onConnected = (protocol: string | null): void => {
      overHttp2 = protocol === 'h2';
    };
    try {
      return await askOnce(url, wanted, options, { ...manners.of(url.origin), onConnected }, over);
    } catch (error) {
      if (wanted.signal.aborted) throw wanted.signal.reason;
      if (late.aborted) throw new PollError('timeout', `the whole answer did not come within ${timeout / 1000} s`);
      const manner = mannerAfter(error, overHttp2);
      if (!manner || !manners.learn(url.origin, manner)) throw networkFailure(error);
    }
  }
}

async function askOnce(
  url: URL,
  wanted: PageRequest,
  options: FetchOptions,
  manner: ConnectionManner & { readonly onConnected: OnConnected },
  over: AbortSignal,
): Promise<Answer> {
  const agent = guardedAgent(url, options.allowAddress, options.lookup, manner, manner.onConnected);
  // A request looks at its signal only once it has a connection: while one is being made, the agent is ended with it.
  const end = (): void => void agent.destroy().catch(() => undefined);
  over.addEventListener('abort', end, { once: true });
  try {
    over.throwIfAborted();
    const answer = await request(url, {
      dispatcher: agent,
      signal: over,
      ...(wanted.form ? { method: 'POST', body: new URLSearchParams(wanted.form).toString() } : {}),
      headers: {
        'user-agent': options.userAgent,
        accept: wanted.accept ?? ACCEPT,
        'accept-encoding': 'gzip, deflate, br',
        ...(wanted.form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...(wanted.etag ? { 'if-none-match': wanted.etag } : {}),
        ...(wanted.lastModified ? { 'if-modified-since': wanted.lastModified } : {}),
        ...lowerCased(wanted.headers ?? {}),
      },
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    );
    const setCookies = [answer.headers['set-cookie'] ?? []].flat();
    const skip = answer.statusCode === 304 || (REDIRECTS.has(answer.statusCode) && headers.location !== undefined);
    const body = skip
      ? Buffer.alloc(0)
      : await readBody(answer.body, headers['content-encoding'] ?? '', options.maximumBytes ?? 15 * 1_048_576);
    return { url: url.href, status: answer.statusCode, headers, body, setCookies };
  } finally {
    over.removeEventListener('abort', end);
    // Also drops a body that was left unread.
    await agent.destroy().catch(() => undefined);
  }
}

/** So that a header of the source replaces one of ours, in whatever case it is written. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
