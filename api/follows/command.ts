/** Carries out commands on the follows of an account. */
import { type Fact, handleCommand } from '../../log/command-handler.ts';
import type { EventStore, Position } from '../../log/event-store.ts';
import { type DataOf, type KnownEvent, readEvent } from '../../schemas/events.ts';
import { followsStream } from '../../schemas/follow.ts';
import { decideAdd, decideRemove, type Target } from './decide.ts';
import { evolveFollows, type Follows, type KnownFollow, NO_FOLLOWS } from './state.ts';

/** Whose follows. */
export interface Command {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly account: string;
  readonly now: Date;
}

export interface Followed {
  readonly follow: KnownFollow;
  readonly isNew: boolean;
  /** Position of the event; null when nothing happened. */
  readonly position: Position | null;
}

/** @throws Refusal, or StreamContention when others keep being faster */
export async function addFollow(command: Command, target: Target): Promise<Followed> {
  const { decision, position } = await change(command, (follows) => {
    const decided = decideAdd(command.account, follows, target);
    if ('known' in decided) return { facts: [], follow: decided.known };
    const { follow_id: id, type, slug, name, signal_id } = decided.added;
    const follow = { id, type, slug, name, signal_id, created_at: command.now.toISOString() };
    return { facts: [{ type: 'FollowAdded', data: decided.added }], follow };
  });
  return { follow: decision.follow, isNew: decision.facts.length > 0, position };
}

/** @throws Refusal `not_found`, or StreamContention when others keep being faster */
export async function removeFollow(command: Command, id: string): Promise<Position | null> {
  const { position } = await change(command, (follows) => ({
    facts: [{ type: 'FollowRemoved', data: decideRemove(command.account, follows, id) }],
  }));
  return position;
}

/** Notes that items were read. @throws StreamContention when others keep being faster */
export async function markRead(command: Command, read: Omit<DataOf<'InboxRead'>, 'account'>): Promise<Position | null> {
  const { position } = await change(command, () => ({
    facts: [{ type: 'InboxRead', data: { account: command.account, ...read } }],
  }));
  return position;
}

type FollowFact = Fact<'FollowAdded' | 'FollowRemoved' | 'InboxRead'>;

const change = <Decision extends { readonly facts: readonly FollowFact[] }>(
  { store, account, now }: Command,
  decide: (follows: Follows) => Decision,
) =>
  handleCommand(store, {
    stream: followsStream(account),
    fold: (stored) => stored.map((event): KnownEvent => readEvent(event)).reduce(evolveFollows, NO_FOLLOWS),
    decide,
    now,
  });
