/** How accounts are named. */
import { accountIdOf } from '../../schemas/access.ts';
import type { AccountName } from './command.ts';

/**
 * The account of a name: an e-mail address, or the `sub` of a sign-in token as it stands there.
 * An issuer whose `sub` is the e-mail address and an operator who names the address mean the same account.
 */
export const accountNamed = (name: string): AccountName => ({ id: accountIdOf(name), name });

/** The account of an e-mail address as people type it. */
export const accountOfEmail = (email: string): AccountName => accountNamed(email.trim().toLowerCase());
