/** The API key for trying the demo newsroom: created at the first start, on loopback only. */
import { isIP } from 'node:net';
import { accountOfEmail } from '../access/account.ts';
import { changeAccount, loadAccount } from '../access/account-commands.ts';
import { newKey } from '../access/api-keys.ts';
import { waitForPosition } from '../projector/model-progress.ts';
import { ACCOUNTS } from '../projector/models/accounts-read-model.ts';
import type { Services } from './services.ts';

const ACCOUNT = accountOfEmail('demo@localhost');
/** Milliseconds to wait until the projector knows the key: a key that is shown must work, on a busy machine too. */
const PROJECTION_TIMEOUT = 60_000;

/** Whether a server on this address can be reached from this machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * Creates a Pro key for the demo account.
 * @returns the key; null when the account already has one, which is not stored and cannot be shown again
 */
export async function createFirstKey({
  store,
  database,
  now,
}: Pick<Services, 'store' | 'database' | 'now'>): Promise<string | null> {
  const { account } = await loadAccount(store, ACCOUNT.id);
  if (account.keys.length > 0) return null;
  const { key, ...kept } = newKey();
  const name = 'made at the first start of the demo';
  const command = { command: 'issue_key', key: kept, name, scopes: null, expires_at: null, plan: 'pro' } as const;
  const commander = { role: 'operator', by: 'first start' } as const;
  const { position } = await changeAccount(store, ACCOUNT, command, { commander, now: now() });
  if (position !== null) await waitForPosition(database, ACCOUNTS, position, PROJECTION_TIMEOUT);
  return key;
}
