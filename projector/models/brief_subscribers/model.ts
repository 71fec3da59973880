/** Subscribers of the morning brief by mail. */
import { readFileSync } from 'node:fs';
import { BRIEF_MAIL_PREFIX } from '../../../schemas/brief-mail.ts';
import type { Model } from '../../model.ts';
import { modelVersion } from '../../version.ts';
import { evolveSubscriber, SUBSCRIPTION_TYPES, type SubscriberRow, subscriberOf } from './evolve.ts';

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');

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
