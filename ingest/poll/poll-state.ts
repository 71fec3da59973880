/** What a poller remembers of a source between polls, and how a poll is compared with it. */

import { DAY } from '../../language/days.ts';
import type { AddressChange, ArrivalPattern, ItemKey, PollingHints, WaitingArticle } from '../../schemas/poll.ts';
import { addressKey, fingerprint } from '../../schemas/scalar.ts';
import type { SourceId } from '../../schemas/source.ts';
import type { FoundItem } from './normalise/read-items.ts';

/** What a poller remembers of a source between polls; after a restart it comes from the last poll that was projected. */
export interface PollState {
  readonly etag: string | null;
  readonly last_modified: string | null;
  /** The address of the response that gave these validators; unset in states of older versions. */
  readonly validators_url?: string | null;
  /** What the source listed: see `encodeListed`. Null before the first poll that succeeded. */
  readonly listed: Readonly<Record<string, string>> | null;
  readonly next_poll_at: string | null;
  readonly cadence_seconds?: number | null;
  readonly consecutive_failures?: number;
  /** A permanent redirect or a 410 that has not lasted long enough yet to be adopted. */
  readonly address_change?: AddressChange | null;
  readonly last_polled_at?: string | null;
  readonly last_success_at?: string | null;
  /** Polls on the day of the last one in IST, up to it. */
  readonly polls_today?: number;
  /** When the source's items arrive; null or unset before the first poll that learnt it. */
  readonly arrival_pattern?: ArrivalPattern | null;
  /** How often the feed may be read, as it states. */
  readonly polling_hints?: PollingHints | null;
  /** Items that are completed from their articles: see `article-queue.ts`. */
  readonly waiting?: readonly WaitingArticle[];
}

export const NEVER_POLLED: PollState = {
  etag: null,
  last_modified: null,
  validators_url: null,
  listed: null,
  next_poll_at: null,
  cadence_seconds: null,
  consecutive_failures: 0,
  address_change: null,
  last_polled_at: null,
  last_success_at: null,
  polls_today: 0,
  arrival_pattern: null,
  polling_hints: null,
  waiting: [],
};

// The states of all sources of a poller: ten thousand of them list hundreds of thousands of items.

export interface PollMemory {
  /** Undefined for a source that was not resumed yet, null for one that was never polled. */
  get(id: SourceId): PollState | null | undefined;
  set(id: SourceId, state: PollState | null): void;
  delete(id: SourceId): void;
}

/** Creates the memory of a poller. It stores states as text, which takes a fraction of the memory of objects. */
export function createPollMemory(): PollMemory {
  const packed = new Map<SourceId, string>();
  return {
    get(id) {
      const text = packed.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as PollState | null);
    },
    set: (id, state) => void packed.set(id, JSON.stringify(state && stateAlone(state))),
    delete: (id) => void packed.delete(id),
  };
}

/** A read model may return more than a poller needs, such as days of history. */
const stateAlone = (state: PollState): PollState => ({
  etag: state.etag,
  last_modified: state.last_modified,
  validators_url: state.validators_url ?? null,
  listed: state.listed,
  next_poll_at: state.next_poll_at,
  cadence_seconds: state.cadence_seconds ?? null,
  consecutive_failures: state.consecutive_failures ?? 0,
  address_change: state.address_change ?? null,
  last_polled_at: state.last_polled_at ?? null,
  last_success_at: state.last_success_at ?? null,
  polls_today: state.polls_today ?? 0,
  arrival_pattern: state.arrival_pattern ?? null,
  polling_hints: state.polling_hints ?? null,
  waiting: state.waiting ?? [],
});

// The memory of what a source lists: hash of the item key -> `<fingerprint that was published>@<first seen, milliseconds
// in base 36>@<edits found>@<fingerprint as it is listed>@<fingerprint of its words>@<fingerprint of its address>`. Of the
// last three only the beginning is kept. The fingerprint as it is listed is there where an item may be published
// differently, completed from its article; the first is empty while the item waits for it. The last two recognise an item
// whose source gives it another date or another id at every poll. Version 1 stored none of them.

