/** Follows: one row each, ended ones included. */
import { readFileSync } from 'node:fs';
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { FOLLOWS_PREFIX, type FollowType, targetKey } from '../../schemas/follow.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

interface FollowRow {
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

/** The follow that an event is about. */
const followOf = (event: KnownEvent): readonly string[] =>
  event.type === 'FollowAdded' || event.type === 'FollowRemoved' ? [event.data.follow_id] : [];

/** The row of a follow after an event. */
function evolveFollow(row: FollowRow | null, event: KnownEvent): FollowRow | null {
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

const schema = readFileSync(new URL('./follows.sql', import.meta.url), 'utf8');

/** Created after the rows. */
const indexes = [
  'CREATE INDEX follows_of_account ON follows (account, added_at)',
  'CREATE INDEX follows_of_target ON follows (target) WHERE removed_at IS NULL',
];

/** The model of follows, one row each, those that ended included. */
export function followsModel(): Model<FollowRow> {
  return {
    name: 'follows',
    types: FOLLOW_TYPES_OF_EVENTS,
    prefixes: [FOLLOWS_PREFIX],
    topics: [],
    schema,
    indexes,
    version: modelVersion(import.meta.url, { schema }),
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
  };
}
