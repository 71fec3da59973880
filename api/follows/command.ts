/** Carries out commands on follows: reads the stream, decides, appends; who loses a race reads and decides again. */
import { type EventStore, type Position, RevisionConflict } from '../../log/event-store.ts';
import { type DataOf, type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { followsStream } from '../../schemas/follow.ts';
import { eventId } from '../../schemas/identity.ts';
import { decideAdd, decideRemove, type Target } from './decide.ts';
import { evolveFollows, type Follows, type KnownFollow, NO_FOLLOWS } from './state.ts';

/** Whose follows, and the request that commands. */
export interface Command {
  readonly store: Pick<EventStore, 'append' | 'read'>;
  readonly account: string;
  /** The request's: part of the events' ids, so that two requests never pass for one. */
  readonly requestId: string;
  readonly now: Date;
}

export interface Followed {
  readonly follow: KnownFollow;
  readonly isNew: boolean;
  /** Where the event stands; null when nothing happened. */
  readonly position: Position | null;
}

const ATTEMPTS = 8;

/** @throws Refusal */
export const addFollow = (command: Command, target: Target): Promise<Followed> =>
  change(command, async (follows, append) => {
    const decision = decideAdd(command.account, follows, target);
    if ('known' in decision) return { follow: decision.known, isNew: false, position: null };
    const { follow_id: id, type, slug, name, signal_id } = decision.added;
    const follow = { id, type, slug, name, signal_id, created_at: command.now.toISOString() };
    return { follow, isNew: true, position: await append('FollowAdded', decision.added) };
  });

/** @throws Refusal `not_found` */
export const removeFollow = (command: Command, id: string): Promise<Position> =>
  change(command, async (follows, append) => append('FollowRemoved', decideRemove(command.account, follows, id)));

/** Notes that items were read. */
export const markRead = (command: Command, read: Omit<DataOf<'InboxRead'>, 'account'>): Promise<Position> =>
  change(command, async (_follows, append) => append('InboxRead', { account: command.account, ...read }));

type Types = 'FollowAdded' | 'FollowRemoved' | 'InboxRead';
type Append = <Type extends Types>(type: Type, data: DataOf<Type>) => Promise<Position>;

async function change<Result>(
  { store, account, requestId, now }: Command,
  decide: (follows: Follows, append: Append) => Promise<Result>,
): Promise<Result> {
  const stream = followsStream(account);
  for (let attempt = 1; ; attempt++) {
    const stored = await store.read(stream);
    const follows = stored.map((event): KnownEvent => readEvent(event)).reduce(evolveFollows, NO_FOLLOWS);
    const revision = stored.at(-1)?.revision ?? -1;
    try {
      return await decide(follows, async (type, data) => {
        const id = eventId('follows', account, revision + 1, type, requestId);
        const event = newEvent(type, data, { id, time: now.toISOString() });
        return (await store.append(stream, [event], revision < 0 ? 'none' : revision)).position;
      });
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
}
