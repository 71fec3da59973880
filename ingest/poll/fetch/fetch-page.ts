/** Fetches one page over HTTP, guarded by address, size, time and redirects, one request at a time per host. */
import type { lookup as systemLookup } from 'node:dns';
import { CookieJar } from 'tough-cookie';
import { request } from 'undici';
import { pause as realPause } from '../../../log/backoff.ts';
import {
  type AllowAddress,
  type ConnectionMode,
  createGuardedAgent,
  isPublicAddress,
  type OnConnected,
} from '../../../log/guarded-connection.ts';
import type { Source } from '../../../schemas/source.ts';
import { PollError, toPollError } from '../poll-error.ts';
import { readBody } from './decode-body.ts';

interface Host {
  /** Resolves when the last request in the queue has ended and its rest is over. */
  tail: Promise<void>;
  waiting: number;
}

interface HostGate {
  /**
   * Waits until the host is free.
   * @param restMs milliseconds of rest after this request, where the outlet asks for more than the default
   * @returns a function to call after the request
   * @throws the signal's reason when it aborts
   */
  enter(hostname: string, signal: AbortSignal, restMs?: number): Promise<() => void>;
}

/** Milliseconds of rest at a host: none on the own machine and network. */
export function restAt(hostname: string, rest: number): number {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return 0;
  const literal = /^[\d.]+$/.test(host) || host.includes(':');
  return literal && !isPublicAddress(host) ? 0 : rest;
}

/**
 * A gate for a process.
 * @param rest milliseconds between two requests to one host, 1,000 by default
 * @param pause waits; by the real clock by default
 */
export function createHostGate({
  rest = 1_000,
  pause = realPause,
}: {
  rest?: number;
  pause?: typeof realPause;
} = {}): HostGate {
  const hosts = new Map<string, Host>();
  return {
    async enter(hostname, signal, restMs = 0) {
      const host = hosts.get(hostname) ?? { tail: Promise.resolve(), waiting: 0 };
      hosts.set(hostname, host);
      const { promise: left, resolve: leave } = Promise.withResolvers<void>();
      const before = host.tail;
      host.waiting += 1;
      host.tail = before
        .then(() => left)
        .then(() => pause(restAt(hostname, Math.max(rest, restMs)), signal))
        .then(() => {
          host.waiting -= 1;
          // A host without waiting requests is removed, so that the map does not grow with every redirect.
          if (host.waiting === 0) hosts.delete(hostname);
        });
      await before;
      if (signal.aborted) {
        leave();
        throw signal.reason;
      }
      return leave;
    },
  };
}

interface PageRequest {
  readonly url: string;
  /** Validators of an earlier response, for a conditional request. */
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  /** The address of that response: validators are sent to it alone. `url` when unset. */
  readonly validatorsUrl?: string;
  /** Further headers; `${SOURCE_…}` in a value refers to a secret. They are sent to the origin of `url` only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds of rest at the host after this request; that of the gate is the minimum. */
  readonly restMs?: number;
  /**
   * Called with the target of a redirect before it is requested.
   * @returns milliseconds of rest at its host
   * @throws what ends the request
   */
  readonly onRedirect?: (url: string) => Promise<{ readonly restMs: number }>;
  /** The header Accept; that of feeds by default. */
  readonly accept?: string;
  readonly signal: AbortSignal;
}

export interface Page {
  /** The address of the response, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; a repeated one joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The target of the redirects, when all of them were permanent; else null. */
  readonly movedTo: string | null;
  /** Seconds that the host's robots.txt asks for between two requests; unset when it was not read or states none. */
  readonly crawlDelaySeconds?: number;
}

/** @throws PollError when there is no usable response; a response with an error status is returned */
export type FetchPage = (page: PageRequest) => Promise<Page>;

