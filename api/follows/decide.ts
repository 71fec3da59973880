/** What follows from a command of an account. Pure. */
import type { DataOf } from '../../schemas/events.ts';
import { type FollowType, MAXIMUM_FOLLOWS } from '../../schemas/follow.ts';
import { prefixedId } from '../../schemas/identity.ts';
import { Refusal } from '../../schemas/refusal.ts';
import type { Follows, KnownFollow } from './state.ts';

/** A target that is there. */
export interface Target {
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: string | null;
}

export type AddDecision = { readonly known: KnownFollow } | { readonly added: DataOf<'FollowAdded'> };

const isSame = (follow: KnownFollow, target: Target): boolean =>
  follow.type === target.type && (follow.signal_id ?? follow.slug) === (target.signal_id ?? target.slug);

/**
 * Follows a target; one that is followed already stays as it is.
 * @throws Refusal when the account follows as many as it may
 */
export function decideAdd(account: string, follows: Follows, target: Target): AddDecision {
  const known = [...follows.active.values()].find((follow) => isSame(follow, target));
  if (known) return { known };
  if (follows.active.size >= MAXIMUM_FOLLOWS)
    throw new Refusal(
      'invalid_request',
      `This account follows ${MAXIMUM_FOLLOWS} targets, which is the most. DELETE one first.`,
    );
  const follow_id = prefixedId('fol', JSON.stringify([account, target.type, target.slug, follows.ever]));
  return { added: { account, follow_id, ...target } };
}

/** @throws Refusal `not_found` for a follow that the account does not have */
export function decideRemove(account: string, follows: Follows, id: string): DataOf<'FollowRemoved'> {
  if (!follows.active.has(id))
    throw new Refusal('not_found', 'You have no follow of this id. GET /api/v1/follow lists them.');
  return { account, follow_id: id };
}
