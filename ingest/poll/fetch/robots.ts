/** robots.txt (RFC 9309): its rules for us, and a fetcher that obeys them. */
import robotsParser from 'robots-parser';
import { PollError } from '../poll-error.ts';
import { type PageReader, sharedPageReader } from '../read/page-reader.ts';
import type { FetchPage } from './fetch-page.ts';

/** The package is CommonJS; its types declare a default export that does not exist. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** Seconds that are asked for between two requests (`Crawl-delay`), 0 when the group says nothing. */
  readonly crawlDelaySeconds: number;
}

/** RFC 9309, 2.5: at least so much has to be read; more is not. */
const MAX_ROBOTS_LENGTH = 512_000;
/** No address that is requested is as long, and the cost of a pattern with wildcards grows with its length. */
const MAX_PATTERN_LENGTH = 2_000;
const LINE = /^\s*([A-Za-z-]{1,20})\s*:\s*([^#]*)/;
const RULES = new Set(['allow', 'disallow', 'crawl-delay']);
/** A longer delay is a mistake, or meant to exclude all readers, for which there is `Disallow`. */
const MAX_DELAY_SECONDS = 86_400;
/** Replaces the names of all other readers. No reader has this name. */
const OTHERS = 'others.invalid';

/**
 * The part of a robots.txt for this service or for all readers, which is what is cached. The parser copies each rule for
 * each name of a group, so groups that name thousands of others must not reach it.
 * @param product the name of the service as groups have it, such as `clarity`; what follows it, as in `clarity/2.0`, is ignored
 */
export function selectOwnRules(text: string, product: string): string {
  const own = product.toLowerCase();
  const lines: string[] = [];
  let names = new Set<string>();
  let inRules = false;
  for (const line of text.slice(0, MAX_ROBOTS_LENGTH).split(/\r\n|\r|\n/)) {
    const [, field = '', value = ''] = LINE.exec(line) ?? [];
    const kind = field.toLowerCase();
    if (kind === 'user-agent') {
      if (inRules) names = new Set();
      inRules = false;
      names.add(parseAgentName(value, own));
    } else if (RULES.has(kind) && names.size > 0) {
      const ours = [...names].filter((name) => name !== OTHERS);
      if (!inRules) lines.push(...ours.map((name) => `User-agent: ${name}`));
      inRules = true;
      const rule = kind === 'crawl-delay' ? parseSeconds(value) : normalizeOctets(value.trim());
      if (ours.length > 0 && rule !== null && rule.length <= MAX_PATTERN_LENGTH) lines.push(`${kind}: ${rule}`);
    }
  }
  return lines.join('\n');
}

/** The number that a delay begins with, as in `10` and `2.5 s`. */
const parseSeconds = (value: string): string | null => /^\d{1,9}(?:\.\d{1,9})?/.exec(value.trim())?.[0] ?? null;

function parseAgentName(value: string, own: string): string {
  const name = value.trim().toLowerCase();
  if (name === '*') return name;
  return (/^[a-z_-]+/.exec(name)?.[0] ?? name) === own ? own : OTHERS;
}

/**
 * Checks an address against the rules of a robots.txt.
 * @param question `rules` from `ownRules`, `url` the address, on the site that the rules are from
 */
export function checkRobots({ rules, url, product }: { rules: string; url: string; product: string }): RobotsVerdict {
  const { origin, pathname, search } = new URL(url);
  const robots = parseRobots(`${origin}/robots.txt`, rules);
  const path = normalizeOctets(pathname + search);
  return {
    allowed: path === '/robots.txt' || robots.isAllowed(origin + path, product) !== false,
    crawlDelaySeconds: Math.min(robots.getCrawlDelay(product) ?? 0, MAX_DELAY_SECONDS),
  };
}

/** One spelling of percent-encoded octets, so that they can be compared (RFC 9309, 2.2.2). */
function normalizeOctets(target: string): string {
  return target
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
    })
    .replace(/[^\p{ASCII}]+/gu, (letters) => encodeURIComponent(letters.toWellFormed()));
}

/** RFC 9309, 2.4: not longer than a day. */
const CACHE_MILLISECONDS = 86_400_000;
/**
 * A longer `Crawl-delay` is respected between two polls of a source, but not between the pages of one poll, which would
 * delay other hosts.
 */
const MAX_REST_SECONDS = 60;
/** Hosts that are cached: those that no roster names any more are dropped. */
const MAX_HOSTS = 20_000;

