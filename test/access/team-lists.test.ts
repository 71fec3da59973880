/** The specification of a team list: what every command of every person decides in every state, and what a list keeps. */
import { describe, expect, it } from 'vitest';
import { decideTeamList, type TeamListCommand, type TeamListFact } from '../../access/team-lists.ts';
import { evolveTeamList, type TeamList } from '../../projector/models/team-lists-read-model.ts';
import type { AccountId } from '../../schemas/access.ts';
import type { Refusal } from '../../schemas/input-errors.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { FORMER_MEMBER, MAXIMUM_LISTED, MAXIMUM_MEMBERS, UNTITLED } from '../../schemas/team-lists.ts';
import { specify } from '../harness/decider.ts';
import { storedEvent } from '../projector/given-when-then.ts';

const LIST = 'tml_0000000000000001';
const of = (account: string) => ({ account_id: account as AccountId, list_id: LIST });
const signal = (number: number) => `sig_${String(number).padStart(16, '0')}` as SignalId;
const [HASH, OTHER_HASH] = ['a'.repeat(64), 'b'.repeat(64)];

const made: TeamListFact = { type: 'TeamListMade', data: { ...of('asha'), title: 'Malls', name: 'Asha' } };
const invited: TeamListFact = { type: 'TeamListInviteIssued', data: { ...of('asha'), token_hash: HASH } };
const joined = (account: string, name: string): TeamListFact => ({
  type: 'TeamListJoined',
  data: { ...of(account), name },
});
const added = (account: string, number: number): TeamListFact => ({
  type: 'TeamListStoryAdded',
  data: { ...of(account), signal_id: signal(number) },
});
const left = (account: string, why: 'left' | 'removed' | 'erased' = 'left'): TeamListFact => ({
  type: 'TeamListLeft',
  data: { ...of(account), why },
});
const shared = [made, invited, joined('bina', 'Bina')];

/** The events that lead to each state. Asha makes the list, Bina joins, Chitra is a stranger with the link. */
const STATES = {
  'no list': [],
  'one member': [made],
  'with an invitation': [made, invited],
  'two members': shared,
  'two members, two stories': [...shared, added('asha', 1), added('bina', 2)],
  'the maker left': [...shared, added('asha', 1), left('asha')],
  'the other left': [...shared, added('bina', 2), left('bina')],
  'the other was erased': [...shared, added('bina', 2), left('bina', 'erased')],
  'nobody left': [made, left('asha')],
} as const satisfies Record<string, readonly TeamListFact[]>;
type State = keyof typeof STATES;
const ALL = Object.keys(STATES) as State[];

/** Types of the decided events, or the code of the refusal. */
type Decision = readonly TeamListFact['type'][] | Refusal['code'];

const NONE = { 'no list': 'not_found', 'nobody left': 'not_found' } as const;
/** Where Asha is no member. */
const WITHOUT_ASHA = { ...NONE, 'the maker left': 'not_found' } as const;
/** Where Bina is no member. */
const WITHOUT_BINA = {
  ...NONE,
  'one member': 'not_found',
  'with an invitation': 'not_found',
  'the other left': 'not_found',
  'the other was erased': 'not_found',
} as const;
const LEFT = ['TeamListLeft'] as const;
const JOINED = ['TeamListJoined'] as const;
const ADDED = ['TeamListStoryAdded'] as const;
const join = (name: string, tokenHash = HASH): TeamListCommand => ({ do: 'join', name, tokenHash });

