import { describe, expect, it } from 'vitest';
import { inboxReadsModel } from '../../../projector/models/follows-read-models.ts';
import type { AccountId } from '../../../schemas/access.ts';
import { specification, storedEvent } from '../given-when-then.ts';
import { idOf } from '../signal-events.ts';

const { given } = specification(inboxReadsModel());
const read = (names: string[], up_to: string | null = null) =>
  storedEvent('InboxRead', {
    account: 'acc_1' as AccountId,
    signal_ids: names.map(idOf),
    up_to: up_to === null ? null : { delivered_at: '2026-11-20T04:30:00Z', signal_id: idOf(up_to) },
  });
const key = (name: string): string => `acc_1 ${idOf(name)}`;

describe('what was read', () => {
  it('given an item is marked again, then it keeps its time', () => {
    const first = read(['one', 'two']);
    const outcome = given([first]).when(read(['two', 'three']));
    expect(outcome.records('inbox_reads', key('two'))).toEqual([
      { account: 'acc_1' as AccountId, signal_id: idOf('two'), read_at: first.time, up_to: null },
    ]);
    expect(outcome.records('inbox_reads', key('three'))).toHaveLength(1);
  });

  it('given a mark up to an item, then it is stored next to the item', () => {
    const mark = read([], 'one');
    const outcome = given([read(['one'])]).when(mark);
    expect(outcome.records('inbox_reads', `acc_1 up to ${idOf('one')}`)).toEqual([
      { account: 'acc_1' as AccountId, signal_id: idOf('one'), read_at: mark.time, up_to: '2026-11-20T04:30:00Z' },
    ]);
  });
});
