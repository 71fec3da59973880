/**
 * Follows: one row each, ended ones included; and what was read of inboxes. An account that follows a target of a signal
 * finds the signal in its inbox. Commands decide on the same fold of follows.
 */
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { FOLLOWS_PREFIX, type FollowType, targetKey } from '../../schemas/subscriptions.ts';
import { defineModel, type Model } from '../read-model.ts';

export interface FollowRow {
  readonly account: AccountId;
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: string | null;
  readonly added_at: string;
  /** Kept after its end, because what was delivered until then stays in the inbox. */
  readonly removed_at: string | null;
}

const FOLLOW_TYPES_OF_EVENTS = ['FollowAdded', 'FollowRemoved'] as const;

/** The key of the follow that an event is about. */
export const followOf = (event: KnownEvent): readonly string[] =>
  event.type === 'FollowAdded' || event.type === 'FollowRemoved' ? [event.data.follow_id] : [];

/** The row of a follow after an event. */
export function evolveFollow(row: FollowRow | null, event: KnownEvent): FollowRow | null {
  if (event.type === 'FollowAdded') {
    if (row) return row;
    const { account, type, slug, name, signal_id } = event.data;
    return { account, type, slug, name, signal_id, added_at: event.time, removed_at: null };
  }
  if (event.type === 'FollowRemoved') {
    if (!row) throw new Error(`FollowRemoved of ${event.data.follow_id} has no FollowAdded before it`);
    return row.removed_at ? row : { ...row, removed_at: event.time };
  }
  return row;
}

/** The model of follows, one row each, those that ended included. */
export function followsModel(): Model<FollowRow> {
  return defineModel(import.meta.url, {
    name: 'follows',
    types: FOLLOW_TYPES_OF_EVENTS,
    prefixes: [FOLLOWS_PREFIX],
    indexes: [
      'CREATE INDEX follows_of_account ON follows (account, added_at)',
      'CREATE INDEX follows_of_target ON follows (target) WHERE removed_at IS NULL',
    ],
    keys: followOf,
    evolve: evolveFollow,
    tables: [
      {
        name: 'follows',
        columns: ['account', 'type', 'slug', 'name', 'target', 'added_at', 'removed_at'],
        records: ({ account, type, slug, name, signal_id, added_at, removed_at }) => [
          { account, type, slug, name, target: targetKey(type, signal_id ?? slug), added_at, removed_at },
        ],
      },
    ],
  });
}

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

/** The model of what was read. */
export function inboxReadsModel(): Model<ReadRow> {
  return defineModel(import.meta.url, {
    name: 'inbox_reads',
    types: ['InboxRead'],
    prefixes: [FOLLOWS_PREFIX],
    indexes: [
      'CREATE INDEX inbox_reads_of_account ON inbox_reads (account, signal_id)',
      'CREATE INDEX inbox_reads_up_to ON inbox_reads (account, up_to, signal_id) WHERE up_to IS NOT NULL',
    ],
    keys: readsOf,
    evolve: evolveRead,
    tables: [
      {
        name: 'inbox_reads',
        columns: ['account', 'signal_id', 'read_at', 'up_to'],
        records: ({ account, signal_id, read_at, up_to }) => [{ account, signal_id, read_at, up_to }],
      },
    ],
  });
}
