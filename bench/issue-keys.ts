/** Keys for those who call the API in a bench. */
import { randomBytes } from 'node:crypto';
import { accountOfEmail } from '../access/account.ts';
import { changeAccount } from '../access/account-commands.ts';
import { newKey } from '../access/api-keys.ts';
import type { EventStore } from '../log/event-store.ts';
import type { Database } from '../log/postgres/database.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { accountsModel } from '../projector/models/accounts-read-model.ts';
import { runProjector } from '../projector/run-projector.ts';

/**
 * Makes accounts on Pro with a key each, so many that no minute is full.
 * @returns the keys, once the read model of accounts knows them
 */
export async function issueKeys(database: Database, store: EventStore, accounts: number): Promise<string[]> {
  const commander = { role: 'operator', by: 'bench' } as const;
  const named = randomBytes(4).toString('hex');
  const issued: string[] = [];
  let position = 0n;
  for (let number = 0; number < accounts; number++) {
    const { key, ...kept } = newKey();
    const command = {
      command: 'issue_key',
      key: kept,
      name: 'bench',
      scopes: null,
      expires_at: null,
      plan: 'pro',
    } as const;
    const account = accountOfEmail(`${named}-${number}@bench.example`);
    position = (await changeAccount(store, account, command, { commander, now: new Date() })).position ?? position;
    issued.push(key);
  }
  const stop = new AbortController();
  const quiet = (): undefined => undefined;
  const logger = { info: quiet, warn: quiet, error: quiet };
  const topics = postgresTopics(database);
  const projector = runProjector({ models: [accountsModel()], database, store, topics, logger, signal: stop.signal });
  if (!(await waitForPosition(database, 'accounts', position, 120_000))) throw new Error('accounts do not advance');
  stop.abort();
  await Promise.all([projector, topics.close()]);
  return issued;
}
