/** Makes a key for its owner. */
import type { z } from 'zod';
import { type AccountName, usualScopes } from '../../access/account.ts';
import { commandAccount } from '../../access/account-commands.ts';
import { newKey } from '../../access/api-keys.ts';
import { insufficientScope } from '../../access/authorise.ts';
import { planOf } from '../../projector/models/accounts-queries.ts';
import type { KeyScope } from '../../schemas/access.ts';
import type { IssuedKey, KeyBody } from '../../schemas/key.ts';
import type { RouteContext } from '../context.ts';
import { keyDocument } from './documents.ts';
import { OWNER } from './person.ts';

/** The scopes of a key that is made with a token of limited scopes: by default those of the plan that the token has. */
async function scopesWithin(
  { database }: Pick<RouteContext, 'database'>,
  { id }: AccountName,
  wanted: readonly KeyScope[] | null,
  mayGive: readonly KeyScope[],
): Promise<readonly KeyScope[]> {
  const lacking = wanted?.find((scope) => !mayGive.includes(scope));
  if (lacking)
    throw insufficientScope(
      lacking,
      `The token lacks the scope "${lacking}": a key made with it cannot have it either.`,
    );
  return wanted ?? usualScopes((await planOf(database, id)) ?? 'free').filter((scope) => mayGive.includes(scope));
}

/**
 * The key itself is in the answer and nowhere else.
 * @param mayGive scopes of the token that the person signed in with: the key may have no others; null for all
 * @throws Refusal when the plan or a missing approval stands against it
 */
export async function makeKey(
  context: Pick<RouteContext, 'database' | 'store' | 'now'>,
  whose: AccountName,
  { name, scopes: wanted = null, expires_at = null }: z.output<typeof KeyBody>,
  mayGive: readonly KeyScope[] | null = null,
): Promise<IssuedKey> {
  const scopes = mayGive === null ? wanted : await scopesWithin(context, whose, wanted, mayGive);
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
