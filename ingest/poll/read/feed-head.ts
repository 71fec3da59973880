/** What a feed states about itself before its entries, read from its first kilobytes with bounded patterns. */
import { load } from 'cheerio/slim';
import type { PollingHints } from '../../../schemas/poll.ts';
import { hasCredentials } from '../../../schemas/scalar.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { cleanText } from '../normalise/clean-text.ts';

export interface FeedHead {
  /** The name of the feed as plain text, at most 120 characters; null where it gives none. */
  readonly title: string | null;
  /** WebSub hubs as absolute web addresses, in the order in which they are named. */
  readonly hubs: readonly string[];
  /** The address that the feed gives for itself, which is the topic at its hubs; null where it gives none. */
  readonly self: string | null;
  /** How often it may be read, as it states. */
  readonly polling: PollingHints;
}

const HEAD_BYTES = 65_536;
const MAX_TITLE_LENGTH = 120;
const MAX_HUBS = 5;
/** JSON has no head: `hubs` may come after the items, so a larger feed is left to its Link header. */
const MAX_JSON_BYTES = 1_048_576;
const FIRST_ENTRY = /<(?:\w{1,20}:)?(?:item|entry)[\s>]/i;
const LINK_ELEMENT = /<(?:\w{1,20}:)?link\s[^<>]{1,2000}>/gi;
const TITLE_ELEMENT = /<title(?:\s[^<>]{0,500})?>([\s\S]{0,500}?)<\/title>/i;

const WORDPRESS = /<generator>[^<]{0,100}wordpress/i;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** Seconds of the update periods of the syndication module. */
const PERIODS: Readonly<Record<string, number>> = {
  hourly: 3_600,
  daily: 86_400,
  weekly: 7 * 86_400,
  monthly: 30 * 86_400,
  yearly: 365 * 86_400,
};
const NO_HINTS: PollingHints = { minimum_seconds: 0, skip_hours: [], skip_days: [] };

interface Link {
  readonly rel: string;
  readonly href: string;
}

