/** What a robots.txt lets us read (RFC 9309). */
import robotsParser from 'robots-parser';

/** The package is CommonJS; its types speak of a default export that there is none of. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

export interface RobotsVerdict {
  readonly allowed: boolean;
  /** Seconds that are asked for between two requests (`Crawl-delay`), 0 when the group says nothing. */
  readonly crawlDelaySeconds: number;
}

/** RFC 9309, 2.5: at least so much is read; we read no more. */
const MAX_LENGTH = 512_000;
/** No address that we ask for is as long, and the cost of a pattern with wildcards grows with its length. */
const MAX_PATTERN = 2_000;
const LINE = /^\s*([A-Za-z-]{1,20})\s*:\s*([^#]*)/;
const RULES = new Set(['allow', 'disallow', 'crawl-delay']);
/** A delay of years is a mistake, or meant to keep everybody out, for which there is `Disallow`. */
const LONGEST_DELAY_SECONDS = 86_400;
/** Stands for all groups of other readers. No reader of this name exists. */
const OTHERS = 'others.invalid';

/**
 * The part of a robots.txt that is about us or about all readers, which is what needs to be remembered. The parser copies
 * each rule for each name of a group, so groups that name thousands of others must not reach it.
 * @param product our name as groups have it, such as `clarity`; what follows it, as in `clarity/2.0`, is ignored
 */
export function ownRules(text: string, product: string): string {
  const own = product.toLowerCase();
  const lines: string[] = [];
  let names = new Set<string>();
  let inRules = false;
  for (const line of text.slice(0, MAX_LENGTH).split(/\r\n|\r|\n/)) {
    const [, field = '', value = ''] = LINE.exec(line) ?? [];
    const kind = field.toLowerCase();
    if (kind === 'user-agent') {
      if (inRules) names = new Set();
      inRules = false;
      names.add(nameIn(value, own));
    } else if (RULES.has(kind) && names.size > 0) {
      const ours = [...names].filter((name) => name !== OTHERS);
      if (!inRules) lines.push(...ours.map((name) => `User-agent: ${name}`));
      inRules = true;
      const rule = kind === 'crawl-delay' ? secondsIn(value) : normal(value.trim());
      if (ours.length > 0 && rule !== null && rule.length <= MAX_PATTERN) lines.push(`${kind}: ${rule}`);
    }
  }
  return lines.join('\n');
}

/** The number that a delay begins with, as in `10` and `2.5 s`. */
const secondsIn = (value: string): string | null => /^\d{1,9}(?:\.\d{1,9})?/.exec(value.trim())?.[0] ?? null;

function nameIn(value: string, own: string): string {
  const name = value.trim().toLowerCase();
  if (name === '*') return name;
  return (/^[a-z_-]+/.exec(name)?.[0] ?? name) === own ? own : OTHERS;
}

/**
 * Asks a robots.txt about an address.
 * @param question `rules` from `ownRules`, `url` the address, on the site that the rules are from
 */
export function checkRobots({ rules, url, product }: { rules: string; url: string; product: string }): RobotsVerdict {
  const { origin, pathname, search } = new URL(url);
  const robots = parseRobots(`${origin}/robots.txt`, rules);
  const path = normal(pathname + search);
  return {
    allowed: path === '/robots.txt' || robots.isAllowed(origin + path, product) !== false,
    crawlDelaySeconds: Math.min(robots.getCrawlDelay(product) ?? 0, LONGEST_DELAY_SECONDS),
  };
}

/** One spelling of percent-encoded octets, so that they can be compared (RFC 9309, 2.2.2). */
function normal(target: string): string {
  return target
    .replace(/%[0-9a-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
    })
    .replace(/[^\p{ASCII}]+/gu, (letters) => encodeURIComponent(letters.toWellFormed()));
}
