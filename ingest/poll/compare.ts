/** What a poll found, held against what the source listed before. */

import type { FoundItem } from './items/read-items.ts';
import { isListedAs, known, type Listed, listedKey, listedValue, remember } from './listed.ts';

export interface Finding {
  readonly item: FoundItem;
  readonly firstSeen: Date;
  /** The fingerprint that an edited item had before; null for a new one. */
  readonly before: string | null;
  /** How many edits of the item were found, this one included; 0 for a new one. */
  readonly edits: number;
  /** What was published of it before had been completed from its article. */
  readonly wasCompleted: boolean;
  /** Fingerprint of the item as it is listed. */
  readonly listedAs: string;
}

export interface Comparison {
  /** New and edited items, oldest first. */
  readonly findings: readonly Finding[];
  readonly listed: Listed;
  /** The memory differs from before though nothing was found. */
  readonly adopted: boolean;
}

const DAY = 86_400_000;

/**
 * Compares.
 * @param listed null at the first poll of a source
 * @param backlogDays at the first poll items that are at most so old count as seen on their own date
 * @param now the beginning of the poll
 * @param listing whether it is a web page: of its entries without a date version 1.0 kept no fingerprint as they are
 *   listed, so that one that is known counts as unchanged
 */
export function compare(
  items: readonly FoundItem[],
  listed: Listed | null,
  backlogDays: number,
  now: Date,
  listing = false,
): Comparison {
  const findings: Finding[] = [];
  const current: Record<string, string> = {};
  let adopted = false;
  for (const item of items) {
    const key = listedKey(item.item_key);
    const earlier = known(listed, item.item_key);
    const firstSeen = earlier?.firstSeen ?? (listed ? now : firstSeenOf(item, backlogDays, now));
    const listedAs = item.fingerprint;
    const isOfVersion1 = listing && item.published_at === null && earlier !== null && earlier.listedAs === null;
    if (earlier && isOfVersion1) {
      adopted = true;
      current[key] = listedValue(earlier.fingerprint, firstSeen, earlier.edits, listedAs);
    } else if (earlier && isListedAs(earlier, listedAs)) {
      current[key] = listed?.[key] ?? '';
    } else {
      const before = earlier?.fingerprint ?? null;
      const edits = earlier && before !== null ? earlier.edits + 1 : 0;
      const wasCompleted = Boolean(before && earlier?.listedAs && !before.startsWith(earlier.listedAs));
      const finding = { item, firstSeen, before, edits, wasCompleted, listedAs };
      current[key] = publishedValue(finding);
      findings.push(finding);
    }
  }
  // Pages list the newest first; turned round, entries without a date keep that order among themselves.
  return { findings: byTime(findings.reverse()), listed: remember(current, listed), adopted };
}

/** What is remembered of an item once it is published. */
export const publishedValue = ({ item, firstSeen, edits, listedAs }: Finding): string =>
  item.fingerprint === listedAs && item.published_at !== null
    ? listedValue(item.fingerprint, firstSeen, edits)
    : listedValue(item.fingerprint, firstSeen, edits, listedAs);

/** Findings, oldest first. */
export const byTime = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((one, other) => time(one) - time(other));

const time = ({ item, firstSeen }: Finding): number => (item.published_at ?? firstSeen).getTime();

/** When an item of a source's first poll counts as first seen: on its own date where that is recent enough. */
export function firstSeenOf({ published_at }: FoundItem, backlogDays: number, now: Date): Date {
  if (!published_at || published_at > now) return now;
  return now.getTime() - published_at.getTime() <= backlogDays * DAY ? published_at : now;
}
