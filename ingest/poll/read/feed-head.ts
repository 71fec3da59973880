/** What a feed states about itself before its entries, read from its first kilobytes with bounded patterns. */
import type { PollingHints } from '../../../schemas/poll.ts';
import { decodeBody } from '../fetch/decode-body.ts';
import type { Page } from '../fetch/fetch-page.ts';
import { cleanText } from '../normalise/clean-text.ts';

export interface FeedHead {
  /** The name of the feed as plain text, at most 120 characters; null where it gives none. */
  readonly title: string | null;
  /** How often it may be read, as it states. */
  readonly polling: PollingHints;
}

const HEAD_BYTES = 65_536;
const MAX_TITLE_LENGTH = 120;
/** JSON has no head: the title may come after the items. A larger feed is not read for it. */
const MAX_JSON_BYTES = 1_048_576;
const FIRST_ENTRY = /<(?:\w{1,20}:)?(?:item|entry)[\s>]/i;
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

/** Reads the head of a fetched feed. */
export function readFeedHead(page: Pick<Page, 'headers' | 'body'>): FeedHead {
  const { title, polling } = /^[\s\uFEFF]*\{/.test(page.body.subarray(0, 200).toString('utf8'))
    ? readJsonHead(page)
    : readXmlHead(page);
  return { title: cleanText(title, MAX_TITLE_LENGTH) || null, polling };
}

interface Found {
  readonly title: string;
  readonly polling: PollingHints;
}

function readXmlHead(page: Pick<Page, 'headers' | 'body'>): Found {
  const { text } = decodeBody(page.body.subarray(0, HEAD_BYTES), page.headers['content-type']);
  const end = FIRST_ENTRY.exec(text)?.index ?? text.length;
  // RSS 1.0 and some feeds of RSS 2.0 name the channel before the first entry; what follows it is not read.
  const head = text.slice(0, end);
  const title = TITLE_ELEMENT.exec(head)?.[1] ?? '';
  return { title: title.replace(/^\s*<!\[CDATA\[([\s\S]*?)\]\]>\s*$/, '$1'), polling: pollingHints(head) };
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

/** JSON Feed: `title`. */
function readJsonHead({ body }: Pick<Page, 'body'>): Found {
  const nothing = { title: '', polling: NO_HINTS };
  if (body.length > MAX_JSON_BYTES) return nothing;
  let feed: unknown;
  try {
    feed = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    // The reader of entries reports that it is not JSON.
    return nothing;
  }
  const { title } = (feed ?? {}) as Record<string, unknown>;
  return { title: typeof title === 'string' ? title.slice(0, 2_000) : '', polling: NO_HINTS };
}