export interface FetchOptions {
  readonly allowAddress: AllowAddress;
  readonly userAgent: string;
  readonly gate?: HostGate;
  /** Maximum bytes after decoding; 15 MiB by default. */
  readonly maximumBytes?: number;
  /** Timeout of one request from connection to last byte, in milliseconds; 20 s by default. */
  readonly timeoutMs?: number;
  readonly lookup?: typeof systemLookup;
  /** The value of a secret that a header names; without it no header may name one. */
  readonly secrets?: SecretLookup;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4_096;
const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.8, */*;q=0.5';

/**
 * Creates the fetcher of a process. It follows at most five redirects, keeps cookies only while it follows them, and sends the
 * headers of a request to its own origin only.
 */
export function createFetchPage(options: FetchOptions): FetchPage {
  const modes = createConnectionModes();
  return async (wanted) => {
    let url = webUrl(wanted.url);
    const { origin } = url;
    const validatorsUrl = wanted.validatorsUrl ?? url.href;
    let { restMs } = wanted;
    // Cookies of one chain of redirects: some servers redirect until their cookie is sent.
    const cookies = new CookieJar();
    let permanent = true;
    for (let redirects = 0; ; redirects++) {
      const cookie = redirects > 0 ? cookies.getCookieStringSync(url.href) : '';
      const headers = {
        ...(cookie ? { cookie } : {}),
        ...(url.origin === origin ? insertSecrets(wanted.headers ?? {}, options.secrets) : {}),
      };
      const leave = await options.gate?.enter(url.hostname, wanted.signal, restMs);
      const { setCookies, ...page } = await requestWithFallback(
        url,
        { ...conditionalAt(validatorsUrl, url, wanted), headers },
        options,
        modes,
      ).finally(() => leave?.());
      const location = REDIRECTS.has(page.status) ? page.headers.location : undefined;
      if (location === undefined) return { ...page, movedTo: permanent && redirects > 0 ? url.href : null };
      if (redirects === MAX_REDIRECTS)
        throw new PollError('too_many_redirects', `${wanted.url} redirects more than ${MAX_REDIRECTS} times`);
      for (const one of setCookies.slice(0, MAX_COOKIES))
        if (one.length <= MAX_COOKIE_LENGTH) cookies.setCookieSync(one, url.href, { ignoreError: true });
      permanent &&= page.status === 301 || page.status === 308;
      url = webUrl(location, url);
      restMs = (await wanted.onRedirect?.(url.href))?.restMs;
    }
  };
}

/** The request without validators, unless they are of this address: equal ones of two pages say nothing. */
function conditionalAt(validatorsUrl: string, url: URL, request: PageRequest): PageRequest {
  return url.href === validatorsUrl ? request : { ...request, etag: null, lastModified: null };
}

function webUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new PollError('bad_address', `${JSON.stringify(address.slice(0, 200))} is not an http or https address`);
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** Informational responses (1xx) to one request. Servers send one or two. */
const MAX_HINTS = 20;

type Answer = Omit<Page, 'movedTo'> & { readonly setCookies: readonly string[] };

/** Origins that need another mode of connection, as far as this process has learned them. */
interface ConnectionModes {
  of(origin: string): ConnectionMode;
  /** @returns false when the origin has this mode already */
  learn(origin: string, mode: ConnectionMode): boolean;
}

const MAX_ORIGINS = 1_000;

function createConnectionModes(): ConnectionModes {
  const modes = new Map<string, ConnectionMode>();
  const of = (origin: string): ConnectionMode => modes.get(origin) ?? {};
  return {
    of,
    learn(origin, mode) {
      const before = of(origin);
      const now = { ...before, ...mode };
      if (Object.keys(now).length === Object.keys(before).length) return false;
      if (modes.size >= MAX_ORIGINS) modes.clear();
      modes.set(origin, now);
      return true;
    },
  };
}

/** The mode in which a failed request may succeed; null when none is known. @param overHttp2 whether it used HTTP/2 */
function fallbackMode(error: unknown, overHttp2: boolean): ConnectionMode | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (overHttp2 && /^(?:ERR_HTTP2_|UND_ERR_(?:SOCKET|INFO|ABORTED)$|ECONNRESET$)/.test(code))
    return { avoidHttp2: true };
  // The parser takes two lengths that agree for one long number.
  const isLength = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || /^HPE_.*CONTENT_LENGTH$/.test(code);
  return isLength ? { repairHead: true } : null;
}

