/**
 * The memory of what a source lists: hash of the item key -> `<fingerprint that was published>@<first seen, milliseconds
 * in base 36>@<edits found>@<fingerprint as it is listed>`. The last part, its beginning only, is there where an item may
 * be published otherwise than it is listed, completed from its article; then the first is empty while it is waited for.
 * By it a poll tells a new item from an edited one and from one that stays as it was.
 */
import { fingerprint } from '../../schemas/identity.ts';

export type Listed = Readonly<Record<string, string>>;

export interface Known {
  /** What was published of it; null for an item that still waits for its article. */
  readonly fingerprint: string | null;
  /** The beginning of its fingerprint as it was listed; null where that is what was published. */
  readonly listedAs: string | null;
  readonly firstSeen: Date | null;
  /** How many edits of it were found so far. */
  readonly edits: number;
}

/** Short, because thousands of sources are remembered at once. */
export const listedKey = (itemKey: string): string => fingerprint(itemKey).slice(0, 16);

/**
 * What is remembered under a key: see above.
 * @param print fingerprint of what was published of the item; null for none
 * @param edits how many edits of it were found so far
 * @param listedAs fingerprint of the item as it is listed, where another may be published
 */
export function listedValue(print: string | null, firstSeen: Date, edits: number, listedAs?: string): string {
  const begin = `${print ?? ''}@${firstSeen.getTime().toString(36)}`;
  if (listedAs !== undefined) return `${begin}@${edits}@${listedAs.slice(0, LISTED_AS)}`;
  return edits > 0 ? `${begin}@${edits}` : begin;
}

/** Characters of a fingerprint that tell two forms of one item apart. */
const LISTED_AS = 12;

/** True for an item that is listed as it was before. @param print its fingerprint */
export const isListedAs = ({ fingerprint, listedAs }: Known, print: string): boolean =>
  listedAs === null ? fingerprint === print : print.startsWith(listedAs);

/** What is known of an item, null for a new one. */
export function known(listed: Listed | null, itemKey: string): Known | null {
  const value = listed?.[listedKey(itemKey)];
  if (value === undefined) return null;
  const [print = '', moment = '', edits = '0', listedAs = ''] = value.split('@');
  const milliseconds = Number.parseInt(moment, 36);
  return {
    fingerprint: print || null,
    listedAs: listedAs || null,
    firstSeen: Number.isNaN(milliseconds) ? null : new Date(milliseconds),
    edits: Number.parseInt(edits, 10) || 0,
  };
}

/** Entries that left the listing and are still remembered, at least. */
const REMEMBERED_BEYOND = 200;
/** Entries that are remembered of a source, at most, unless it lists more: a poll must fit into an event. */
const MAXIMUM_REMEMBERED = 2_200;

/**
 * The memory after a poll: what is listed now, then the latest of what was before. It does not shrink, so that an answer
 * that was cut off, however long the listing, makes no old item new again.
 */
export function remember(now: Listed, before: Listed | null): Listed {
  const listed = Object.entries(now);
  const earlier = Object.entries(before ?? {});
  const size = Math.max(listed.length + REMEMBERED_BEYOND, Math.min(earlier.length, MAXIMUM_REMEMBERED));
  const gone = earlier.filter(([key]) => !Object.hasOwn(now, key));
  return Object.fromEntries([...listed, ...gone].slice(0, size));
}
