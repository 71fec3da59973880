/** Read models with signals, subscribers of the morning brief, and saved searches that are mailed. */
import { migrateAccess } from '../../../access/access.ts';
import { accountOfEmail } from '../../../access/account.ts';
import { changeSubscription } from '../../../access/mails.ts';
import { changeSearches, type SearchCommand } from '../../../access/subscriptions.ts';
import { newToken } from '../../../access/web-sessions.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import type { BriefScope, Digest } from '../../../schemas/subscriptions.ts';
import type { RoundOptions } from '../../../web/mail/mail-rounds.ts';
import { type Serving, type ServingOptions, serving } from '../../api/serving.ts';

export interface Subscribed {
  readonly site: Serving;
  /** @returns the token of the subscription */
  subscribe(email: string, scope?: BriefScope, at?: Date): Promise<string>;
  /** Saves a search of a person that is mailed. @returns its id, and the token that ends its mails */
  saveSearch(
    email: string,
    name: string,
    query: string,
    every: Digest,
    at?: Date,
  ): Promise<{ id: string; token: string }>;
  /** Carries out a command on the searches of a person, and waits until readers see it. */
  changeSearch(email: string, command: SearchCommand, at?: Date): Promise<string>;
  /** The rows of the table of mails, by account name: state and attempts. */
  states(): Promise<Record<string, string>>;
}

/** A logger of which a test sees each line. */
export const loggerTo = (note: (about: object, message: string) => void): RoundOptions['logger'] => ({
  info: note,
  warn: note,
  error: note,
});

/** Before everything that is published. */
const BEFORE = new Date('2026-11-16T00:00:00Z');

export async function subscribed(options: ServingOptions = {}): Promise<Subscribed> {
  const site = await serving({
    ...options,
    models: ['follows', 'brief_subscribers', 'saved_searches', ...(options.models ?? [])],
  });
  const { database, store } = site.engine;
  await migrateAccess(database);
  const changeSearch: Subscribed['changeSearch'] = async (email, command, at = BEFORE) => {
    const { id, position } = await changeSearches({ store, account: accountOfEmail(email).id, now: at }, command);
    if (position !== null) await waitForPosition(database, 'saved_searches', position, 10_000);
    return id;
  };
  return {
    changeSearch,
    async saveSearch(email, name, query, every, at) {
      const token = newToken();
      const id = await changeSearch(email, { do: 'save', name, query }, at);
      await changeSearch(email, { do: 'choose_digest', id, every, email, token }, at);
      return { id, token };
    },
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
