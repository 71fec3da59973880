/** Team lists: one row each until its last member left. Commands decide on the same fold. */
import type { AccountId } from '../../schemas/access.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import type { SignalId } from '../../schemas/scalar.ts';
import { FORMER_MEMBER, TEAM_LIST_TYPES, TEAM_LISTS_PREFIX, UNTITLED } from '../../schemas/team-lists.ts';
import { defineModel, type Model } from '../read-model.ts';

interface Person {
  readonly account: AccountId;
  readonly name: string;
  readonly is: 'member' | 'former' | 'erased';
}

export interface TeamList {
  readonly title: string;
  readonly invite_hash: string | null;
  /** In the order in which they joined, those who left too; the number of a person is the place here, from 1. */
  readonly people: readonly Person[];
  readonly stories: readonly { readonly signal_id: SignalId; readonly person: number; readonly added_at: string }[];
}

type TeamListEvent = KnownEvent<(typeof TEAM_LIST_TYPES)[number]>;
const isTeamListEvent = (event: Pick<KnownEvent, 'type'>): event is TeamListEvent =>
  (TEAM_LIST_TYPES as readonly string[]).includes(event.type);

/** The place of a member among the people of a list; -1 for others. */
export const placeOfMember = ({ people }: TeamList, account: AccountId): number =>
  people.findIndex((person) => person.account === account && person.is === 'member');

/** Who left is no member; of an erased account nothing is kept, whenever it left. Null when nobody is left. */
function withoutMember(list: TeamList, account: AccountId, isErased: boolean): TeamList | null {
  const people = list.people.map((person): Person => {
    if (person.account !== account) return person;
    return isErased ? { ...person, name: FORMER_MEMBER, is: 'erased' } : { ...person, is: 'former' };
  });
  // Its maker named it.
  const title = isErased && people[0]?.account === account ? UNTITLED : list.title;
  return people.some(({ is }) => is === 'member') ? { ...list, people, title } : null;
}

/** The list after an event; null for none. Events of other types change nothing. */
export function evolveTeamList(list: TeamList | null, event: KnownEvent): TeamList | null {
  if (!isTeamListEvent(event)) return list;
  const { type, data, time } = event;
  const account = data.account_id;
  if (type === 'TeamListMade') {
    const { title, name } = data;
    return list ?? { title, invite_hash: null, people: [{ account, name, is: 'member' }], stories: [] };
  }
  // What comes after its end says nothing.
  if (!list) return null;
  switch (type) {
    case 'TeamListInviteIssued':
      return { ...list, invite_hash: data.token_hash };
    case 'TeamListInviteRevoked':
      return { ...list, invite_hash: null };
    case 'TeamListJoined':
      return { ...list, people: [...list.people, { account, name: data.name, is: 'member' }] };
    case 'TeamListLeft':
      return withoutMember(list, account, data.why === 'erased');
    case 'TeamListStoryAdded': {
      const story = { signal_id: data.signal_id, person: placeOfMember(list, account) + 1, added_at: time };
      return { ...list, stories: [...list.stories, story] };
    }
    case 'TeamListStoryRemoved':
      return { ...list, stories: list.stories.filter(({ signal_id }) => signal_id !== data.signal_id) };
  }
}

/** The name by which commands wait for it. */
export const TEAM_LISTS = 'team_lists';

/** The model of team lists. */
export function teamListsModel(): Model<TeamList> {
  return defineModel(import.meta.url, {
    name: TEAM_LISTS,
    types: TEAM_LIST_TYPES,
    prefixes: [TEAM_LISTS_PREFIX],
    indexes: [
      'CREATE INDEX team_lists_of_invite ON team_lists (invite_hash) WHERE invite_hash IS NOT NULL',
      'CREATE INDEX team_list_people_of_account ON team_list_people (account)',
    ],
    keys: (event) => (isTeamListEvent(event) ? [event.data.list_id] : []),
    evolve: evolveTeamList,
    tables: [
      {
        name: TEAM_LISTS,
        columns: ['title', 'invite_hash'],
        records: ({ title, invite_hash }) => [{ title, invite_hash }],
      },
      {
        name: 'team_list_people',
        columns: ['number', 'account', 'name', 'is_member'],
        records: ({ people }) =>
          people.map(({ account, name, is }, place) => ({
            number: place + 1,
            account,
            name,
            is_member: is === 'member',
          })),
      },
      {
        name: 'team_list_stories',
        columns: ['signal_id', 'place', 'person', 'added_at'],
        records: ({ stories }) => stories.map((story, place) => ({ ...story, place })),
      },
    ],
  });
}
