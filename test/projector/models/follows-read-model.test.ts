import { describe, expect, it } from 'vitest';
import { followsModel } from '../../../projector/models/follows-read-models.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { SignalId } from '../../../schemas/scalar.ts';
import { specification, storedEvent } from '../given-when-then.ts';

const { given } = specification(followsModel());
const ID = 'fol_0000000000000001';
const added = (changes: { type?: 'brand' | 'signal'; signal_id?: SignalId } = {}) =>
  storedEvent('FollowAdded', {
    account: 'acc_1' as AccountId,
    follow_id: ID,
    type: changes.type ?? 'brand',
    slug: 'kiri',
    name: 'Kiri',
    signal_id: changes.signal_id ?? null,
  });
const removed = () => storedEvent('FollowRemoved', { account: 'acc_1' as AccountId, follow_id: ID });

describe('a follow', () => {
  it('given it is added twice, then it is stored once, with its first time', () => {
    const first = added();
    const [record] = given([first]).when(added()).records('follows', ID);
    expect(record).toEqual({
      account: 'acc_1' as AccountId,
      type: 'brand',
      slug: 'kiri',
      name: 'Kiri',
      target: 'brand:kiri',
      added_at: first.time,
      removed_at: null,
    });
  });

  it('given a signal, then it waits for the signal and not for its slug', () => {
    const id = SignalId.parse('sig_0123456789abcdef');
    expect(
      given([])
        .when(added({ type: 'signal', signal_id: id }))
        .records('follows', ID)[0]?.target,
    ).toBe(`signal:${id}`);
  });

  it('given it is removed twice, then it ended the first time', () => {
    const end = removed();
    expect(given([added(), end]).when(removed()).records('follows', ID)[0]?.removed_at).toBe(end.time);
  });

  it('given it ends before it began, then the event is refused', () => {
    expect(given([]).when(removed()).refused).toEqual([expect.stringContaining('no FollowAdded')]);
  });
});
