/** What each event does to a follow. */
import type { KnownEvent } from '../../../schemas/events.ts';
import type { FollowType } from '../../../schemas/follow.ts';

export interface FollowRow {
  readonly account: string;
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: string | null;
  readonly added_at: string;
  /** Kept after its end, because what was delivered until then stays in the inbox. */
  readonly removed_at: string | null;
}

export const FOLLOW_TYPES_OF_EVENTS = ['FollowAdded', 'FollowRemoved'] as const;

/** The follow that an event is about. */
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
    if (!row) throw new Error(`FollowRemoved speaks of ${event.data.follow_id}, of which no FollowAdded is known`);
    return row.removed_at ? row : { ...row, removed_at: event.time };
  }
  return row;
}
