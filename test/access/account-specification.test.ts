/** The specification of an account: what every command decides in every state. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccountCommand,
  type AccountFact,
  accountNamed,
  accountOfEmail,
  type Commander,
  decideAccount,
  type IssueKey,
} from '../../access/account.ts';
import { newKey } from '../../access/api-keys.ts';
import { type AccountRow, evolveAccount, NO_ACCOUNT } from '../../projector/models/accounts-read-model.ts';
import { newEvent, readEvent } from '../../schemas/events.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { specify } from '../harness/decider.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const NOW = new Date('2026-11-21T04:30:00Z');
const asha = accountOfEmail('asha@clarity.test');
const owner: Commander = { role: 'owner', by: 'owner' };
const operator: Commander = { role: 'operator', by: 'operator ravi' };
const author = { account_id: asha.id, by: 'operator ravi' };
const [KEY, APPLICATION] = ['key_0000000000000000', 'app_0000000000000000'];

const issue = (changes: Partial<IssueKey> = {}): IssueKey => {
  const { key: _, ...key } = newKey();
  return { command: 'issue_key', key, name: 'mine', scopes: null, expires_at: null, plan: null, ...changes };
};

const opened: AccountFact = { type: 'AccountOpened', data: { ...author, name: asha.name } };
const pro: AccountFact = { type: 'PlanChanged', data: { ...author, from: 'free', to: 'pro' } };
const issued = (number = 0): AccountFact => ({
  type: 'KeyIssued',
  data: {
    ...author,
    key_id: `key_${String(number).padStart(16, '0')}`,
    hash: 'a'.repeat(64),
    ending: 'wxyz',
    name: 'mine',
    scopes: ['read'],
    expires_at: null,
  },
});
const revoked: AccountFact = { type: 'KeyRevoked', data: { ...author, key_id: KEY } };
const submitted: AccountFact = {
  type: 'ApplicationSubmitted',
  data: { ...author, application_id: APPLICATION, email: 'asha@clarity.test', use: 'A dashboard.' },
};
const approved: AccountFact = { type: 'ApplicationApproved', data: { ...author, application_id: APPLICATION } };
const rejected: AccountFact = {
  type: 'ApplicationRejected',
  data: { ...author, application_id: APPLICATION, why: 'no' },
};
const erased: AccountFact = { type: 'AccountErased', data: author };

/** The events that lead to each state. */
const STATES = {
  'never opened': [],
  open: [opened],
  'application pending': [opened, submitted],
  'application approved': [opened, submitted, approved],
  'application rejected': [opened, submitted, rejected],
  'one key': [opened, issued()],
  '20 keys': [opened, ...Array.from({ length: 20 }, (_, number) => issued(number))],
  Pro: [opened, pro],
  erased: [opened, issued(), revoked, erased],
} as const satisfies Record<string, readonly AccountFact[]>;
type State = keyof typeof STATES;
const ALL = Object.keys(STATES) as State[];

/** Types of the decided events, or the code of the refusal. */
type Decision = readonly AccountFact['type'][] | Refusal['code'];

const [OPENED, KEY_ISSUED, PLAN, ERASED] = ['AccountOpened', 'KeyIssued', 'PlanChanged', 'AccountErased'] as const;
const SUBMITTED = 'ApplicationSubmitted';

