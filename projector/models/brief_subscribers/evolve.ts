/** What each event does to a subscription. */
import type { BriefScope } from '../../../schemas/brief-mail.ts';
import type { KnownEvent } from '../../../schemas/events.ts';
import { ERASED_EMAIL } from '../../../schemas/personal-data.ts';

export interface SubscriberRow {
  readonly email: string;
  readonly scope: BriefScope;
  readonly token: string;
  /** When it began; a change of address or scope keeps it. */
  readonly since: string;
  /** Kept after its end, so that the links of old mails still say what they did. */
  readonly ended_at: string | null;
}

export const SUBSCRIPTION_TYPES = ['BriefSubscribed', 'BriefUnsubscribed'] as const;

/** The account that an event is about. */
export const subscriberOf = (event: KnownEvent): readonly string[] =>
  event.type === 'BriefSubscribed' || event.type === 'BriefUnsubscribed' ? [event.data.account_id] : [];

/** The row of an account after an event. */
export function evolveSubscriber(row: SubscriberRow | null, event: KnownEvent): SubscriberRow | null {
  if (event.type === 'BriefSubscribed') {
    const { email, scope, token } = event.data;
    return { email, scope, token, since: row && row.ended_at === null ? row.since : event.time, ended_at: null };
  }
  if (event.type === 'BriefUnsubscribed') {
    if (!row)
      throw new Error(`BriefUnsubscribed speaks of ${event.data.account_id}, of which no BriefSubscribed is known`);
    const email = event.data.by === 'erasure' ? ERASED_EMAIL : row.email;
    return { ...row, email, ended_at: row.ended_at ?? event.time };
  }
  return row;
}
