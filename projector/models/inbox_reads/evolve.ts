/** What was read, and when. */
import type { KnownEvent } from '../../../schemas/events.ts';

export interface ReadRow {
  readonly account: string;
  readonly signal_id: string;
  readonly read_at: string;
  readonly up_to: string | null;
}

const UP_TO = 'up to ';

/** One key for each item, and one for the mark up to an item. */
export function readsOf(event: KnownEvent): readonly string[] {
  if (event.type !== 'InboxRead') return [];
  const { account, signal_ids, up_to } = event.data;
  const items = [...signal_ids, ...(up_to ? [`${UP_TO}${up_to.signal_id}`] : [])];
  return [...new Set(items)].map((item) => `${account} ${item}`);
}

/** The first reading counts: an item that is marked again keeps its time. */
export function evolveRead(row: ReadRow | null, event: KnownEvent, key: string): ReadRow | null {
  if (row || event.type !== 'InboxRead') return row;
  const { account, up_to } = event.data;
  const item = key.slice(account.length + 1);
  const isMark = item.startsWith(UP_TO);
  return {
    account,
    signal_id: isMark ? item.slice(UP_TO.length) : item,
    read_at: event.time,
    up_to: isMark ? (up_to?.delivered_at ?? null) : null,
  };
}
