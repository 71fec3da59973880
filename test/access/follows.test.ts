import { describe, expect, it } from 'vitest';
import { decideAdd, evolveFollows, type Follows, NO_FOLLOWS, type Target } from '../../access/subscriptions.ts';
import type { AccountId } from '../../schemas/access.ts';
import { SignalId } from '../../schemas/scalar.ts';
import { MAXIMUM_FOLLOWS } from '../../schemas/subscriptions.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const ACCOUNT = 'acc_0000000000000001' as AccountId;
const target = (slug: string): Target => ({ type: 'brand', slug, name: slug, signal_id: null });
/** The follows after some targets were followed, and what the last decision was. */
const following = (...slugs: string[]): Follows =>
  slugs.reduce((follows, slug) => {
    const decision = decideAdd(ACCOUNT, follows, target(slug));
    return 'added' in decision ? evolveFollows(follows, storedEvent('FollowAdded', decision.added)) : follows;
  }, NO_FOLLOWS);

describe('follows', () => {
  it('given a signal under another slug, then it is the same target', () => {
    const signal: Target = {
      type: 'signal',
      slug: 'old',
      name: 'Old',
      signal_id: SignalId.parse('sig_0123456789abcdef'),
    };
    const first = decideAdd(ACCOUNT, NO_FOLLOWS, signal);
    const follows = 'added' in first ? evolveFollows(NO_FOLLOWS, storedEvent('FollowAdded', first.added)) : NO_FOLLOWS;
    expect(decideAdd(ACCOUNT, follows, { ...signal, slug: 'new' })).toHaveProperty('known');
  });

  it('given the maximum number of follows, then one more is refused', () => {
    const full = following(...Array.from({ length: MAXIMUM_FOLLOWS }, (_, index) => `brand-${index}`));
    expect(() => decideAdd(ACCOUNT, full, target('one-more'))).toThrow(String(MAXIMUM_FOLLOWS));
  });
});