const COMMANDS: readonly (readonly [
  string,
  string,
  TeamListCommand,
  { readonly otherwise: Decision } & Partial<Record<State, Decision>>,
])[] = [
  [
    'make it',
    'asha',
    { do: 'make', title: 'Malls', name: 'Asha' },
    { otherwise: [], 'no list': ['TeamListMade'], 'nobody left': ['TeamListMade'] },
  ],
  [
    'issue an invitation',
    'asha',
    { do: 'issue_invite', tokenHash: OTHER_HASH },
    { otherwise: ['TeamListInviteIssued'], ...WITHOUT_ASHA },
  ],
  [
    'issue an invitation',
    'bina',
    { do: 'issue_invite', tokenHash: OTHER_HASH },
    { otherwise: 'insufficient_scope', ...WITHOUT_BINA, 'the maker left': ['TeamListInviteIssued'] },
  ],
  [
    'revoke the invitation',
    'asha',
    { do: 'revoke_invite' },
    { otherwise: ['TeamListInviteRevoked'], ...WITHOUT_ASHA, 'one member': [] },
  ],
  ['join by the invitation', 'chitra', join('Chitra'), { otherwise: JOINED, ...NONE, 'one member': 'not_found' }],
  ['join by another invitation', 'chitra', join('Chitra', OTHER_HASH), { otherwise: 'not_found' }],
  [
    'join as Asha',
    'chitra',
    join('ASHA'),
    { otherwise: 'invalid_request', ...NONE, 'one member': 'not_found', 'the maker left': JOINED },
  ],
  [
    'join',
    'bina',
    join('Bina'),
    {
      otherwise: [],
      ...NONE,
      'one member': 'not_found',
      'with an invitation': JOINED,
      'the other left': JOINED,
      'the other was erased': JOINED,
    },
  ],
  ['leave', 'asha', { do: 'leave' }, { otherwise: LEFT, ...WITHOUT_ASHA }],
  ['leave', 'bina', { do: 'leave' }, { otherwise: LEFT, ...WITHOUT_BINA }],
  [
    'remove Bina, and end the link',
    'asha',
    { do: 'remove_member', person: 2 },
    {
      otherwise: ['TeamListLeft', 'TeamListInviteRevoked'],
      ...WITHOUT_ASHA,
      'one member': 'invalid_request',
      'with an invitation': 'invalid_request',
      'the other left': 'invalid_request',
      'the other was erased': 'invalid_request',
    },
  ],
  ['remove oneself', 'asha', { do: 'remove_member', person: 1 }, { otherwise: 'invalid_request', ...WITHOUT_ASHA }],
  [
    'remove Asha',
    'bina',
    { do: 'remove_member', person: 1 },
    { otherwise: 'insufficient_scope', ...WITHOUT_BINA, 'the maker left': 'invalid_request' },
  ],
  ['add a story', 'bina', { do: 'add', signals: [signal(3), signal(3)] }, { otherwise: ADDED, ...WITHOUT_BINA }],
  [
    'add the first story',
    'bina',
    { do: 'add', signals: [signal(1)] },
    { otherwise: ADDED, ...WITHOUT_BINA, 'two members, two stories': [], 'the maker left': [] },
  ],
  [
    'take out the first story',
    'bina',
    { do: 'take_out', signal: signal(1) },
    {
      otherwise: [],
      ...WITHOUT_BINA,
      'two members, two stories': ['TeamListStoryRemoved'],
      'the maker left': ['TeamListStoryRemoved'],
    },
  ],
  ['add a story', 'chitra', { do: 'add', signals: [signal(3)] }, { otherwise: 'not_found' }],
  ['take out a story', 'chitra', { do: 'take_out', signal: signal(1) }, { otherwise: 'not_found' }],
  [
    'erase oneself',
    'bina',
    { do: 'erase' },
    {
      otherwise: LEFT,
      'no list': [],
      'one member': [],
      'with an invitation': [],
      'the other was erased': [],
      'nobody left': [],
    },
  ],
];

const fold = (facts: readonly TeamListFact[]): TeamList | null =>
  facts.map(({ type, data }) => storedEvent(type, data)).reduce<TeamList | null>(evolveTeamList, null);
const list = specify(fold);
const decide =
  (account: string, command: TeamListCommand) =>
  (state: TeamList | null): readonly TeamListFact[] =>
    decideTeamList(of(account), state, command);

const CASES = COMMANDS.flatMap(([name, who, command, { otherwise, ...decisions }]) =>
  ALL.map((state) => ({ state, name, who, command, decision: decisions[state] ?? otherwise })),
);

describe('a team list', () => {
  it.each(CASES)('given $state, when $who wants to $name, then $decision', ({ state, who, command, decision }) => {
    const outcome = list.given(...STATES[state]).when(decide(who, command));
    if (typeof decision === 'string') outcome.thenRefuses({ code: decision });
    else outcome.then(...decision.map((type) => ({ type })));
  });

  it('given members and stories up to their maximum, then one more is refused', () => {
    const members = Array.from({ length: MAXIMUM_MEMBERS - 1 }, (_, n) => joined(`m${n}`, `Member ${n}`));
    list
      .given(made, invited, ...members)
      .when(decide('chitra', join('Chitra')))
      .thenRefuses('maximum');
    const signals = Array.from({ length: MAXIMUM_LISTED }, (_, n) => signal(n));
    const full = signals.map((_, n) => added('asha', n));
    list
      .given(made, ...full)
      .when(decide('asha', { do: 'add', signals }))
      .thenNothing();
    list
      .given(made, ...full)
      .when(decide('asha', { do: 'add', signals: [signal(999)] }))
      .thenRefuses('at most 500');
  });

  it('given somebody who left, then the name stays on what they added; who comes back is another member', () => {
    const state = fold([...STATES['the other left'], joined('bina', 'B. Rao'), added('bina', 3)]);
    expect(state?.people.map(({ name, is }) => [name, is])).toEqual([
      ['Asha', 'member'],
      ['Bina', 'former'],
      ['B. Rao', 'member'],
    ]);
    expect(state?.stories.map(({ person }) => person)).toEqual([2, 3]);
  });

  it('given an erased account, then its name is in no row of its lists, whenever it left, nor is the title that it gave', () => {
    const state = fold([...STATES['the maker left'], left('asha', 'erased')]);
    expect(state).toMatchObject({ title: UNTITLED, stories: [{ person: 1 }] });
    expect(state?.people.map(({ name }) => name)).toEqual([FORMER_MEMBER, 'Bina']);
  });
});
