/** Read models with signals and subscribers of the morning brief. */
import { migrateAccess } from '../../../access/access-tables.ts';
import { accountOfEmail } from '../../../access/account.ts';
import { changeSubscription } from '../../../access/brief-mail.ts';
import { newToken } from '../../../access/web-session-store.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import type { BriefScope } from '../../../schemas/brief.ts';
import { type Serving, type ServingOptions, serving } from '../../api/serving.ts';

export interface Subscribed {
  readonly site: Serving;
  /** @returns the token of the subscription */
  subscribe(email: string, scope?: BriefScope, at?: Date): Promise<string>;
  /** The rows of the table of mails, by account name: state and attempts. */
  states(): Promise<Record<string, string>>;
}

export async function subscribed(options: ServingOptions = {}): Promise<Subscribed> {
  const site = await serving({
    ...options,
    models: ['follows', 'inbox', 'brief_subscribers', ...(options.models ?? [])],
  });
  const { database, store } = site.engine;
  await migrateAccess(database);
  return {
    site,
    async subscribe(email, scope = 'everything', at = new Date('2026-11-19T00:00:00Z')) {
      const token = newToken();
      const { id } = accountOfEmail(email);
      const position = await changeSubscription(store, id, { do: 'subscribe', email, scope, token }, at);
      if (position !== null) await waitForPosition(database, 'brief_subscribers', position, 10_000);
      return token;
    },
    async states() {
      const { rows } = await database.query<{ account: string; state: string }>(
        'SELECT account, state FROM access.brief_mail',
      );
      return Object.fromEntries(rows.map(({ account, state }) => [account, state]));
    },
  };
}
