/** What a poll found, held against what the source listed before. */

import type { FoundItem } from './items/read-items.ts';
import { known, type Listed, listedKey, listedValue, remember } from './listed.ts';

export interface Finding {
  readonly item: FoundItem;
  readonly firstSeen: Date;
  /** The fingerprint that an edited item had before; null for a new one. */
  readonly before: string | null;
  /** How many edits of the item were found, this one included; 0 for a new one. */
  readonly edits: number;
}

export interface Comparison {
  /** New and edited items, oldest first. */
  readonly findings: readonly Finding[];
  readonly listed: Listed;
}

const DAY = 86_400_000;

/**
 * Compares.
 * @param listed null at the first poll of a source
 * @param backlogDays at the first poll items that are at most so old count as seen on their own date
 * @param now the beginning of the poll
 * @param stillListed item keys that the page lists as well and whose entries were not read again
 */
export function compare(
  items: readonly FoundItem[],
  listed: Listed | null,
  backlogDays: number,
  now: Date,
  stillListed: readonly string[] = [],
): Comparison {
  const findings: Finding[] = [];
  const current: Record<string, string> = {};
  for (const itemKey of stillListed) {
    const value = listed?.[listedKey(itemKey)];
    if (value !== undefined) current[listedKey(itemKey)] = value;
  }
  for (const item of items) {
    const earlier = known(listed, item.item_key);
    const firstSeen = earlier?.firstSeen ?? (listed ? now : firstSeenOfBacklog(item, backlogDays, now));
    const isFinding = earlier?.fingerprint !== item.fingerprint;
    const edits = earlier ? earlier.edits + (isFinding ? 1 : 0) : 0;
    current[listedKey(item.item_key)] = listedValue(item.fingerprint, firstSeen, edits);
    if (isFinding) findings.push({ item, firstSeen, before: earlier?.fingerprint ?? null, edits });
  }
  // Pages list the newest first; turned round, entries without a date keep that order among themselves.
  findings.reverse();
  findings.sort((one, other) => time(one) - time(other));
  return { findings, listed: remember(current, listed) };
}

const time = ({ item, firstSeen }: Finding): number => (item.published_at ?? firstSeen).getTime();

function firstSeenOfBacklog({ published_at }: FoundItem, backlogDays: number, now: Date): Date {
  if (!published_at || published_at > now) return now;
  return now.getTime() - published_at.getTime() <= backlogDays * DAY ? published_at : now;
}
