/** Queries of team lists: those of an account, one with its people, its stories, and the one of an invitation. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryOne } from '../../log/postgres/database.ts';
import type { AccountId } from '../../schemas/access.ts';

const Listed = z.object({ id: z.string(), title: z.string(), members: z.int(), stories: z.int() });
/** A team list as lists of them name it. */
export type ListedTeamList = z.infer<typeof Listed>;

const LISTED = `SELECT l.key AS id, title,
  (SELECT count(*)::int FROM read.team_list_people p WHERE p.key = l.key AND is_member) AS members,
  (SELECT count(*)::int FROM read.team_list_stories s WHERE s.key = l.key) AS stories
  FROM read.team_lists l`;
const HAS_MEMBER =
  'EXISTS (SELECT FROM read.team_list_people p WHERE p.key = l.key AND p.account = $1 AND p.is_member)';

/** The team lists that an account is a member of, in the order of their titles. */
export const teamListsOf = (database: Queryable, account: AccountId): Promise<ListedTeamList[]> =>
  query(database, `${LISTED} WHERE ${HAS_MEMBER} ORDER BY lower(title), l.key`, [account], Listed);

/** The ids of all team lists that keep something of an account, also of those that it left. */
export function teamListsWith(database: Queryable, account: AccountId): Promise<string[]> {
  const text = 'SELECT DISTINCT key FROM read.team_list_people WHERE account = $1 ORDER BY key';
  return queryColumn(database, text, [account], z.string());
}

const Member = z.object({ number: z.int(), name: z.string(), is_self: z.boolean() });
const Found = Listed.extend({ has_invite: z.boolean() });

export interface FoundTeamList extends z.infer<typeof Found> {
  /** Members in the order in which they joined; the first one manages the list. */
  readonly people: readonly z.infer<typeof Member>[];
}

/** A team list of an account; null for one that it is no member of. */
export async function findTeamList(database: Queryable, account: AccountId, id: string): Promise<FoundTeamList | null> {
  const text = `SELECT l.*, (SELECT invite_hash IS NOT NULL FROM read.team_lists i WHERE i.key = l.id) AS has_invite
    FROM (${LISTED} WHERE ${HAS_MEMBER} AND l.key = $2) l`;
  const list = await queryOne(database, text, [account, id], Found);
  if (!list) return null;
  const members = `SELECT number, name, account = $1 AS is_self FROM read.team_list_people
    WHERE key = $2 AND is_member ORDER BY number`;
  return { ...list, people: await query(database, members, [account, id], Member) };
}

const Invitation = z.object({ id: z.string(), title: z.string(), from: z.string(), members: z.int() });

/** The list that an invitation leads to; null for none. @param hash SHA-256 of the token */
export function teamListOfInvite(database: Queryable, hash: string): Promise<z.infer<typeof Invitation> | null> {
  const text = `SELECT l.*, (SELECT name FROM read.team_list_people p WHERE p.key = l.id AND is_member ORDER BY number LIMIT 1)
    AS from FROM (${LISTED} WHERE invite_hash = $1) l`;
  return queryOne(database, text, [hash], Invitation);
}

const Story = z.object({ signal_id: z.string(), name: z.string(), added_at: z.date() });
/** A story of a team list, with the name of who added it. */
export type TeamListStory = z.infer<typeof Story>;

/** The stories of a team list, what was added last first. @param from how many are left out */
export const storiesOfTeamList = (
  database: Queryable,
  id: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<TeamListStory[]> =>
  query(
    database,
    `SELECT signal_id, name, added_at FROM read.team_list_stories s
     JOIN read.team_list_people p ON p.key = s.key AND p.number = s.person
     WHERE s.key = $1 ORDER BY place DESC OFFSET $2 LIMIT $3`,
    [id, from, limit],
    Story,
  );
