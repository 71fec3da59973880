/** Makes a key for its owner. */
import type { z } from 'zod';
import type { AccountName } from '../../access/account/command.ts';
import { commandAccount } from '../../access/account/own-write.ts';
import { newKey } from '../../access/keys/new-key.ts';
import type { IssuedKey, KeyBody } from '../../schemas/key.ts';
import type { RouteContext } from '../context.ts';
import { keyDocument } from './documents.ts';
import { OWNER } from './person.ts';

/**
 * The key itself is in the answer and nowhere else.
 * @throws Refusal when the plan or a missing approval stands against it
 */
export async function makeKey(
  context: Pick<RouteContext, 'database' | 'store' | 'now'>,
  whose: AccountName,
  { name, scopes = null, expires_at = null }: z.output<typeof KeyBody>,
): Promise<IssuedKey> {
  const { key, ...kept } = newKey();
  const command = { command: 'issue_key', key: kept, name, scopes, expires_at, plan: null } as const;
  const { account, events } = await commandAccount(context, whose, command, OWNER);
  const issued = account.keys.find(({ id }) => id === kept.id);
  const row = {
    ...kept,
    name,
    scopes: issued?.scopes ?? [],
    created_at: events.at(-1)?.time ?? context.now().toISOString(),
    expires_at,
    revoked_at: null,
  };
  return { key, details: keyDocument(row, context.now()) };
}
