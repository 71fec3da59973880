import { describe, expect, it } from 'vitest';
import { decideAdd, type Follows, foldFollows, type Target } from '../../access/subscriptions.ts';
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { MAXIMUM_FOLLOWS } from '../../schemas/subscriptions.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const ACCOUNT = 'acc_0000000000000001' as AccountId;
const target = (slug: string): Target => ({ type: 'brand', slug, name: slug, signal_id: null });
/** The follows after some targets were followed. */
const following = (...targets: Target[]): Follows => {
  const events: KnownEvent[] = [];
  for (const one of targets) {
    const decision = decideAdd(ACCOUNT, foldFollows(events), one);
    if ('added' in decision) events.push(storedEvent('FollowAdded', decision.added));
  }
  return foldFollows(events);
};

describe('follows', () => {
  it('given a signal under another slug, then it is the same target', () => {
    const signal: Target = {
      type: 'signal',
      slug: 'old',
      name: 'Old',
      signal_id: SignalId.parse('sig_0123456789abcdef'),
    };
    expect(decideAdd(ACCOUNT, following(signal), { ...signal, slug: 'new' })).toHaveProperty('known');
  });

  it('given the maximum number of follows, then one more is refused', () => {
    const full = following(...Array.from({ length: MAXIMUM_FOLLOWS }, (_, index) => target(`brand-${index}`)));
    expect(() => decideAdd(ACCOUNT, full, target('one-more'))).toThrow(String(MAXIMUM_FOLLOWS));
  });
});
