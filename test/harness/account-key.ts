/** Keys of accounts, issued as an operator would. */
import { randomUUID } from 'node:crypto';
import { accountOfEmail, type CommandServices, commandAccount } from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import type { KeyScope, Plan } from '../../schemas/access.ts';

export interface KeyOptions {
  /** E-mail address; by default that of a new account. */
  readonly account?: string;
  readonly plan?: Plan;
  readonly scopes?: readonly KeyScope[];
  readonly expires_at?: string;
}

/** Issues a key, by default on the free plan. @returns the key itself */
export async function accountKey(services: CommandServices, options: KeyOptions = {}): Promise<string> {
  const { account = `${randomUUID()}@clarity.test`, plan = 'free', scopes = null, expires_at = null } = options;
  const { key, ...kept } = newKey();
  const command = { command: 'issue_key', key: kept, name: 'test', scopes, expires_at, plan } as const;
  await commandAccount(services, accountOfEmail(account), command, { role: 'operator', by: 'test' });
  return key;
}
