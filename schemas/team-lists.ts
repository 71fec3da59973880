/**
 * Team lists: stories that several accounts collect (stream `teamlist-<id>`). The member who is in it longest manages it;
 * who opens its invitation joins under a name of their choice, the only thing that others see of an account.
 */
import { z } from 'zod';
import { StoredAccountId } from './access.ts';
import { open, personal } from './personal.ts';
import { SignalId, trimmedText } from './scalar.ts';

export const TeamListId = z.string().regex(/^tml_[0-9a-f]{16}$/, 'must be tml_ and 16 hexadecimal characters');

/** Most lists of one account, members of one list, and stories of one list. */
export const MAXIMUM_LISTS = 50;
export const MAXIMUM_MEMBERS = 50;
export const MAXIMUM_LISTED = 500;

export const TeamListTitle = trimmedText(1, 80).describe('a title of 1 to 80 characters');
/** A mail address is refused: members see the names of each other. */
export const MemberName = trimmedText(1, 40)
  .refine((name) => !name.includes('@'))
  .describe('a name of 1 to 40 characters that is no mail address');

/** What members see of an account that was erased, and of a list that it named. */
export const FORMER_MEMBER = 'A former member';
export const UNTITLED = 'Team list';

const Named = { account_id: StoredAccountId, list_id: TeamListId };
const Member = { name: personal(z.string(), 'account_id', FORMER_MEMBER) };

export const TeamListEvents = {
  /** Its maker is its first member. */
  TeamListMade: { 1: z.object({ ...Named, ...Member, title: personal(z.string(), 'account_id', UNTITLED) }) },
  /** The list has an invitation; the one that it had before answers no more. */
  TeamListInviteIssued: { 1: z.object({ ...Named, token_hash: open(z.string()) }) },
  TeamListInviteRevoked: { 1: z.object(Named) },
  TeamListJoined: { 1: z.object({ ...Named, ...Member }) },
  /** `account_id` is who left, or was removed by the member who manages the list. */
  TeamListLeft: { 1: z.object({ ...Named, why: z.enum(['left', 'removed', 'erased']) }) },
  TeamListStoryAdded: { 1: z.object({ ...Named, signal_id: SignalId }) },
  TeamListStoryRemoved: { 1: z.object({ ...Named, signal_id: SignalId }) },
} as const;

export const TEAM_LIST_TYPES = [
  'TeamListMade',
  'TeamListInviteIssued',
  'TeamListInviteRevoked',
  'TeamListJoined',
  'TeamListLeft',
  'TeamListStoryAdded',
  'TeamListStoryRemoved',
] as const satisfies readonly (keyof typeof TeamListEvents)[];

export const TEAM_LISTS_PREFIX = 'teamlist-';
export const teamListStream = (id: string): string => `${TEAM_LISTS_PREFIX}${id}`;
