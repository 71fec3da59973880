/**
 * The memory of what a source lists: hash of the item key -> `<fingerprint>@<first seen, milliseconds in base 36>`,
 * followed by `@<edits found>` when there were any. By it a poll tells a new item from an edited one and from one that stays as it was.
 */
import { fingerprint } from '../../schemas/identity.ts';

export type Listed = Readonly<Record<string, string>>;

export interface Known {
  readonly fingerprint: string;
  readonly firstSeen: Date | null;
  /** How many edits of it were found so far. */
  readonly edits: number;
}

/** Short, because thousands of sources are remembered at once. */
export const listedKey = (itemKey: string): string => fingerprint(itemKey).slice(0, 16);

/**
 * What is remembered under a key: see above.
 * @param print fingerprint of the item's content
 * @param edits how many edits of it were found so far
 */
export const listedValue = (print: string, firstSeen: Date, edits: number): string =>
  `${print}@${firstSeen.getTime().toString(36)}${edits > 0 ? `@${edits}` : ''}`;

/** What is known of an item, null for a new one. */
export function known(listed: Listed | null, itemKey: string): Known | null {
  const value = listed?.[listedKey(itemKey)];
  if (value === undefined) return null;
  const [print = '', moment = '', edits = '0'] = value.split('@');
  const milliseconds = Number.parseInt(moment, 36);
  return {
    fingerprint: print,
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
