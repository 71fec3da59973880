/** A server with access as it is in service, an issuer of sign-in tokens, and accounts with keys. */

import { migrateAccess, openAccess } from '../../access/access.ts';
import { accountKey, type KeyOptions } from '../harness/account-key.ts';
import { forgetCalls } from '../harness/database.ts';
import { type Issuer, startIssuer } from '../harness/issuer.ts';
import { BASE_URL, type Serving, serving } from './serving.ts';

export interface Keyed {
  readonly site: Serving;
  readonly issuer: Issuer;
  /** Issues a key as an operator would. */
  key(options?: KeyOptions): Promise<string>;
  /** Forgets all calls. */
  forgetCalls(): Promise<void>;
  /** Sets what the windows of an account or address hold, such as `{'acc_… day': 99}`, running for another minute. */
  spend(key: string, used: number): Promise<void>;
  close(): Promise<void>;
}

/** How long the server believes a key that it found, in milliseconds. */
const REMEMBER = 200;

export async function keyed(
  now: () => Date = () => new Date(),
  more: { readonly OPERATORS?: string[] } = {},
  models: readonly string[] = [],
): Promise<Keyed> {
  const issuer = await startIssuer(`${BASE_URL}/api/v1`, now);
  const site = await serving({
    models: ['accounts', ...models],
    access: (database) =>
      openAccess({ database, configuration: { BASE_URL, OIDC_ISSUER: issuer.url, ...more }, now, remember: REMEMBER }),
  });
  const { database, store } = site.engine;
  await migrateAccess(database);
  return {
    site,
    issuer,
    key: (options) => accountKey({ database, store, now }, options),
    forgetCalls: () => forgetCalls(database),
    async spend(key, used) {
      await database.query(
        `INSERT INTO access.quota_window VALUES ($1, $2, now() + interval '1 minute')
         ON CONFLICT (key) DO UPDATE SET used = EXCLUDED.used, ends_at = EXCLUDED.ends_at`,
        [key, used],
      );
    },
    async close() {
      await site.close();
      await issuer.close();
    },
  };
}
