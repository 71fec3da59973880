/** The account of the person who signed in, for what people do with their own account. */
import type { FastifyRequest } from 'fastify';
import type { AccountName, Commander } from '../../access/account.ts';
import { authRequired } from '../../access/authorise.ts';

export const OWNER: Commander = { role: 'owner', by: 'owner' };

/** @throws Refusal `auth_required` for a caller who did not sign in */
export function personOf({ access: { account, name } }: FastifyRequest): AccountName {
  if (account === null || name === undefined)
    throw authRequired('Sign in, and send the token as "Authorization: Bearer <token>".');
  return { id: account, name };
}
