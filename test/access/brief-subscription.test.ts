import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideSubscription, type SubscriptionCommand } from '../../access/mails.ts';
import { evolveSubscriber, type SubscriberRow } from '../../projector/models/mail-subscriptions-read-models.ts';
import type { AccountId } from '../../schemas/access.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const ACCOUNT = 'acc_0123456789abcdef' as AccountId;
const command = fc.oneof(
  fc.record({
    do: fc.constant('subscribe' as const),
    email: fc.constantFrom('a@clarity.test', 'b@clarity.test'),
    scope: fc.constantFrom('everything' as const, 'followed' as const),
    token: fc.stringMatching(/^[a-z]{20}$/),
  }),
  fc.record({ do: fc.constant('unsubscribe' as const), by: fc.constantFrom('page' as const, 'one_click' as const) }),
);

const run = (commands: readonly SubscriptionCommand[]): (SubscriberRow | null)[] => {
  const states: (SubscriberRow | null)[] = [null];
  for (const one of commands) {
    const now = states.at(-1) ?? null;
    const fact = decideSubscription(ACCOUNT, now, one);
    states.push(fact ? evolveSubscriber(now, storedEvent(fact.type, fact.data)) : now);
  }
  return states;
};

describe('subscriptions to the morning brief', () => {
  it('given any commands, then the last one applies, the same command twice is one event, and the link never changes', () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 12 }), (commands) => {
        const states = run(commands);
        const last = commands.at(-1) as SubscriptionCommand;
        const state = states.at(-1) ?? null;
        expect(state?.ended_at === null).toBe(last.do === 'subscribe');
        if (last.do === 'subscribe') expect(state).toMatchObject({ email: last.email, scope: last.scope });
        expect(decideSubscription(ACCOUNT, state, last)).toBeNull();
        const tokens = new Set(states.flatMap((one) => one?.token ?? []));
        expect(tokens.size).toBeLessThanOrEqual(1);
      }),
    );
  });
});
