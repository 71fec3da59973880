/** Inbox items that an account has read. */
import { readFileSync } from 'node:fs';
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { FOLLOWS_PREFIX } from '../../schemas/follow.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

interface ReadRow {
  readonly account: AccountId;
  readonly signal_id: string;
  readonly read_at: string;
  readonly up_to: string | null;
}

const UP_TO = 'up to ';

/** One key for each item, and one for the mark up to an item. */
function readsOf(event: KnownEvent): readonly string[] {
  if (event.type !== 'InboxRead') return [];
  const { account, signal_ids, up_to } = event.data;
  const items = [...signal_ids, ...(up_to ? [`${UP_TO}${up_to.signal_id}`] : [])];
  return [...new Set(items)].map((item) => `${account} ${item}`);
}

/** The first reading counts: an item that is marked again keeps its time. */
function evolveRead(row: ReadRow | null, event: KnownEvent, key: string): ReadRow | null {
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

const schema = readFileSync(new URL('./inbox-reads.sql', import.meta.url), 'utf8');

/** The model of what was read. */
export function inboxReadsModel(): Model<ReadRow> {
  return {
    name: 'inbox_reads',
    types: ['InboxRead'],
    prefixes: [FOLLOWS_PREFIX],
    topics: [],
    schema,
    version: modelVersion(import.meta.url, { schema }),
    keys: readsOf,
    evolve: evolveRead,
    tables: [
      {
        name: 'inbox_reads',
        columns: ['account', 'signal_id', 'read_at', 'up_to'],
        records: ({ account, signal_id, read_at, up_to }) => [{ account, signal_id, read_at, up_to }],
      },
    ],
  };
}
