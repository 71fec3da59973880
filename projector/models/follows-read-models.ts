/**
 * Follows: one row each, ended ones included. Inbox: the targets of each public signal, and what was read. An account
 * that follows a target finds the signal in its inbox. Commands decide on the same fold of follows.
 */
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { type BrandSlug, laterOf } from '../../schemas/scalar.ts';
import type { Report, SignalStatus } from '../../schemas/signal.ts';
import type { Understanding } from '../../schemas/story.ts';
import { FOLLOWS_PREFIX, type FollowType, targetKey } from '../../schemas/subscriptions.ts';
import { foldSignalsBy } from '../../signal/signal-status.ts';
import { defineModel, type Model, type TableRecord } from '../read-model.ts';
import { defineSignalModel } from './signal-model.ts';

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

interface InboxRow {
  readonly status: SignalStatus;
  readonly published_at: string;
  readonly theme: string | null;
  /** Brands that it is about. */
  readonly brands: readonly BrandSlug[];
  readonly follows: string | null;
  /** What it followed before that was linked: a follower of one of them keeps the entry. Unset without any. */
  readonly followed?: readonly string[];
  /** When each source first reported it; never before the signal was published. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Applies an event to the row of one of the signals that it touches. */
const evolveInbox = foldSignalsBy<InboxRow>({
  SignalDetected: ({ data: { status, published_at, understanding, report, follows } }) => {
    const detected = { status, published_at, ...named(understanding), follows, sources: {} };
    return { ...detected, sources: withSource(detected, report) };
  },
  SignalReported: (row, { data }) => (data.resurfaced ? row : { ...row, sources: withSource(row, data.report) }),
  SignalRevised: (row, { data }) => ({ ...row, ...named(data.after) }),
  SignalCorrected: (row, { data }) => ({ ...row, ...named(data.after) }),
  SignalLinked: (row, { data }) => ({
    ...row,
    follows: data.follows,
    ...(row.follows && { followed: [...(row.followed ?? []), row.follows] }),
  }),
  SignalReleased: (row) => ({ ...row, sources: from(row.sources, row.published_at) }),
  absorbed: (row, merged) => ({
    ...row,
    sources: { ...from(merged?.sources ?? {}, row.published_at), ...row.sources },
  }),
});

const named = ({ theme, brands }: Understanding): Pick<InboxRow, 'theme' | 'brands'> => ({
  theme: theme?.slug ?? null,
  brands: [...new Set(brands.filter(({ role }) => role === 'primary').map(({ slug }) => slug))],
});

const withSource = (
  { sources, published_at }: InboxRow,
  { source_id, first_seen_at }: Report,
): InboxRow['sources'] => ({ [source_id]: laterOf(first_seen_at, published_at), ...sources });

/** Nothing is delivered before it is published. */
const from = (sources: InboxRow['sources'], publishedAt: string): InboxRow['sources'] =>
  Object.fromEntries(Object.entries(sources).map(([source, at]) => [source, laterOf(at, publishedAt)]));

function targetsOf({ status, published_at, theme, brands, follows, followed = [], sources }: InboxRow): TableRecord[] {
  if (status !== 'public') return [];
  return [
    ...brands.map((brand) => ({ target: targetKey('brand', brand), at: published_at })),
    ...(theme ? [{ target: targetKey('theme', theme), at: published_at }] : []),
    ...[...new Set([...followed, ...(follows ? [follows] : [])])].map((earlier) => ({
      target: targetKey('signal', earlier),
      at: published_at,
    })),
    ...Object.entries(sources).map(([source, at]) => ({ target: targetKey('source', source), at })),
  ];
}

/** The model of inboxes. */
export function inboxModel(): Model<InboxRow> {
  return defineSignalModel(import.meta.url, {
    name: 'inbox',
    indexes: ['CREATE INDEX signal_targets_newest ON signal_targets (target, at, key)'],
    evolve: evolveInbox,
    tables: [
      { name: 'inbox_signals', columns: ['follows'], records: ({ follows }) => [{ follows }] },
      { name: 'signal_targets', columns: ['target', 'at'], records: targetsOf },
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
