import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Account,
  type AccountCommand,
  type AccountFact,
  accountNamed,
  accountOfEmail,
  type Commander,
  decideAccount,
  evolveAccount,
  type IssueKey,
  NO_ACCOUNT,
} from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { Refusal } from '../../schemas/input-errors.ts';

const NOW = new Date('2026-11-21T04:30:00Z');
const account = accountOfEmail(' Asha@Clarity.test');
const owner: Commander = { role: 'owner', by: 'owner' };
const operator: Commander = { role: 'operator', by: 'operator ravi' };

const issue = (changes: Partial<IssueKey> = {}): IssueKey => {
  const { key: _, ...key } = newKey();
  return { command: 'issue_key', key, name: 'mine', scopes: null, expires_at: null, plan: null, ...changes };
};
const APPLY: AccountCommand = { command: 'apply', email: 'asha@clarity.test', use: 'A dashboard.' };

/** The account after commands, each by an operator unless said otherwise. */
function given(...commands: readonly (AccountCommand | [AccountCommand, Commander])[]): Account {
  return commands.reduce<Account>((before, one) => {
    const [command, commander] = Array.isArray(one) ? one : ([one, operator] as const);
    return decide(before, command, commander).reduce<Account>(evolveAccount, before);
  }, NO_ACCOUNT);
}
const decide = (before: Account, command: AccountCommand, commander: Commander = operator): readonly AccountFact[] =>
  decideAccount(command, before, { account, commander, now: NOW });
const types = (facts: readonly AccountFact[]): string[] => facts.map(({ type }) => type);
const refusal = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

describe('an account', () => {
  it('given an address with capitals, then it is the same account', () => {
    expect(account).toEqual(accountNamed('asha@clarity.test'));
  });

  it('given no account, when an operator issues a Pro key, then it is opened, set to Pro and has the key with both scopes', () => {
    const facts = decide(NO_ACCOUNT, issue({ plan: 'pro' }));
    expect(types(facts)).toEqual(['AccountOpened', 'PlanChanged', 'KeyIssued']);
    expect(facts[2]?.data).toMatchObject({ scopes: ['read', 'ask'], by: 'operator ravi' });
  });

  it('given an account on Pro, when a key is issued without naming a plan, then the plan stays', () => {
    expect(types(decide(given(issue({ plan: 'pro' })), issue()))).toEqual(['KeyIssued']);
  });

  it('given a plan, when it is set again, then nothing happens', () => {
    expect(decide(given({ command: 'change_plan', plan: 'pro' }), { command: 'change_plan', plan: 'pro' })).toEqual([]);
  });

  it.each([
    ['no application', [], 'application_required'],
    ['one that waits', [[APPLY, owner] as [AccountCommand, Commander]], 'application_required'],
    ['a key of before', [issue()], null],
    ['Pro', [{ command: 'change_plan', plan: 'pro' } as const], null],
  ])('given %s, when its owner asks for a key, then %s', (_, before, expected) => {
    expect(refusal(() => decide(given(...before), issue(), owner))).toBe(expected);
  });

  it('given a free account, when its owner asks for the scope ask, then Pro is required; an operator may give it', () => {
    const free = given(issue());
    expect(refusal(() => decide(free, issue({ scopes: ['ask'] }), owner))).toBe('pro_required');
    expect(types(decide(free, issue({ scopes: ['ask'] })))).toEqual(['KeyIssued']);
  });

  it('given 20 active keys, then no further key until one is revoked', () => {
    const full = given(...Array.from({ length: 20 }, () => issue()));
    expect(refusal(() => decide(full, issue()))).toBe('invalid_request');
    const revoke = { command: 'revoke_key', key_id: full.keys[3]?.id ?? '' } as const;
    const after = decide(full, revoke).reduce(evolveAccount, full);
    expect(types(decide(after, issue()))).toEqual(['KeyIssued']);
    expect(decide(after, revoke)).toEqual([]);
    expect(refusal(() => decide(after, { command: 'revoke_key', key_id: 'key_none' }))).toBe('not_found');
  });

  it('given an application, when it was approved, then it cannot be rejected, and approved again changes nothing', () => {
    const applied = given([APPLY, owner]);
    const application_id = applied.application?.id ?? '';
    const approved = decide(applied, { command: 'approve', application_id }).reduce(evolveAccount, applied);
    expect(decide(approved, { command: 'approve', application_id })).toEqual([]);
    expect(refusal(() => decide(approved, { command: 'reject', application_id, why: 'no' }))).toBe('invalid_request');
    expect(decide(approved, APPLY, owner)).toEqual([]);
    expect(types(decide(approved, issue(), owner))).toEqual(['KeyIssued']);
  });

  it('given any commands, then the store accepts every event, and no key is both active and revoked', () => {
    const command = fc.constantFrom<(before: Account) => AccountCommand>(
      () => issue(),
      () => issue({ plan: 'pro' }),
      ({ keys }) => ({ command: 'revoke_key', key_id: keys[0]?.id ?? 'key_none' }),
      () => ({ command: 'change_plan', plan: 'free' }),
      () => APPLY,
      ({ application }) => ({ command: 'approve', application_id: application?.id ?? 'app_none' }),
      ({ application }) => ({ command: 'reject', application_id: application?.id ?? 'app_none', why: 'no' }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(command, fc.constantFrom(owner, operator)), { maxLength: 30 }), (commands) => {
        let state = NO_ACCOUNT;
        for (const [make, commander] of commands) {
          const attempt = (): readonly AccountFact[] => decide(state, make(state), commander);
          if (refusal(attempt) !== null) continue;
          for (const fact of attempt()) {
            const event = newEvent(fact.type, fact.data, {
              id: '00000000-0000-8000-8000-000000000000',
              time: NOW.toISOString(),
            });
            expect(readEvent(event).data).toEqual(fact.data);
            state = evolveAccount(state, fact);
          }
          expect(new Set(state.keys.map(({ id }) => id)).size).toBe(state.keys.length);
          expect(state.name).toBe(account.name);
        }
      }),
    );
  });
});
