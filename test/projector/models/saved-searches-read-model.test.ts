import { describe, expect, it } from 'vitest';
import { savedSearchesModel } from '../../../projector/models/saved-searches-read-model.ts';
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
        ...{ account: 'acc_1', name: 'Openings', query: 'kind=stores', token_hash: null },
        ...{ saved_at: first.time, read_until: first.time },
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

  it('given it was removed, then nothing of it is kept, and later events say nothing', () => {
    expect(
      given([saved(), issued('one')])
        .when(removed())
        .records('saved_searches', ID),
    ).toEqual([]);
    expect(given([saved(), removed()]).when(issued('two')).records('saved_searches', ID)).toEqual([]);
  });
});
