/** Subscribers of the morning brief by mail: one row per account, ended subscriptions included. */
import { readFileSync } from 'node:fs';
import { ERASED_EMAIL } from '../../schemas/access.ts';
import { BRIEF_MAIL_PREFIX, type BriefScope } from '../../schemas/brief.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { modelVersion } from '../model-version.ts';
import type { Model } from '../read-model.ts';

interface SubscriberRow {
  readonly email: string;
  readonly scope: BriefScope;
  readonly token: string;
  /** When it began; a change of address or scope keeps it. */
  readonly since: string;
  /** Kept after its end, so that the links of old mails still say what they did. */
  readonly ended_at: string | null;
}

const SUBSCRIPTION_TYPES = ['BriefSubscribed', 'BriefUnsubscribed'] as const;

/** The account that an event is about. */
const subscriberOf = (event: KnownEvent): readonly string[] =>
  event.type === 'BriefSubscribed' || event.type === 'BriefUnsubscribed' ? [event.data.account_id] : [];

/** The row of an account after an event. */
function evolveSubscriber(row: SubscriberRow | null, event: KnownEvent): SubscriberRow | null {
  if (event.type === 'BriefSubscribed') {
    const { email, scope, token } = event.data;
    return { email, scope, token, since: row && row.ended_at === null ? row.since : event.time, ended_at: null };
  }
  if (event.type === 'BriefUnsubscribed') {
    if (!row) throw new Error(`BriefUnsubscribed of ${event.data.account_id} has no BriefSubscribed before it`);
    const email = event.data.by === 'erasure' ? ERASED_EMAIL : row.email;
    return { ...row, email, ended_at: row.ended_at ?? event.time };
  }
  return row;
}

const schema = readFileSync(new URL('./brief-subscribers.sql', import.meta.url), 'utf8');

/** Created after the rows. */
const indexes = [
  'CREATE INDEX brief_subscribers_token ON brief_subscribers (token)',
  'CREATE INDEX brief_subscribers_active ON brief_subscribers (key) WHERE ended_at IS NULL',
];

/** The name by which commands wait for it. */
export const BRIEF_SUBSCRIBERS = 'brief_subscribers';

/** One row an account, those that ended included. */
export function briefSubscribersModel(): Model<SubscriberRow> {
  return {
    name: BRIEF_SUBSCRIBERS,
    types: SUBSCRIPTION_TYPES,
    prefixes: [BRIEF_MAIL_PREFIX],
    topics: [],
    schema,
    indexes,
    version: modelVersion(import.meta.url, { schema }),
    keys: subscriberOf,
    evolve: evolveSubscriber,
    tables: [
      {
        name: 'brief_subscribers',
        columns: ['email', 'scope', 'token', 'since', 'ended_at'],
        records: ({ email, scope, token, since, ended_at }) => [{ email, scope, token, since, ended_at }],
      },
    ],
  };
}