export type Listed = Readonly<Record<string, string>>;

interface KnownItem {
  /** The fingerprint that was published; null for an item that still waits for its article. */
  readonly fingerprint: string | null;
  /** The beginning of its fingerprint as it was listed; null where that is what was published. */
  readonly listedAs: string | null;
  readonly firstSeen: Date | null;
  /** How many edits of it were found so far. */
  readonly edits: number;
  /** The beginnings of the fingerprints of its title and summary, and of its address; null where none is stored. */
  readonly words: string | null;
  readonly address: string | null;
}

/** Short, because thousands of sources are remembered at once. */
export const listedKey = (itemKey: ItemKey): string => fingerprint(itemKey).slice(0, 16);

/**
 * The value that is remembered under a key: see above.
 * @param print fingerprint of what was published of the item; null for none
 * @param edits how many edits of it were found so far
 * @param listedAs fingerprint of the item as it is listed, where another may be published
 * @param item whose words and address are remembered
 */
export function encodeListed(
  print: string | null,
  firstSeen: Date,
  edits: number,
  listedAs?: string,
  item?: ListedItem,
): string {
  const parts = [print ?? '', firstSeen.getTime().toString(36), edits, listedAs?.slice(0, BEGINNING) ?? ''];
  if (item) return [...parts, wordsOf(item), addressOf(item)].join('@');
  return (listedAs === undefined ? parts.slice(0, edits > 0 ? 3 : 2) : parts).join('@');
}

/** Characters of a fingerprint that distinguish two forms of one item. */
const BEGINNING = 12;

const wordsOf = ({ title, summary }: ListedItem): string => fingerprint(title, summary).slice(0, BEGINNING);
const addressOf = ({ url }: ListedItem): string => fingerprint(addressKey(url)).slice(0, BEGINNING);

/** True for an item that is listed as before, or with another date alone. */
function isListedUnchanged({ fingerprint: print, listedAs, words }: KnownItem, item: FoundItem): boolean {
  if (words !== null) return words === wordsOf(item);
  return listedAs === null ? print === item.fingerprint : item.fingerprint.startsWith(listedAs);
}

/** What is known of an item; null for a new one. */
function findKnownItem(listed: Listed | null, key: string): KnownItem | null {
  const value = listed?.[key];
  return value === undefined ? null : decodeListed(value);
}

function decodeListed(value: string): KnownItem {
  const [print = '', moment = '', edits = '0', listedAs = '', words = '', address = ''] = value.split('@');
  const milliseconds = Number.parseInt(moment, 36);
  return {
    fingerprint: print || null,
    listedAs: listedAs || null,
    firstSeen: Number.isNaN(milliseconds) ? null : new Date(milliseconds),
    edits: Number.parseInt(edits, 10) || 0,
    words: words || null,
    address: address || null,
  };
}

/** The items that were listed, by address. Each address has the key that was listed first. */
function keysByAddress(listed: Listed | null): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const [key, value] of Object.entries(listed ?? {})) {
    const { address } = decodeListed(value);
    if (address && !keys.has(address)) keys.set(address, key);
  }
  return keys;
}

/** Entries that left the listing and are still remembered, at least. */
const REMEMBERED_BEYOND = 200;
/** Maximum number of entries that are remembered of a source, unless it lists more: a poll must fit into an event. */
const MAX_REMEMBERED = 2_200;

/**
 * The memory after a poll: what is listed now, then the latest of what was before. It does not shrink, so that a
 * truncated response, however long the listing, makes no old item new again.
 */
function mergeListed(now: Listed, before: Listed | null): Listed {
  const listed = Object.entries(now);
  const earlier = Object.entries(before ?? {});
  const size = Math.max(listed.length + REMEMBERED_BEYOND, Math.min(earlier.length, MAX_REMEMBERED));
  const gone = earlier.filter(([key]) => !Object.hasOwn(now, key));
  return Object.fromEntries([...listed, ...gone].slice(0, size));
}

