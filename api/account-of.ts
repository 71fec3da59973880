/** The account behind a request that its guard let in. */
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../schemas/input-errors.ts';

/** @throws Refusal `auth_required` for a caller without an account */
export function accountOf(request: FastifyRequest): string {
  const { account } = request.access;
  if (account === null) throw new Refusal('auth_required', 'Send the key of an account, or sign in.');
  return account;
}
