/** What an account follows: the fold of its stream. */
import type { KnownEvent } from '../../schemas/events.ts';
import type { FollowType } from '../../schemas/follow.ts';

export interface KnownFollow {
  readonly id: string;
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: string | null;
  readonly created_at: string;
}

export interface Follows {
  /** In force now, by id. */
  readonly active: ReadonlyMap<string, KnownFollow>;
  /** How many follows there ever were, so that one that begins anew gets another id. */
  readonly ever: number;
}

export const NO_FOLLOWS: Follows = { active: new Map(), ever: 0 };

/** The follows after an event; what says nothing of follows leaves them as they are. */
export function evolveFollows(follows: Follows, event: KnownEvent): Follows {
  if (event.type === 'FollowAdded') {
    const { follow_id: id, type, slug, name, signal_id } = event.data;
    const follow = { id, type, slug, name, signal_id, created_at: event.time };
    return { active: new Map(follows.active).set(id, follow), ever: follows.ever + 1 };
  }
  if (event.type === 'FollowRemoved') {
    const active = new Map(follows.active);
    active.delete(event.data.follow_id);
    return { ...follows, active };
  }
  return follows;
}
