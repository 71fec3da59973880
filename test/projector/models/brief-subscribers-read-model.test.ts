import { describe, expect, it } from 'vitest';
import { briefSubscribersModel } from '../../../projector/models/mail-subscriptions-read-models.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { specification, storedEvent } from '../given-when-then.ts';

const ACCOUNT = 'acc_0123456789abcdef' as AccountId;
const subscribed = (changes: object = {}, time = '2026-11-20T00:00:00Z') =>
  storedEvent(
    'BriefSubscribed',
    { account_id: ACCOUNT, email: 'asha@clarity.test', scope: 'followed', token: 'x'.repeat(43), ...changes },
    time,
  );
const ended = (time = '2026-11-21T00:00:00Z') =>
  storedEvent('BriefUnsubscribed', { account_id: ACCOUNT, by: 'page' }, time);
const given = specification(briefSubscribersModel()).given;

describe('subscribers of the morning brief', () => {
  it('given a subscription, when its scope changes, then it has its new scope and its first beginning', () => {
    const { row } = given([subscribed()]).when(subscribed({ scope: 'everything' }, '2026-11-22T00:00:00Z'));
    expect(row(ACCOUNT)).toMatchObject({ scope: 'everything', since: '2026-11-20T00:00:00Z', ended_at: null });
  });

  it('given one that has ended, when it begins again, then it begins then', () => {
    const { row } = given([subscribed(), ended()]).when(subscribed({}, '2026-11-22T00:00:00Z'));
    expect(row(ACCOUNT)).toMatchObject({ since: '2026-11-22T00:00:00Z', ended_at: null });
  });

  it('given one that has ended, then it is kept for the links of old mails', () => {
    const { records } = given([subscribed()]).when(ended());
    expect(records('brief_subscribers', ACCOUNT)).toMatchObject([
      { token: 'x'.repeat(43), ended_at: '2026-11-21T00:00:00Z' },
    ]);
  });

  it('given none, when it ends, then the event is refused', () => {
    expect(given([]).when(ended()).refused).toEqual([expect.stringContaining('no BriefSubscribed')]);
  });
});
