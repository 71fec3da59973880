/**
 * From entries as outlets wrote them to items: dated, cleaned, with one key and one address each, which has no
 * tracking parameters and is the same for AMP and mobile versions.
 */
import { DAY } from '../../../language/days.ts';
import type { ItemKey } from '../../../schemas/poll.ts';
import { fingerprint } from '../../../schemas/scalar.ts';
import type { Entry } from '../read/entry.ts';
import { cleanSummary, cleanText, shorten } from './clean-text.ts';
import { parseDate, parseRelativeTime } from './parse-date.ts';

/** Parameters that identify where a reader came from, never the article. */
const TRACKING =
  /^(?:utm_.*|fbclid|gclid|gclsrc|dclid|wbraid|gbraid|msclkid|yclid|twclid|igshid|igsh|mc_[ce]id|_ga|_gl|ref_src|ref_url|cmpid|cmp|ocid|ncid|ito|xtor|spm|sr_share|at_(?:medium|campaign|custom\d)|__twitter_impression|_hs(?:enc|mi)|hss_channel|mkt_tok|vero_id|trk|trkcampaign|wt\.mc_id|s_cid|smid|smtyp|taid|guccounter|guce_referrer.*|feedtype|rss|rsschannel|amp|amp_.*|outputtype|usqp|isfreeaccess)$/i;
/** Parameters that only track when they have one of these values. */
const SOURCE = /^(?:ref|source|src|from|via|medium|campaign|channel)$/i;
const SOURCES =
  /^(?:rss.*|feed.*|amp|twitter|facebook|linkedin|whatsapp|telegram|email|newsletter|home.*|social|google.*|app)$/i;

const MAX_LENGTH = 2_048;

/**
 * The canonical form of an article's address: absolute, http or https, host in lower case, without fragment,
 * credentials, default port and tracking parameters, the rest of the query sorted by name; AMP and mobile versions
 * become the article itself. Canonical addresses are unchanged.
 * @param base resolves a relative address
 * @returns null for what is not a web address
 */
export function canonicalUrl(address: string, base?: string): string | null {
  let url = webUrl(address.trim(), base);
  for (let wrapped = 0; url && wrapped < 3; wrapped++) {
    const inside = unwrapRedirector(url);
    if (!inside) break;
    url = inside;
  }
  if (!url) return null;
  url.username = '';
  url.password = '';
  url.hash = '';
  // Versions may be nested (m.example.in/story/amp/amp), so repeat until nothing changes.
  for (let before = ''; before !== url.href; ) {
    before = url.href;
    url.hostname = toDesktopHost(url.hostname);
    url.pathname = removeAmp(url.pathname);
    url.search = removeTracking(url.search);
  }
  return url.href.length <= MAX_LENGTH ? url.href : null;
}

function webUrl(address: string, base?: string): URL | null {
  const url = URL.parse(address, base);
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.hostname ? url : null;
}

/** The article inside an address of a cache or a redirector. */
function unwrapRedirector(url: URL): URL | null {
  const { hostname, pathname, searchParams } = url;
  const cached =
    /(?:^|\.)google\.[a-z.]{2,6}$/.test(hostname) && pathname.startsWith('/amp/')
      ? pathname.slice('/amp/'.length)
      : hostname.endsWith('.cdn.ampproject.org')
        ? pathname.replace(/^\/[a-z]+\//, '')
        : null;
  if (cached) return webUrl(cached.startsWith('s/') ? `https://${cached.slice(2)}` : `http://${cached}`);
  if (/(?:^|\.)google\.[a-z.]{2,6}$/.test(hostname) && pathname === '/url')
    return webUrl(searchParams.get('url') ?? searchParams.get('q') ?? '');
  // Bing News: `/news/apiclick.aspx?…&url=https%3a%2f%2f…`.
  if (/(?:^|\.)bing\.com$/.test(hostname) && pathname.toLowerCase() === '/news/apiclick.aspx')
    return webUrl(searchParams.get('url') ?? '');
  return null;
}

/** Replaces `m.`, `mobile.` and `amp.` by `www.`; within another subdomain they are removed. */
function toDesktopHost(host: string): string {
  const twin = /^(?:m|mobile|amp|touch|wap)\.(.+)$/.exec(host)?.[1] ?? /^www\.(?:m|mobile|amp)\.(.+)$/.exec(host)?.[1];
  if (!twin?.includes('.')) return host;
  const domain = /^[^.]+\.(?:[a-z]{2,}|(?:co|com|net|org|gov|ac|edu)\.[a-z]{2})$/.test(twin);
  return domain && !twin.startsWith('www.') ? `www.${twin}` : twin;
}

/** `/story/amp`, `/amp/story`, `/story.amp`, `/amp_story/`, `/story/amp.html`. */
function removeAmp(path: string): string {
  const parts = path
    .split('/')
    .filter((part, place) => place === 0 || !/^(?:amp|amphtml|amp\.html|ampstories)$/i.test(part));
  const joined = parts.join('/').replace(/\.amp(?=$|\.html?$)/i, '');
  return joined.startsWith('/') ? joined : `/${joined}`;
}

function removeTracking(search: string): string {
  const kept = search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return name !== '' && !TRACKING.test(name) && !(SOURCE.test(name) && SOURCES.test(value));
    });
  return kept.toSorted(byName).join('&');
}