/** By command, its author, and what it decides in each state; `otherwise` in those that are not listed. */
const COMMANDS: readonly (readonly [
  string,
  AccountCommand,
  Commander,
  { readonly otherwise: Decision } & Partial<Record<State, Decision>>,
])[] = [
  [
    'issue a key',
    issue(),
    operator,
    {
      otherwise: [KEY_ISSUED],
      'never opened': [OPENED, KEY_ISSUED],
      erased: [OPENED, KEY_ISSUED],
      '20 keys': 'invalid_request',
    },
  ],
  [
    'issue a Pro key',
    issue({ plan: 'pro' }),
    operator,
    {
      otherwise: [PLAN, KEY_ISSUED],
      'never opened': [OPENED, PLAN, KEY_ISSUED],
      erased: [OPENED, PLAN, KEY_ISSUED],
      Pro: [KEY_ISSUED],
      '20 keys': 'invalid_request',
    },
  ],
  [
    'issue a key that has expired',
    issue({ expires_at: '2026-11-21T04:30:00Z' }),
    operator,
    { otherwise: 'invalid_request' },
  ],
  [
    'issue a key to oneself',
    issue(),
    owner,
    {
      otherwise: 'application_required',
      'application approved': [KEY_ISSUED],
      'one key': [KEY_ISSUED],
      '20 keys': 'invalid_request',
      Pro: [KEY_ISSUED],
      erased: [OPENED, KEY_ISSUED],
    },
  ],
  [
    'issue a key for questions to oneself',
    issue({ scopes: ['ask'] }),
    owner,
    { otherwise: 'pro_required', Pro: [KEY_ISSUED] },
  ],
  [
    'issue a key for questions',
    issue({ scopes: ['ask'] }),
    operator,
    {
      otherwise: [KEY_ISSUED],
      'never opened': [OPENED, KEY_ISSUED],
      erased: [OPENED, KEY_ISSUED],
      '20 keys': 'invalid_request',
    },
  ],
  [
    'revoke the key',
    { command: 'revoke_key', key_id: KEY },
    owner,
    { otherwise: 'not_found', 'one key': ['KeyRevoked'], '20 keys': ['KeyRevoked'], erased: [] },
  ],
  [
    'change to Pro',
    { command: 'change_plan', plan: 'pro' },
    operator,
    { otherwise: [PLAN], 'never opened': [OPENED, PLAN], erased: [OPENED, PLAN], Pro: [] },
  ],
  [
    'change to free',
    { command: 'change_plan', plan: 'free' },
    operator,
    { otherwise: [], 'never opened': [OPENED], erased: [OPENED], Pro: [PLAN] },
  ],
  [
    'apply',
    { command: 'apply', email: 'asha@clarity.test', use: 'A dashboard.' },
    owner,
    {
      otherwise: [SUBMITTED],
      'never opened': [OPENED, SUBMITTED],
      erased: [OPENED, SUBMITTED],
      'application pending': [],
      'application approved': [],
    },
  ],
  [
    'approve the application',
    { command: 'approve', application_id: APPLICATION },
    operator,
    {
      otherwise: 'not_found',
      'application pending': ['ApplicationApproved'],
      'application approved': [],
      'application rejected': 'invalid_request',
    },
  ],
  [
    'reject the application',
    { command: 'reject', application_id: APPLICATION, why: 'no' },
    operator,
    {
      otherwise: 'not_found',
      'application pending': ['ApplicationRejected'],
      'application approved': 'invalid_request',
      'application rejected': [],
    },
  ],
  [
    'erase',
    { command: 'erase' },
    owner,
    {
      otherwise: [ERASED],
      'never opened': [],
      'one key': ['KeyRevoked', ERASED],
      '20 keys': [...Array.from({ length: 20 }, () => 'KeyRevoked' as const), ERASED],
      erased: [],
    },
  ],
];

/** The account after some facts became events. */
const accountAfter = (facts: readonly AccountFact[], before = NO_ACCOUNT): AccountRow =>
  facts.map(({ type, data }) => storedEvent(type, data)).reduce(evolveAccount, before);
const account = specify((facts: readonly AccountFact[]) => accountAfter(facts));
const decide =
  (command: AccountCommand, commander: Commander) =>
  (state: AccountRow): readonly AccountFact[] =>
    decideAccount(command, state, { account: asha, commander, now: NOW });

const CASES = COMMANDS.flatMap(([name, command, commander, { otherwise, ...decisions }]) =>
  ALL.map((state) => ({ state, name, command, commander, decision: decisions[state] ?? otherwise })),
);

describe('an account', () => {
  it.each(CASES)('given one: $state, when: $name, then $decision', ({ state, command, commander, decision }) => {
    const outcome = account.given(...STATES[state]).when(decide(command, commander));
    if (typeof decision === 'string') outcome.thenRefuses({ code: decision });
    else outcome.then(...decision.map((type) => ({ type, data: { account_id: asha.id, by: commander.by } })));
  });

  it('given an address with capitals and blanks, then it is the same account', () => {
    expect(accountOfEmail(' Asha@Clarity.test')).toEqual(accountNamed('asha@clarity.test'));
  });

  it('given a Pro key without scopes, then it has both, and the store accepts every event', () => {
    const facts = decide(issue({ plan: 'pro' }), operator)(NO_ACCOUNT);
    expect(facts[2]?.data).toMatchObject({ scopes: ['read', 'ask'] });
    const about = { id: '00000000-0000-8000-8000-000000000000', time: NOW.toISOString() };
    for (const { type, data } of facts) expect(readEvent(newEvent(type, data, about)).data).toEqual(data);
  });

  it('given any history, then it has at most 20 keys, none once erased, and no command but a new key has effect twice', () => {
    const step = fc.record({
      state: fc.constantFrom(...ALL),
      commands: fc.array(fc.constantFrom(...COMMANDS), { maxLength: 30 }),
    });
    const next = (before: AccountRow, command: AccountCommand, commander: Commander): AccountRow => {
      try {
        return accountAfter(decide(command, commander)(before), before);
      } catch (error) {
        if (error instanceof Refusal) return before;
        throw error;
      }
    };
    fc.assert(
      fc.property(step, ({ state, commands }) => {
        let now = accountAfter(STATES[state]);
        for (const [, given, commander] of commands) {
          // A key has its id once.
          const command = given.command === 'issue_key' ? { ...given, key: issue().key } : given;
          now = next(now, command, commander);
          const active = now.keys.filter((key) => key.revoked_at === null).length;
          expect(active).toBeLessThanOrEqual(20);
          if (now.name === null)
            expect({ active, plan: now.plan, application: now.application }).toEqual({
              active: 0,
              plan: 'free',
              application: null,
            });
          if (command.command !== 'issue_key') expect(next(now, command, commander)).toEqual(now);
        }
      }),
    );
  });
});
