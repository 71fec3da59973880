import { describe, expect, it } from 'vitest';
import { savedSearchesModel } from '../../../projector/models/mail-subscriptions-read-models.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { specification, storedEvent } from '../given-when-then.ts';

const { given } = specification(savedSearchesModel());
const ID = 'sch_0000000000000001';
const named = { account_id: 'acc_1' as AccountId, search_id: ID };
const saved = () => storedEvent('SearchSaved', { ...named, name: 'Openings', query: 'kind=stores' });
const removed = () => storedEvent('SearchRemoved', named);
const issued = (token_hash: string) => storedEvent('SearchFeedIssued', { ...named, token_hash });

describe('a saved search', () => {
  it('given it is saved twice, then it is stored once, read until its first time', () => {
    const first = saved();
    expect(given([first]).when(saved()).records('saved_searches', ID)).toEqual([
      {
        account: 'acc_1',
        name: 'Openings',
        query: 'kind=stores',
        token_hash: null,
        saved_at: first.time,
        read_until: first.time,
        digest: null,
        digest_email: null,
        digest_token: null,
        digest_since: null,
        digest_ended_by: null,
      },
    ]);
  });

  it('given it is read, then up to the latest moment, whatever the order', () => {
    const read = (up_to: string) => storedEvent('SearchRead', { ...named, up_to });
    const [record] = given([saved(), read('2100-01-02T00:00:00.000Z')])
      .when(read('2100-01-01T00:00:00.000Z'))
      .records('saved_searches', ID);
    expect(record?.read_until).toBe('2100-01-02T00:00:00.000Z');
  });

  it('given a feed, then the newest token opens it, and none after it was revoked', () => {
    const [record] = given([saved(), issued('one')])
      .when(issued('two'))
      .records('saved_searches', ID);
    expect(record?.token_hash).toBe('two');
    const [without] = given([saved(), issued('two')])
      .when(storedEvent('SearchFeedRevoked', named))
      .records('saved_searches', ID);
    expect(without?.token_hash).toBeNull();
  });

  it('given mails that were paused, then they go on where they stopped; those that their reader ended start from the next signal', () => {
    const chosen = (every: 'daily' | 'weekly', time: string) =>
      storedEvent('SearchDigestChosen', { ...named, every, email: 'asha@clarity.test', token: 't'.repeat(32) }, time);
    const [begun, resumed] = ['2026-11-20T00:00:00.000Z', '2026-11-22T00:00:00.000Z'] as const;
    const sinceAfter = (by: 'undeliverable' | 'page') => {
      const ended = storedEvent('SearchDigestEnded', { ...named, by });
      const [record] = given([saved(), chosen('daily', begun), ended])
        .when(chosen('weekly', resumed))
        .records('saved_searches', ID);
      expect(record).toMatchObject({ digest: 'weekly', digest_ended_by: null });
      return record?.digest_since;
    };
    expect([sinceAfter('undeliverable'), sinceAfter('page')]).toEqual([begun, resumed]);
  });

  it('given another filter, then what fits it already is read, and not mailed', () => {
    const changed = (name: string, query: string) =>
      storedEvent('SearchChanged', { ...named, name, query }, '2026-11-23T00:00:00.000Z');
    const first = saved();
    const [renamed] = given([first]).when(changed('Deals', 'kind=stores')).records('saved_searches', ID);
    expect(renamed).toMatchObject({ name: 'Deals', read_until: first.time });
    const [other] = given([first]).when(changed('Deals', 'kind=deals')).records('saved_searches', ID);
    expect(other).toMatchObject({ query: 'kind=deals', read_until: '2026-11-23T00:00:00.000Z' });
  });

  it('given it was removed, then nothing of it is kept, and later events say nothing', () => {
    expect(
      given([saved(), issued('one')])
        .when(removed())
        .records('saved_searches', ID),
    ).toEqual([]);
    expect(given([saved(), removed()]).when(issued('two')).records('saved_searches', ID)).toEqual([]);
  });
});