const byName = (one: string, other: string): number => {
  const [a = '', b = ''] = [one.split('=', 1)[0], other.split('=', 1)[0]];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Prefixes of host names under which outlets serve the pages and feeds of one site. */
const SERVICE_LABEL = /^(?:www\d?|m|amp|mobile|feeds?|rss)\./;

const siteOf = (address: string): string => new URL(address).hostname.replace(SERVICE_LABEL, '');

/**
 * Whether a page is on the site of a source: on the same host but for a prefix such as `www.` or `feeds.`, or one of the
 * two hosts is a subdomain of the other.
 * @param page address of the page
 * @param source address of the feed or listing
 */
export function isSameSite(page: string, source: string): boolean {
  const [one, other] = [siteOf(page), siteOf(source)];
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

export interface FoundItem {
  readonly item_key: ItemKey;
  readonly url: string;
  readonly title: string;
  readonly summary: string | null;
  readonly published_at: Date | null;
  /**
   * When it was published, as far as a distance from now such as "2 hours ago" says. It is not part of the
   * fingerprint: it would be another at each poll.
   */
  readonly approximate_at: Date | null;
  readonly fingerprint: string;
}

const MAX_TITLE_LENGTH = 500;
const MAX_KEY_LENGTH = 300;

/**
 * Reads entries.
 * @param base the page they came from
 * @param now a date more than a day after it is an error of the outlet and counts as none
 * @returns items in the order of the page, each key once, and how many entries have no title or no address
 */
export function readItems(entries: readonly Entry[], base: string, now: Date): { items: FoundItem[]; refused: number } {
  const shared = findSharedIds(entries);
  const items = new Map<string, FoundItem>();
  let refused = 0;
  for (const entry of entries) {
    const item = readItem(entry, base, now, shared);
    if (!item) refused += 1;
    else if (!items.has(item.item_key)) items.set(item.item_key, item);
  }
  return { items: [...items.values()], refused };
}

/** Why an entry gives no item, as a sentence for operators; null when it gives one. */
function explainRefusal(entry: Entry, base: string): string | null {
  if (!entry.link) return 'it has no link';
  if (!canonicalUrl(entry.link, base)) return 'its link is not a web address';
  return readItem(entry, base, new Date(0), new Set()) ? null : 'it has neither title nor text';
}

function readItem(entry: Entry, base: string, now: Date, shared: ReadonlySet<string>): FoundItem | null {
  const url = entry.link && canonicalUrl(entry.link, base);
  const headline = cleanText(entry.title ?? '', MAX_TITLE_LENGTH);
  const text = cleanSummary(entry.summary, headline);
  // An entry without a headline, as in JSON Feed and Atom notes, is named by the beginning of its text.
  const title = headline || (text && shorten(text, 120));
  if (!url || !title) return null;
  const summary = text === title ? null : text;
  const { published, ago } = dateOf(entry, now);
  const key = (entry.id && !shared.has(entry.id) && entry.id.trim()) || url || title;
  return {
    item_key: (key.length <= MAX_KEY_LENGTH ? key : `${key.slice(0, 200)}#${fingerprint(key)}`) as ItemKey,
    url,
    title,
    summary,
    published_at: published,
    approximate_at: published ? null : ago,
    fingerprint: fingerprint(title, summary, published?.toISOString()),
  };
}

/**
 * When an entry was published: the first of its dates that can be parsed and is not in the future.
 * @param now when the page was read
 */
function dateOf(
  { date, other_dates = [] }: Pick<Entry, 'date' | 'other_dates'>,
  now: Date,
): { published: Date | null; ago: Date | null } {
  const texts = date ? [date, ...other_dates] : [];
  const dates = texts.map(parseDate);
  return {
    published: dates.find((one) => one !== null && one.getTime() <= now.getTime() + DAY) ?? null,
    ago: texts.map((text) => parseRelativeTime(text, now)).find((one) => one !== null) ?? null,
  };
}

/** Ids that several addresses share, as when a site gives every entry the name of the site: they identify nothing. */
function findSharedIds(entries: readonly Entry[]): Set<string> {
  const links = new Map<string, string | null>();
  const shared = new Set<string>();
  for (const { id, link } of entries) {
    if (!id) continue;
    if (links.has(id) && links.get(id) !== link) shared.add(id);
    else links.set(id, link);
  }
  return shared;
}

export interface JudgedEntry {
  /** As the outlet wrote it. */
  readonly entry: Entry;
  /** What is read of it, also where it gives no item. */
  readonly read: {
    readonly title: string;
    readonly link: string | null;
    readonly id: string | null;
    readonly published_at: Date | null;
  };
  readonly item: FoundItem | null;
  /** Why it gives no item; null where it gives one. */
  readonly refused: string | null;
}

/**
 * Reads entries and says of each whether it gives an item, for operators.
 * @param base the page they came from
 * @returns one for each entry, in the order of the page
 */
export function judgeEntries(entries: readonly Entry[], base: string, now: Date): JudgedEntry[] {
  const seen = new Set<string>();
  // All at once, since an id counts only where it is not shared.
  const { items } = readItems(entries, base, now);
  let next = 0;
  return entries.map((entry) => {
    const read = readOf(entry, now);
    const refused = explainRefusal(entry, base);
    if (refused) return { entry, read, item: null, refused };
    const [alone] = readItems([entry], base, now).items;
    const item = items[next];
    if (item && alone && item.url === alone.url && item.title === alone.title && !seen.has(item.item_key)) {
      seen.add(item.item_key);
      next += 1;
      return { entry, read, item, refused: null };
    }
    return { entry, read, item: null, refused: 'an earlier entry has the same id' };
  });
}

const readOf = (entry: Entry, now: Date): JudgedEntry['read'] => ({
  title: cleanText(entry.title ?? '', MAX_TITLE_LENGTH),
  link: entry.link,
  id: entry.id,
  published_at: dateOf(entry, now).published,
});