/** Requests once, and again in another mode where that may help. @throws PollError, or the signal's reason */
async function requestWithFallback(
  url: URL,
  wanted: PageRequest,
  options: FetchOptions,
  modes: ConnectionModes,
): Promise<Answer> {
  const timeout = options.timeoutMs ?? 20_000;
  const late = AbortSignal.timeout(timeout);
  const over = AbortSignal.any([wanted.signal, late]);
  for (;;) {
    let overHttp2 = false;
    const onConnected = (protocol: string | null): void => {
      overHttp2 = protocol === 'h2';
    };
    try {
      return await requestOnce(url, wanted, options, { ...modes.of(url.origin), onConnected }, over);
    } catch (error) {
      if (wanted.signal.aborted) throw wanted.signal.reason;
      if (late.aborted) throw new PollError('timeout', `the response was not complete within ${timeout / 1000} s`);
      const mode = fallbackMode(error, overHttp2);
      if (!mode || !modes.learn(url.origin, mode)) throw toPollError(error);
    }
  }
}

async function requestOnce(
  url: URL,
  wanted: PageRequest,
  options: FetchOptions,
  mode: ConnectionMode & { readonly onConnected: OnConnected },
  over: AbortSignal,
): Promise<Answer> {
  const agent = createGuardedAgent(url, options.allowAddress, options.lookup, mode, mode.onConnected);
  // A request looks at its signal only once it has a connection: while one is being made, the agent is ended with it.
  // The request fails with its own error; that of destroying its agent adds nothing.
  const end = (): void => void agent.destroy().catch(() => undefined);
  let hints = 0;
  const onInfo = (): void => {
    if (++hints === MAX_HINTS) end();
  };
  over.addEventListener('abort', end, { once: true });
  try {
    over.throwIfAborted();
    const response = await request(url, {
      dispatcher: agent,
      signal: over,
      onInfo,
      headers: {
        'user-agent': options.userAgent,
        accept: wanted.accept ?? ACCEPT,
        'accept-encoding': 'gzip, deflate, br',
        ...(wanted.etag ? { 'if-none-match': wanted.etag } : {}),
        ...(wanted.lastModified ? { 'if-modified-since': wanted.lastModified } : {}),
        ...lowerCaseNames(wanted.headers ?? {}),
      },
    });
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    );
    const setCookies = [response.headers['set-cookie'] ?? []].flat();
    const skip = response.statusCode === 304 || (REDIRECTS.has(response.statusCode) && headers.location !== undefined);
    const body = skip
      ? Buffer.alloc(0)
      : await readBody(response.body, headers['content-encoding'] ?? '', options.maximumBytes ?? 15 * 1_048_576);
    return { url: url.href, status: response.statusCode, headers, body, setCookies };
  } catch (error) {
    throw hints >= MAX_HINTS
      ? new PollError('too_many_hints', `the server sent ${MAX_HINTS} informational responses and no final one`)
      : error;
  } finally {
    over.removeEventListener('abort', end);
    // Also drops a body that was not read. The result is known: an error of destroying the agent adds nothing.
    await agent.destroy().catch(() => undefined);
  }
}

/** So that a header of the source replaces one of ours, in whatever case it is written. */
const lowerCaseNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

// Secrets in the headers of a source: the roster names them, the environment contains them.

/** @returns the value of a setting such as `SOURCE_MINT_TOKEN`; undefined when it is not set */
export type SecretLookup = (name: string) => string | undefined;

/** A fetcher for further pages of a source: they get its headers where they are on its own origin. */
export function addSourceHeaders(fetchPage: FetchPage, source: Pick<Source, 'url' | 'headers'>): FetchPage {
  const { origin } = new URL(source.url);
  return (request) =>
    fetchPage(URL.parse(request.url)?.origin === origin ? { headers: source.headers, ...request } : request);
}

const REFERENCE = /\$\{(SOURCE_[A-Z0-9_]{1,80})\}/g;

/**
 * Replaces references by secrets. Only settings whose names begin with `SOURCE_` can be named, so that an editor of the roster
 * cannot send other secrets of the process to an address of their choice.
 * @throws PollError missing_secret, which names the setting and never a value
 */
function insertSecrets(
  headers: Readonly<Record<string, string>>,
  secrets: SecretLookup = () => undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, template]) => [
      name,
      template.replace(REFERENCE, (_whole, setting: string) => {
        const value = secrets(setting);
        if (!value || !/^[\x20-\x7e]+$/.test(value))
          throw new PollError(
            'missing_secret',
            `the header ${name} needs the setting ${setting}, which is unset here or holds what no header can`,
          );
        return value;
      }),
    ]),
  );
}
