/** Who has the morning brief mailed: the fold of a subscription, the decisions on commands, and the handler. */
import { handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import type { AccountId } from '../schemas/access.ts';
import { type BriefScope, briefMailStream } from '../schemas/brief.ts';
import { type DataOf, type KnownEvent, readEvent } from '../schemas/events.ts';

type Subscribed = DataOf<'BriefSubscribed'>;
type BriefEvent =
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

/** The newest subscription in an account's stream, which may have ended. */
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
  account_id: AccountId,
  now: Subscription | null,
  command: SubscriptionCommand,
): BriefEvent | null {
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

/**
 * Carries out a command on the subscription of an account.
 * @returns the position of the event; null when nothing happened
 * @throws StreamContention when others keep being faster
 */
export async function changeSubscription(
  store: Pick<EventStore, 'append' | 'read'>,
  account: AccountId,
  command: SubscriptionCommand,
  now: Date,
): Promise<Position | null> {
  const { position } = await handleCommand(store, {
    stream: briefMailStream(account),
    fold: (stored) =>
      stored.map((event): KnownEvent => readEvent(event)).reduce<Subscription | null>(evolveSubscription, null),
    decide: (subscription) => {
      const fact = decideSubscription(account, subscription, command);
      return { facts: fact ? [fact] : [] };
    },
    now,
  });
  return position;
}
