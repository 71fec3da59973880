/** Subscriptions to the morning brief by mail: decides, appends, and decides anew when another was faster. */
import { type EventStore, type Position, RevisionConflict } from '../../log/event-store.ts';
import { type BriefScope, briefMailStream } from '../../schemas/brief-mail.ts';
import { type DataOf, type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/identity.ts';

type Subscribed = DataOf<'BriefSubscribed'>;
type Fact = KnownEvent<'BriefSubscribed' | 'BriefUnsubscribed'>;
type Told =
  | Pick<KnownEvent<'BriefSubscribed'>, 'type' | 'data'>
  | Pick<KnownEvent<'BriefUnsubscribed'>, 'type' | 'data'>;

export type SubscriptionCommand =
  | {
      readonly do: 'subscribe';
      readonly email: string;
      readonly scope: BriefScope /** Of a new subscription. */;
      readonly token: string;
    }
  | { readonly do: 'unsubscribe'; readonly by: DataOf<'BriefUnsubscribed'>['by'] };

const ATTEMPTS = 8;

/** What an account's stream tells: the newest subscription, which may have ended. */
export interface Subscription {
  readonly wanted: Subscribed;
  readonly active: boolean;
  /** How it ended; null while it is active. */
  readonly endedBy: DataOf<'BriefUnsubscribed'>['by'] | null;
}

/** The subscription after an event; null before the first. */
export function evolveSubscription(
  before: Subscription | null,
  event: Pick<KnownEvent, 'type' | 'data'>,
): Subscription | null {
  if (event.type === 'BriefSubscribed') return { wanted: event.data as Subscribed, active: true, endedBy: null };
  if (event.type !== 'BriefUnsubscribed') return before;
  return before && { ...before, active: false, endedBy: (event.data as DataOf<'BriefUnsubscribed'>).by };
}

/** What a command leads to; null when all is so already. Pure. */
export function decideSubscription(
  account_id: string,
  now: Subscription | null,
  command: SubscriptionCommand,
): Told | null {
  if (command.do === 'unsubscribe')
    // An erasure is written even after an unsubscription: it also removes the address from the read model.
    return now?.active || (now && command.by === 'erasure' && now.endedBy !== 'erasure')
      ? { type: 'BriefUnsubscribed', data: { account_id, by: command.by } }
      : null;
  const { email, scope, token } = command;
  if (now?.active && now.wanted.email === email && now.wanted.scope === scope) return null;
  // Mails that are out keep leading to the subscription, also to one that begins again.
  return { type: 'BriefSubscribed', data: { account_id, email, scope, token: now?.wanted.token ?? token } };
}

/** @returns where the event stands; null when nothing happened. @throws RevisionConflict when others keep being faster */
export async function changeSubscription(
  store: Pick<EventStore, 'append' | 'read'>,
  account: string,
  command: SubscriptionCommand,
  now: Date,
): Promise<Position | null> {
  const stream = briefMailStream(account);
  for (let attempt = 1; ; attempt++) {
    const stored = await store.read(stream);
    const events = stored.map((event): KnownEvent => readEvent(event));
    const fact = decideSubscription(account, events.reduce<Subscription | null>(evolveSubscription, null), command);
    if (!fact) return null;
    const revision = stored.at(-1)?.revision ?? -1;
    const id = eventId('brief mail', account, revision + 1, fact.type, JSON.stringify(fact.data));
    const event = newEvent(fact.type, fact.data as never, { id, time: now.toISOString() }) as Fact;
    try {
      return (await store.append(stream, [event], revision < 0 ? 'none' : revision)).position;
    } catch (error) {
      if (!(error instanceof RevisionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
}
