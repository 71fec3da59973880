import { expect, it } from 'vitest';
import { accountsModel } from '../../../projector/models/accounts-read-model.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { specification, storedEvent } from '../given-when-then.ts';

const account_id = 'acc_0123456789abcdef' as AccountId;
const by = 'operator ravi';
const key = (number: number) =>
  storedEvent('KeyIssued', {
    account_id,
    by,
    key_id: `key_000000000000000${number}`,
    hash: String(number).repeat(64),
    ending: 'abcd',
    name: 'dashboard',
    scopes: ['read'],
    expires_at: null,
  });
const opened = storedEvent('AccountOpened', { account_id, by, name: 'asha@clarity.test' });
const applied = storedEvent('ApplicationSubmitted', {
  account_id,
  by: 'owner',
  application_id: 'app_0123456789abcdef',
  email: 'asha@clarity.test',
  use: 'A dashboard.',
});

it('given two keys, when the plan changes, then both have it', () => {
  const pro = storedEvent('PlanChanged', { account_id, by, from: 'free', to: 'pro' });
  const { records } = specification(accountsModel())
    .given([opened, key(1), key(2)])
    .when(pro);
  expect(records('api_keys', account_id)).toMatchObject([
    { id: 'key_0000000000000001', plan: 'pro', revoked: false },
    { id: 'key_0000000000000002', plan: 'pro', revoked: false },
  ]);
});

it('given two keys, when one is revoked, then the other stays', () => {
  const revoked = storedEvent('KeyRevoked', { account_id, by, key_id: 'key_0000000000000001' });
  const { records } = specification(accountsModel())
    .given([opened, key(1), key(2)])
    .when(revoked);
  expect(records('api_keys', account_id).map(({ revoked }) => revoked)).toEqual([true, false]);
});

it('given an application, when it is approved, then operators no longer find it among those that wait', () => {
  const approved = storedEvent('ApplicationApproved', { account_id, by, application_id: 'app_0123456789abcdef' });
  const { records } = specification(accountsModel()).given([opened, applied]).when(approved);
  expect(records('accounts', account_id)).toMatchObject([{ application_status: 'approved' }]);
});

it('given no application, when one is approved, then the event is refused', () => {
  const approved = storedEvent('ApplicationApproved', { account_id, by, application_id: 'app_0123456789abcdef' });
  expect(specification(accountsModel()).given([opened]).when(approved).refused[0]).toContain('never submitted');
});