/** Reads the head of a fetched feed. Links in HTTP headers come before those in the feed, as WebSub asks for. */
export function readFeedHead(page: Pick<Page, 'url' | 'headers' | 'body'>): FeedHead {
  const inHeaders = parseLinkHeader(page.headers.link ?? '');
  const inBody = /^[\s\uFEFF]*\{/.test(page.body.subarray(0, 200).toString('utf8'))
    ? readJsonHead(page)
    : readXmlHead(page);
  const hubs = resolveWebAddresses(
    [...linksWithRelation(inHeaders, 'hub'), ...linksWithRelation(inBody.links, 'hub')],
    page.url,
  );
  const [self] = resolveWebAddresses(
    [...linksWithRelation(inHeaders, 'self'), ...linksWithRelation(inBody.links, 'self')],
    page.url,
  );
  return {
    title: cleanText(inBody.title, MAX_TITLE_LENGTH) || null,
    hubs: hubs.slice(0, MAX_HUBS),
    self: self ?? null,
    polling: inBody.polling,
  };
}

const linksWithRelation = (links: readonly Link[], relation: string): string[] =>
  links.filter(({ rel }) => rel.toLowerCase().split(/\s+/).includes(relation)).map(({ href }) => href);

/** Absolute ones; what has a user or a password is left out, since addresses are stored and logged. */
function resolveWebAddresses(addresses: readonly string[], base: string): string[] {
  const absolute = addresses.flatMap((address) => {
    const url = URL.parse(address.trim(), base);
    return url && /^https?:$/.test(url.protocol) && url.href.length <= 2_048 && !hasCredentials(url.href)
      ? [url.href]
      : [];
  });
  return [...new Set(absolute)];
}

/** The links of a Link header (RFC 8288). One that is not well-formed is left out. */
export function parseLinkHeader(header: string): Link[] {
  const links: Link[] = [];
  const text = header.slice(0, 8_192);
  for (const { 1: href = '', 2: parameters = '' } of text.matchAll(
    /<([^<>]{1,2048})>((?:\s*;\s*[^;,="\s]+(?:\s*=\s*(?:"[^"]*"|[^;,"]*))?)*)/g,
  )) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^;,"\s]+))/i.exec(parameters);
    if (rel) links.push({ rel: rel[1] ?? rel[2] ?? '', href });
  }
  return links;
}

interface Found {
  readonly title: string;
  readonly links: readonly Link[];
  readonly polling: PollingHints;
}

function readXmlHead(page: Pick<Page, 'headers' | 'body'>): Found {
  const { text } = decodeBody(page.body.subarray(0, HEAD_BYTES), page.headers['content-type']);
  const end = FIRST_ENTRY.exec(text)?.index ?? text.length;
  // RSS 1.0 and some feeds of RSS 2.0 name the channel before the first entry; what follows it is not read.
  const head = text.slice(0, end);
  const title = TITLE_ELEMENT.exec(head)?.[1] ?? '';
  const elements = (head.match(LINK_ELEMENT) ?? []).slice(0, 50).map((element) => element.replace(/\/?>$/, '/>'));
  const links = load(`<links>${elements.join('')}</links>`, { xml: true })('links')
    .children()
    .toArray()
    .flatMap(({ attribs: { rel, href } }) => (rel && href ? [{ rel, href }] : []));
  return { title: title.replace(/^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/, '$1'), links, polling: pollingHints(head) };
}

/**
 * Reads `ttl`, `skipHours` and `skipDays` of RSS and the update period of its syndication module.
 * @param head the text of a feed before its first entry
 */
function pollingHints(head: string): PollingHints {
  const ttl = Number(/<ttl>\s{0,20}(\d{1,6})\s{0,20}<\/ttl>/i.exec(head)?.[1] ?? 0) * 60;
  const inside = (name: string, part: string): string[] => {
    const list = new RegExp(`<${name}>([\\s\\S]{0,4000}?)</${name}>`, 'i').exec(head)?.[1] ?? '';
    const parts = list.matchAll(new RegExp(`<${part}>\\s{0,20}(\\w{1,12})\\s{0,20}</${part}>`, 'gi'));
    return [...new Set([...parts].map(([, text = '']) => text.toLowerCase()))];
  };
  // RSS 0.91 counts hours from 1 to 24.
  const hours = inside('skipHours', 'hour').map((text) => (text === '24' ? 0 : Number(text)));
  const days = inside('skipDays', 'day').map((text) => DAYS.indexOf(text));
  return {
    minimum_seconds: Math.max(ttl, updatePeriod(head)),
    skip_hours: [...new Set(hours.filter((hour) => Number.isInteger(hour) && hour < 24))],
    skip_days: days.filter((day) => day >= 0),
  };
}

/** Seconds between two updates by the syndication module; 0 where the feed states none. */
function updatePeriod(head: string): number {
  const written = (name: string): string | undefined =>
    new RegExp(`<(?:\\w{1,20}:)?${name}>\\s{0,20}(\\w{1,12})\\s{0,20}</`, 'i').exec(head)?.[1]?.toLowerCase();
  const period = written('updatePeriod') ?? '';
  const frequency = Number(written('updateFrequency') ?? 1) || 1;
  // WordPress writes "hourly, once" into every feed, whatever its outlet does: that means nothing for this one.
  if (period === 'hourly' && frequency === 1 && WORDPRESS.test(head)) return 0;
  return Object.hasOwn(PERIODS, period) ? Math.round((PERIODS[period] ?? 0) / frequency) : 0;
}

/** JSON Feed: `title`, `feed_url`, and `hubs` of the type WebSub. */
function readJsonHead({ body }: Pick<Page, 'body'>): Found {
  const nothing = { title: '', links: [], polling: NO_HINTS };
  if (body.length > MAX_JSON_BYTES) return nothing;
  let feed: unknown;
  try {
    feed = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    // The reader of entries reports that it is not JSON.
    return nothing;
  }
  const { title, feed_url, hubs } = (feed ?? {}) as Record<string, unknown>;
  const named = (Array.isArray(hubs) ? hubs : []).flatMap((hub: unknown): Link[] => {
    const { type, url } = (hub ?? {}) as Record<string, unknown>;
    return typeof url === 'string' && /^(websub|pubsubhubbub)$/i.test(String(type)) ? [{ rel: 'hub', href: url }] : [];
  });
  const self = typeof feed_url === 'string' ? [{ rel: 'self', href: feed_url }] : [];
  return {
    title: typeof title === 'string' ? title.slice(0, 2_000) : '',
    links: [...named, ...self],
    polling: NO_HINTS,
  };
}
