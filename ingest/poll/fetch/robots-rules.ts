/** What a robots.txt lets us read (RFC 9309). */

export interface RobotsRules {
  /** @param target path and query of an address */
  allows(target: string): boolean;
  /** Seconds that are asked for between two requests (`Crawl-delay`), 0 when the group says nothing. */
  readonly crawlDelaySeconds: number;
}

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}

/** RFC 9309, 2.5: at least so much is read; we read no more. */
const LONGEST = 512_000;
const LINE = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/;

export const EVERYTHING: RobotsRules = { allows: () => true, crawlDelaySeconds: 0 };

/** A delay of years is a mistake, or meant to keep everybody out, for which there is `Disallow`. */
const LONGEST_DELAY_SECONDS = 86_400;

interface Group {
  readonly rules: Rule[];
  crawlDelaySeconds: number;
}

/**
 * Reads a robots.txt.
 * @param product our name as it stands in groups, such as `clarity`; the groups of that name count, else those of `*`
 */
export function readRobots(text: string, product: string): RobotsRules {
  const groups = groupsOf(text.slice(0, LONGEST));
  const { rules, crawlDelaySeconds } = groups.get(product.toLowerCase()) ?? groups.get('*') ?? newGroup();
  return {
    crawlDelaySeconds,
    allows(target) {
      const path = normal(target);
      if (path === '/robots.txt') return true;
      let best: Rule | null = null;
      for (const rule of rules) {
        if (!matches(rule.pattern, path)) continue;
        // The longest pattern counts, and of two that are equally long the one that allows.
        const longer = rule.pattern.length - (best?.pattern.length ?? -1);
        if (longer > 0 || (longer === 0 && rule.allow)) best = rule;
      }
      return best?.allow ?? true;
    },
  };
}

const newGroup = (): Group => ({ rules: [], crawlDelaySeconds: 0 });

function groupsOf(text: string): Map<string, Group> {
  const groups = new Map<string, Group>();
  let names: string[] = [];
  let inRules = true;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, field = '', value = ''] = LINE.exec(line) ?? [];
    const kind = field.toLowerCase();
    if (kind === 'user-agent') {
      if (inRules) names = [];
      inRules = false;
      const name = value.trim().toLowerCase();
      names.push(name === '*' ? name : (/^[a-z_-]+/.exec(name)?.[0] ?? name));
      for (const each of names) groups.set(each, groups.get(each) ?? newGroup());
    } else if (kind === 'allow' || kind === 'disallow') {
      inRules = true;
      // An empty pattern matches nothing.
      const pattern = normal(value.trim());
      if (pattern) for (const name of names) groups.get(name)?.rules.push({ allow: kind === 'allow', pattern });
    } else if (kind === 'crawl-delay') {
      inRules = true;
      const seconds = /^\d{1,9}(?:\.\d{1,9})?/.exec(value.trim())?.[0];
      if (seconds === undefined) continue;
      for (const name of names) {
        const group = groups.get(name);
        if (group) group.crawlDelaySeconds = Math.min(Number(seconds), LONGEST_DELAY_SECONDS);
      }
    }
  }
  return groups;
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

/** `*` stands for anything, `$` at the end for the end. Piece by piece, so that no pattern takes long. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [first = ''] = pieces;
  if (!path.startsWith(first)) return false;
  let place = first.length;
  for (const [number, piece] of pieces.entries()) {
    if (number === 0) continue;
    if (anchored && number === pieces.length - 1) return path.length - piece.length >= place && path.endsWith(piece);
    const found = path.indexOf(piece, place);
    if (found < 0) return false;
    place = found + piece.length;
  }
  return !anchored || place === path.length;
}
