/** Carries out commands on follows: reads the stream, decides, appends; who loses a race reads and decides again. */
import { type EventStore, type Position, RevisionConflict } from '../../log/event-store.ts';
import { type DataOf, type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { followsStream } from '../../schemas/follow.ts';
import { eventId } from '../../schemas/identity.ts';
import { decideAdd, decideRemove, type Target } from './decide.ts';
import { evolveFollows, type Follows, type KnownFollow, NO_FOLLOWS } from './state.ts';

type Store = Pick<EventStore, 'append' | 'read'>;
type Types = 'FollowAdded' | 'FollowRemoved' | 'InboxRead';

const ATTEMPTS = 8;

export interface Followed {
  readonly follow: KnownFollow;
  readonly isNew: boolean;
  /** Where the event stands; null when nothing happened. */
  readonly position: Position | null;
}

/** @throws Refusal */
export const addFollow = (store: Store, account: string, target: Target, now: Date): Promise<Followed> =>
  change(store, account, async (follows, append) => {
    const decision = decideAdd(account, follows, target);
    if ('known' in decision) return { follow: decision.known, isNew: false, position: null };
    const position = await append('FollowAdded', decision.added, now);
    const { follow_id: id, type, slug, name, signal_id } = decision.added;
    return { follow: { id, type, slug, name, signal_id, created_at: now.toISOString() }, isNew: true, position };
  });

/** @throws Refusal `not_found` */
export const removeFollow = (store: Store, account: string, id: string, now: Date): Promise<Position> =>
  change(store, account, async (follows, append) => append('FollowRemoved', decideRemove(account, follows, id), now));

/** Notes that items were read. */
export const markRead = (
  store: Store,
  { account, signal_ids, up_to }: DataOf<'InboxRead'>,
  now: Date,
): Promise<Position> =>
  change(store, account, async (_follows, append) => append('InboxRead', { account, signal_ids, up_to }, now));

type Append = <Type extends Types>(type: Type, data: DataOf<Type>, now: Date) => Promise<Position>;

async function change<Result>(
  store: Store,
  account: string,
  decide: (follows: Follows, append: Append) => Promise<Result>,
): Promise<Result> {
  const stream = followsStream(account);
  for (let attempt = 1; ; attempt++) {
    const stored = await store.read(stream);
    const follows = stored.map((event): KnownEvent => readEvent(event)).reduce(evolveFollows, NO_FOLLOWS);
    const revision = stored.at(-1)?.revision ?? -1;
    try {
      return await decide(follows, async (type, data, now) => {
        // The id holds place and content, so that two who write at the same place never pass for one.
        const id = eventId('follows', account, revision + 1, type, JSON.stringify(data));
        const event = newEvent(type, data, { id, time: now.toISOString() });
        return (await store.append(stream, [event], revision < 0 ? 'none' : revision)).position;
      });
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
}
