/** A fetcher that asks robots.txt first and remembers what it said. */

import { PollError } from '../poll-error.ts';
import { type PageReader, sharedPageReader } from '../read/page-reader.ts';
import type { FetchPage } from './fetch-page.ts';

/** RFC 9309, 2.4: not longer than a day. */
const KEPT = 86_400_000;
/**
 * A longer `Crawl-delay` is kept between two polls of a source, but not between the pages of one poll, which would hold
 * up other hosts.
 */
const LONGEST_REST_SECONDS = 60;
/** So that a host that no roster names any more does not stay for ever. */
const MOST_HOSTS = 20_000;

/** Characters of rules that are remembered at most, of all hosts together. */
const MAX_RULES = 16_000_000;

interface Remembered {
  /** What the robots.txt says to us; empty when it allows all. */
  readonly rules: string;
  readonly until: number;
}

/**
 * Wraps a fetcher.
 * @param product our name in robots.txt
 * @param reader reads robots.txt, which is as hostile as any text; that of the process when unset
 * @returns a fetcher that throws PollError robots_disallowed for what the outlet wants left alone
 */
export function askingRobots(
  fetchPage: FetchPage,
  product: string,
  clock: () => Date,
  reader: PageReader = sharedPageReader(),
): FetchPage {
  const hosts = new Map<string, Remembered>();
  let kept = 0;

  function forget(origin: string): void {
    kept -= hosts.get(origin)?.rules.length ?? 0;
    hosts.delete(origin);
  }

  async function rulesOf(origin: string, signal: AbortSignal): Promise<string> {
    const remembered = hosts.get(origin);
    const left = remembered ? remembered.until - clock().getTime() : 0;
    // More than was given is left when the clock was set back.
    if (remembered && left > 0 && left <= KEPT) return remembered.rules;
    const rules = await fetchRules(origin, signal);
    // Without an answer nothing is remembered: what is asked for next will fail in its own words.
    if (rules === null) return '';
    forget(origin);
    hosts.set(origin, { rules, until: clock().getTime() + KEPT });
    kept += rules.length;
    for (const oldest of hosts.keys()) {
      if ((hosts.size <= MOST_HOSTS && kept <= MAX_RULES) || oldest === origin) break;
      forget(oldest);
    }
    return rules;
  }

  /** RFC 9309, 2.3.1: a missing file allows all, a server in trouble forbids all for the time being. */
  async function fetchRules(origin: string, signal: AbortSignal): Promise<string | null> {
    const page = await fetchPage({ url: `${origin}/robots.txt`, signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return null;
    });
    if (page && page.status >= 500)
      throw new PollError(
        'server_error',
        `HTTP ${page.status} for robots.txt: the outlet has trouble of its own; it is tried again later`,
        { status: page.status },
      );
    if (page?.status !== 200) return page && '';
    return reader.run('readRobots', { page, product }, signal);
  }

  return async (wanted) => {
    const url = URL.parse(wanted.url);
    const rules = url && (await rulesOf(url.origin, wanted.signal));
    if (!rules) return fetchPage(wanted);
    const question = { rules, url: url.href, product };
    const { allowed, crawlDelaySeconds } = await reader.run('checkRobots', question, wanted.signal);
    if (!allowed)
      throw new PollError(
        'robots_disallowed',
        `the outlet's robots.txt asks to leave ${url.pathname} alone; ask it for another way, or retire the source`,
      );
    if (crawlDelaySeconds === 0) return fetchPage(wanted);
    const restMs = Math.min(crawlDelaySeconds, LONGEST_REST_SECONDS) * 1_000;
    return { ...(await fetchPage({ ...wanted, restMs })), crawlDelaySeconds };
  };
}
