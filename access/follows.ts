/** The follows of an account: the fold of its stream, the decisions on commands, and the command handlers. */
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import type { AccountId } from '../schemas/access.ts';
import { type DataOf, type KnownEvent, readEvent } from '../schemas/events.ts';
import { Refusal } from '../schemas/input-errors.ts';
import { prefixedId, type SignalId } from '../schemas/scalar.ts';
import { type FollowType, followsStream, MAXIMUM_FOLLOWS } from '../schemas/subscriptions.ts';

interface KnownFollow {
  readonly id: string;
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: SignalId | null;
  readonly created_at: string;
}

export interface Follows {
  /** Active follows by id. */
  readonly active: ReadonlyMap<string, KnownFollow>;
  /** How many follows there ever were, so that a target that is followed again gets another id. */
  readonly ever: number;
}

export const NO_FOLLOWS: Follows = { active: new Map(), ever: 0 };

/** The follows after an event; events of other types change nothing. */
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

/** An existing target of a follow. */
export interface Target {
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly signal_id: SignalId | null;
}

type AddDecision = { readonly known: KnownFollow } | { readonly added: DataOf<'FollowAdded'> };

const isSame = (follow: KnownFollow, target: Target): boolean =>
  follow.type === target.type && (follow.signal_id ?? follow.slug) === (target.signal_id ?? target.slug);

/**
 * Follows a target; one that is followed already stays as it is.
 * @throws Refusal when the account follows as many as it may
 */
export function decideAdd(account: AccountId, follows: Follows, target: Target): AddDecision {
  const known = [...follows.active.values()].find((follow) => isSame(follow, target));
  if (known) return { known };
  if (follows.active.size >= MAXIMUM_FOLLOWS)
    throw new Refusal(
      'invalid_request',
      `This account follows ${MAXIMUM_FOLLOWS} targets, which is the maximum. DELETE one first.`,
    );
  const follow_id = prefixedId('fol', JSON.stringify([account, target.type, target.slug, follows.ever]));
  return { added: { account, follow_id, ...target } };
}

/** @throws Refusal `not_found` for a follow that the account does not have */
export function decideRemove(account: AccountId, follows: Follows, id: string): DataOf<'FollowRemoved'> {
  if (!follows.active.has(id))
    throw new Refusal('not_found', 'You have no follow of this id. GET /api/v1/follow lists them.');
  return { account, follow_id: id };
}

/** What a command on the follows of an account needs. */
export interface FollowCommand {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly account: AccountId;
  readonly now: Date;
}

interface Followed {
  readonly follow: KnownFollow;
  readonly isNew: boolean;
  /** Position of the event; null when nothing happened. */
  readonly position: Position | null;
}

/** @throws Refusal, or StreamContention when concurrent commands keep winning */
export async function addFollow(command: FollowCommand, target: Target): Promise<Followed> {
  const { decision, position } = await changeFollows(command, (follows) => {
    const decided = decideAdd(command.account, follows, target);
    if ('known' in decided) return { facts: [], follow: decided.known };
    const { follow_id: id, type, slug, name, signal_id } = decided.added;
    const follow = { id, type, slug, name, signal_id, created_at: command.now.toISOString() };
    return { facts: [{ type: 'FollowAdded', data: decided.added }], follow };
  });
  return { follow: decision.follow, isNew: decision.facts.length > 0, position };
}

/** @throws Refusal `not_found`, or StreamContention when concurrent commands keep winning */
export async function removeFollow(command: FollowCommand, id: string): Promise<Position | null> {
  const { position } = await changeFollows(command, (follows) => ({
    facts: [{ type: 'FollowRemoved', data: decideRemove(command.account, follows, id) }],
  }));
  return position;
}

/** Notes that items were read. @throws StreamContention when concurrent commands keep winning */
export async function markRead(
  command: FollowCommand,
  read: Omit<DataOf<'InboxRead'>, 'account'>,
): Promise<Position | null> {
  const { position } = await changeFollows(command, () => ({
    facts: [{ type: 'InboxRead', data: { account: command.account, ...read } }],
  }));
  return position;
}

type FollowFact = Fact<'FollowAdded' | 'FollowRemoved' | 'InboxRead'>;

const changeFollows = <Decision extends { readonly facts: readonly FollowFact[] }>(
  { store, account, now }: FollowCommand,
  decide: (follows: Follows) => Decision,
) =>
  handleCommand(store, {
    stream: followsStream(account),
    fold: (stored) => stored.map((event): KnownEvent => readEvent(event)).reduce(evolveFollows, NO_FOLLOWS),
    decide,
    now,
  });
