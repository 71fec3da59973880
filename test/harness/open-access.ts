/** Access for what is tested without regard to access. */
import type { Access } from '../../access/access.ts';
import type { Caller } from '../../access/identify-caller.ts';

const EVERYBODY: Caller = {
  kind: 'person',
  account: 'acc_0000000000000000',
  plan: 'pro',
  scopes: ['read', 'ask'],
  keyId: null,
  name: 'everybody@clarity.test',
};

/** Lets everybody in as this caller and counts nothing. @param caller an account on Pro when unset */
export const openAccess = (caller: Caller = EVERYBODY): Access => ({
  identify: async () => caller,
  authorise: () => async (request) => {
    request.access = caller;
  },
  chargePage: async () => undefined,
  giveBack: async () => ({}),
  standing: async () => ({}),
});
