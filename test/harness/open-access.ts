/** Access control that allows everything, for tests of other subjects. */
import type { Access } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import type { AccountId } from '../../schemas/access.ts';

const EVERYBODY: Caller = {
  kind: 'person',
  account: 'acc_0000000000000000' as AccountId,
  plan: 'pro',
  scopes: ['read', 'ask'],
  keyId: null,
  name: 'everybody@clarity.test',
};

/** Accepts every call as this caller and counts nothing. @param caller by default an account on Pro */
export const openAccess = (caller: Caller = EVERYBODY): Access => ({
  identify: async () => caller,
  authorise: () => async (request) => {
    request.access = caller;
  },
  chargePage: async () => ({}),
  giveBack: async () => ({}),
  rateLimitHeaders: async () => ({}),
});
