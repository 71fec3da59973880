/** One address per article: without tracking parameters, and the same for its AMP and mobile versions. */

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
