/** A fetcher that asks robots.txt first and remembers what it said. */

import { PollError } from '../poll-error.ts';
import { decodeBody } from './decode.ts';
import type { FetchPage, PageRequest } from './fetch-page.ts';
import { EVERYTHING, type RobotsRules, readRobots } from './robots-rules.ts';

/** RFC 9309, 2.4: not longer than a day. */
const KEPT = 86_400_000;
/**
 * A longer `Crawl-delay` is kept between two polls of a source, but not between the pages of one poll, which would hold
 * up other hosts.
 */
const LONGEST_REST_SECONDS = 60;
/** So that a host that no roster names any more does not stay for ever. */
const MOST_HOSTS = 20_000;

interface Remembered {
  readonly rules: RobotsRules;
  readonly until: number;
}

/**
 * Wraps a fetcher.
 * @param product our name in robots.txt
 * @returns a fetcher that throws PollError robots_disallowed for what the outlet wants left alone
 */
export function askingRobots(fetchPage: FetchPage, product: string, clock: () => Date): FetchPage {
  const hosts = new Map<string, Remembered>();

  async function rulesOf(origin: string, signal: AbortSignal): Promise<RobotsRules> {
    const remembered = hosts.get(origin);
    const left = remembered ? remembered.until - clock().getTime() : 0;
    // More than was given is left when the clock was set back.
    if (remembered && left > 0 && left <= KEPT) return remembered.rules;
    const rules = await fetchRules(fetchPage, { url: `${origin}/robots.txt`, signal }, product);
    // Without an answer nothing is remembered: what is asked for next will fail in its own words.
    if (!rules) return EVERYTHING;
    hosts.delete(origin);
    hosts.set(origin, { rules, until: clock().getTime() + KEPT });
    const [oldest] = hosts.keys();
    if (hosts.size > MOST_HOSTS && oldest !== undefined) hosts.delete(oldest);
    return rules;
  }

  return async (wanted) => {
    const url = URL.parse(wanted.url);
    const rules = url ? await rulesOf(url.origin, wanted.signal) : EVERYTHING;
    if (url && !rules.allows(url.pathname + url.search))
      throw new PollError(
        'robots_disallowed',
        `the outlet's robots.txt asks to leave ${url.pathname} alone; ask it for another way, or retire the source`,
      );
    const { crawlDelaySeconds } = rules;
    if (crawlDelaySeconds === 0) return fetchPage(wanted);
    const restMs = Math.min(crawlDelaySeconds, LONGEST_REST_SECONDS) * 1_000;
    return { ...(await fetchPage({ ...wanted, restMs })), crawlDelaySeconds };
  };
}

/** RFC 9309, 2.3.1: a missing file allows all, a server in trouble forbids all for the time being. */
async function fetchRules(fetchPage: FetchPage, wanted: PageRequest, product: string): Promise<RobotsRules | null> {
  try {
    const page = await fetchPage(wanted);
    if (page.status >= 500)
      throw new PollError(
        'server_error',
        `HTTP ${page.status} for robots.txt: the outlet has trouble of its own; it is tried again later`,
        {
          status: page.status,
        },
      );
    return page.status === 200
      ? readRobots(decodeBody(page.body, page.headers['content-type']).text, product)
      : EVERYTHING;
  } catch (error) {
    if (wanted.signal.aborted || (error instanceof PollError && error.code === 'server_error')) throw error;
    return null;
  }
}
