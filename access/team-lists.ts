/** Team lists: what each command of an account decides, pure, and the handler that carries it out; invitations. */
import { type Fact, handleCommand } from '../log/command-handler.ts';
import type { EventStore, Position } from '../log/event-store.ts';
import { evolveTeamList, placeOfMember, type TeamList } from '../projector/models/team-lists-read-model.ts';
import type { AccountId } from '../schemas/access.ts';
import { type KnownEvent, readEvent } from '../schemas/events.ts';
import { quoted, Refusal } from '../schemas/input-errors.ts';
import type { SignalId } from '../schemas/scalar.ts';
import { MAXIMUM_LISTED, MAXIMUM_MEMBERS, type TEAM_LIST_TYPES, teamListStream } from '../schemas/team-lists.ts';
import { sameToken } from './web-sessions.ts';

export type TeamListCommand =
  | { readonly do: 'make'; readonly title: string; readonly name: string }
  | { readonly do: 'issue_invite'; readonly tokenHash: string }
  | { readonly do: 'revoke_invite' | 'leave' }
  /** With the invitation that the list has now. */
  | { readonly do: 'join'; readonly name: string; readonly tokenHash: string }
  /** @property person the number of a member */
  | { readonly do: 'remove_member'; readonly person: number }
  /** Stories that are in the list already stay as they are. */
  | { readonly do: 'add'; readonly signals: readonly SignalId[] }
  | { readonly do: 'take_out'; readonly signal: SignalId }
  /** Leaves, whether a member or not any more, and takes the names along. */
  | { readonly do: 'erase' };

/** What only the member who manages the list may do. */
const OF_MANAGER: ReadonlySet<TeamListCommand['do']> = new Set(['issue_invite', 'revoke_invite', 'remove_member']);

export type TeamListFact = Fact<(typeof TEAM_LIST_TYPES)[number]>;
type Named = { readonly account_id: AccountId; readonly list_id: string };

const unknown = (): Refusal =>
  new Refusal('not_found', 'You are a member of no team list of this id. /lists has yours.');

function join(list: TeamList, named: Named, command: TeamListCommand & { do: 'join' }): readonly TeamListFact[] {
  const { name, tokenHash } = command;
  if (list.invite_hash === null || !sameToken(list.invite_hash, tokenHash)) throw unknown();
  const members = list.people.filter(({ is }) => is === 'member');
  if (members.length >= MAXIMUM_MEMBERS)
    throw new Refusal('invalid_request', `This team list has ${MAXIMUM_MEMBERS} members, which is the maximum.`);
  if (members.some((member) => member.name.toLowerCase() === name.toLowerCase()))
    throw new Refusal('invalid_request', `name: another member is called ${quoted(name)}. Choose another name.`);
  return [{ type: 'TeamListJoined', data: { ...named, name } }];
}

function add(list: TeamList, named: Named, signals: readonly SignalId[]): readonly TeamListFact[] {
  const listed = new Set(list.stories.map(({ signal_id }) => signal_id));
  const added = [...new Set(signals)].filter((signal) => !listed.has(signal));
  if (listed.size + added.length > MAXIMUM_LISTED)
    throw new Refusal('invalid_request', `A team list has at most ${MAXIMUM_LISTED} stories. Remove some first.`);
  return added.map((signal_id) => ({ type: 'TeamListStoryAdded', data: { ...named, signal_id } }));
}

/**
 * The facts that follow from a command; none when all is so already. Pure.
 * @throws Refusal: `not_found` for who is no member, `insufficient_scope` for what only the manager may do
 */
export function decideTeamList(named: Named, list: TeamList | null, command: TeamListCommand): readonly TeamListFact[] {
  if (command.do === 'make') {
    const { title, name } = command;
    return list ? [] : [{ type: 'TeamListMade', data: { ...named, title, name } }];
  }
  if (command.do === 'erase') {
    const isKept = list?.people.some(({ account, is }) => account === named.account_id && is !== 'erased');
    return isKept ? [{ type: 'TeamListLeft', data: { ...named, why: 'erased' } }] : [];
  }
  if (!list) throw unknown();
  const place = placeOfMember(list, named.account_id);
  if (command.do === 'join' && place < 0) return join(list, named, command);
  const self = list.people[place];
  if (!self) throw unknown();
  if (OF_MANAGER.has(command.do) && list.people.find(({ is }) => is === 'member') !== self)
    throw new Refusal('insufficient_scope', 'Only the member who manages this team list can do this.');
  return decideOfMember(named, list, command);
}

function decideOfMember(
  named: Named,
  list: TeamList,
  command: Exclude<TeamListCommand, { do: 'make' | 'erase' }>,
): readonly TeamListFact[] {
  switch (command.do) {
    case 'issue_invite':
      return [{ type: 'TeamListInviteIssued', data: { ...named, token_hash: command.tokenHash } }];
    case 'revoke_invite':
      return list.invite_hash === null ? [] : [{ type: 'TeamListInviteRevoked', data: named }];
    case 'leave':
      return [{ type: 'TeamListLeft', data: { ...named, why: 'left' } }];
    case 'join':
      return [];
    case 'remove_member': {
      const person = list.people[command.person - 1];
      if (person?.is !== 'member' || person.account === named.account_id)
        throw new Refusal('invalid_request', 'member: the number of no other member of this list.');
      return [
        { type: 'TeamListLeft', data: { ...named, account_id: person.account, why: 'removed' } },
        // Or the same link would lead back in.
        ...(list.invite_hash === null ? [] : [{ type: 'TeamListInviteRevoked', data: named } as const]),
      ];
    }
    case 'add':
      return add(list, named, command.signals);
    case 'take_out':
      return list.stories.some(({ signal_id }) => signal_id === command.signal)
        ? [{ type: 'TeamListStoryRemoved', data: { ...named, signal_id: command.signal } }]
        : [];
  }
}

/** @throws Refusal, or StreamContention when concurrent commands keep winning */
export async function changeTeamList(
  { store, account, now }: { store: Pick<EventStore, 'append' | 'read'>; account: AccountId; now: Date },
  id: string,
  command: TeamListCommand,
): Promise<Position | null> {
  const { position } = await handleCommand(store, {
    stream: teamListStream(id),
    fold: (stored) => stored.map((event): KnownEvent => readEvent(event)).reduce<TeamList | null>(evolveTeamList, null),
    decide: (list) => ({ facts: decideTeamList({ account_id: account, list_id: id }, list, command) }),
    now,
  });
  return position;
}