/** Characters of rules that are cached, of all hosts together. */
const MAX_CACHED_CHARACTERS = 16_000_000;

interface CachedRules {
  /** The rules for this service; empty when all is allowed. */
  readonly rules: string;
  readonly until: number;
}

/** The rules of hosts, for a day; the oldest are dropped when there are too many. */
class RulesCache {
  readonly #hosts = new Map<string, CachedRules>();
  #characters = 0;

  /** The rules of a site; null where they have to be fetched. */
  get(origin: string, now: number): string | null {
    const cached = this.#hosts.get(origin);
    const left = cached ? cached.until - now : 0;
    // More than the maximum is left when the clock was set back.
    return cached && left > 0 && left <= CACHE_MILLISECONDS ? cached.rules : null;
  }

  set(origin: string, rules: string, now: number): void {
    this.#delete(origin);
    this.#hosts.set(origin, { rules, until: now + CACHE_MILLISECONDS });
    this.#characters += rules.length;
    for (const oldest of this.#hosts.keys()) {
      const fits = this.#hosts.size <= MAX_HOSTS && this.#characters <= MAX_CACHED_CHARACTERS;
      if (fits || oldest === origin) break;
      this.#delete(oldest);
    }
  }

  #delete(origin: string): void {
    this.#characters -= this.#hosts.get(origin)?.rules.length ?? 0;
    this.#hosts.delete(origin);
  }
}

/** RFC 9309, 2.3.1: a missing file allows all, a failing server disallows all for now. */
async function fetchRules(
  origin: string,
  signal: AbortSignal,
  { fetchPage, product, reader }: { fetchPage: FetchPage; product: string; reader: PageReader },
): Promise<string | null> {
  const page = await fetchPage({ url: `${origin}/robots.txt`, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return null;
  });
  if (page && page.status >= 500)
    throw new PollError(
      'server_error',
      `HTTP ${page.status} for robots.txt: the server of the outlet fails; the poll is retried later`,
      { status: page.status },
    );
  if (page?.status !== 200) return page && '';
  return reader.run('readRobots', { page, product }, signal);
}

/**
 * Wraps a fetcher so that it obeys robots.txt, also for the targets of redirects.
 * @param product the name of the service in robots.txt
 * @param reader reads robots.txt, which is as hostile as any text; that of the process by default
 * @returns a fetcher that throws PollError robots_disallowed for what robots.txt disallows
 */
export function respectRobots(
  fetchPage: FetchPage,
  product: string,
  clock: () => Date,
  reader: PageReader = sharedPageReader(),
): FetchPage {
  const cache = new RulesCache();

  async function rulesOf(origin: string, signal: AbortSignal): Promise<string> {
    const cached = cache.get(origin, clock().getTime());
    if (cached !== null) return cached;
    const rules = await fetchRules(origin, signal, { fetchPage, product, reader });
    // Without a response nothing is cached: the request that follows fails with its own error.
    if (rules === null) return '';
    cache.set(origin, rules, clock().getTime());
    return rules;
  }

  /** @returns seconds of `Crawl-delay`. @throws PollError robots_disallowed */
  async function checkAddress(address: string, signal: AbortSignal): Promise<number> {
    const url = URL.parse(address);
    const rules = url && (await rulesOf(url.origin, signal));
    if (!rules) return 0;
    const { allowed, crawlDelaySeconds } = await reader.run('checkRobots', { rules, url: url.href, product }, signal);
    if (!allowed)
      throw new PollError(
        'robots_disallowed',
        `robots.txt of ${url.host} disallows ${url.pathname}; ask the outlet for another address, or retire the source`,
      );
    return crawlDelaySeconds;
  }

  const restOf = (seconds: number): number => Math.min(seconds, MAX_REST_SECONDS) * 1_000;

  return async (request) => {
    let crawlDelaySeconds = await checkAddress(request.url, request.signal);
    const page = await fetchPage({
      ...request,
      ...(crawlDelaySeconds > 0 ? { restMs: restOf(crawlDelaySeconds) } : {}),
      async onRedirect(url) {
        const delay = await checkAddress(url, request.signal);
        crawlDelaySeconds = Math.max(crawlDelaySeconds, delay);
        return { restMs: restOf(delay) };
      },
    });
    return crawlDelaySeconds > 0 ? { ...page, crawlDelaySeconds } : page;
  };
}