export interface Finding {
  readonly item: FoundItem;
  readonly firstSeen: Date;
  /** The fingerprint that an edited item had before; null for a new one. */
  readonly before: string | null;
  /** How many edits of the item were found, this one included; 0 for a new one. */
  readonly edits: number;
  /** The item as published before had been completed from its article. */
  readonly wasCompleted: boolean;
  /** Fingerprint of the item as it is listed. */
  readonly listedAs: string;
  /** What it is listed as, which may be published with what its article says. */
  readonly listed: ListedItem;
}

type ListedItem = Pick<FoundItem, 'title' | 'summary' | 'url'>;

export interface Comparison {
  /** New and edited items, oldest first. */
  readonly findings: readonly Finding[];
  readonly listed: Listed;
  /** The memory differs from before though nothing was found. */
  readonly adopted: boolean;
  /** Items of which the source changed the id or the date, and no word. */
  readonly restated: number;
}

/**
 * Compares the items of a poll with those listed before.
 * @param listed null at the first poll of a source
 * @param backlogDays at the first poll items that are at most so old count as seen on their own date
 * @param now the beginning of the poll
 * @param listing whether it is a web page: of its entries without a date version 1.0 kept no fingerprint as they are
 *   listed, so that one that is known counts as unchanged
 */
export function compareWithListed(
  items: readonly FoundItem[],
  listed: Listed | null,
  backlogDays: number,
  now: Date,
  listing = false,
): Comparison {
  const findings: Finding[] = [];
  const current: Record<string, string> = {};
  let adopted = false;
  let restated = 0;
  let byAddress: ReadonlyMap<string, string> | null = null;
  for (const item of items) {
    const key = listedKey(item.item_key);
    const earlier = findKnownItem(listed, key);
    if (!earlier && listed) {
      // One source and one address are one report: with the same words under another id it is no new item.
      byAddress ??= keysByAddress(listed);
      const before = byAddress.get(addressOf(item));
      const twin = before === undefined ? null : findKnownItem(listed, before);
      if (before !== undefined && twin && isListedUnchanged(twin, item)) {
        current[key] = listed[before] ?? '';
        restated += 1;
        adopted = true;
        continue;
      }
    }
    const firstSeen = earlier?.firstSeen ?? (listed ? now : firstSeenOf(item, backlogDays, now));
    const listedAs = item.fingerprint;
    const isOfVersion1 = listing && item.published_at === null && earlier !== null && earlier.listedAs === null;
    if (earlier && isOfVersion1) {
      adopted = true;
      current[key] = encodeListed(earlier.fingerprint, firstSeen, earlier.edits, listedAs, item);
    } else if (earlier && isListedUnchanged(earlier, item)) {
      if (!earlier.listedAs && earlier.fingerprint !== item.fingerprint) restated += 1;
      current[key] = listed?.[key] ?? '';
    } else {
      const before = earlier?.fingerprint ?? null;
      const edits = earlier && before !== null ? earlier.edits + 1 : 0;
      const wasCompleted = Boolean(before && earlier?.listedAs && !before.startsWith(earlier.listedAs));
      const finding = { item, firstSeen, before, edits, wasCompleted, listedAs, listed: item };
      current[key] = encodePublished(finding);
      findings.push(finding);
    }
  }
  // Pages list the newest first; reversed, entries without a date keep that order among themselves.
  return { findings: sortByTime(findings.reverse()), listed: mergeListed(current, listed), adopted, restated };
}

/** What is remembered of an item once it is published. */
export const encodePublished = ({ item, firstSeen, edits, listedAs, listed }: Finding): string =>
  encodeListed(
    item.fingerprint,
    firstSeen,
    edits,
    item.fingerprint === listedAs && item.published_at !== null ? undefined : listedAs,
    listed,
  );

/** Findings, oldest first. */
export const sortByTime = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((one, other) => time(one) - time(other));

const time = ({ item, firstSeen }: Finding): number => (item.published_at ?? firstSeen).getTime();

/** When an item of a source's first poll counts as first seen: on its own date where that is recent enough. */
export function firstSeenOf({ published_at }: FoundItem, backlogDays: number, now: Date): Date {
  if (!published_at || published_at > now) return now;
  return now.getTime() - published_at.getTime() <= backlogDays * DAY ? published_at : now;
}
