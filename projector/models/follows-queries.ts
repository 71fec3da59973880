/** Queries of follows. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { AccountId } from '../../schemas/access.ts';
import { type Follow, FollowType } from '../../schemas/follow.ts';

const Row = z.object({
  key: z.string(),
  type: FollowType,
  slug: z.string(),
  name: z.string(),
  target: z.string(),
  added_at: z.date(),
  removed_at: z.date().nullable(),
});

/** A stored follow; one that ended is kept for what it delivered. */
export interface KeptFollow {
  readonly id: string;
  readonly type: FollowType;
  readonly slug: string;
  readonly name: string;
  readonly target: string;
  readonly added_at: Date;
  readonly removed_at: Date | null;
}

/** All follows of an account, ended ones too, the newest first. */
export async function followsOf(database: Queryable, account: AccountId): Promise<KeptFollow[]> {
  const rows = await query(
    database,
    `SELECT key, type, slug, name, target, added_at, removed_at FROM read.follows WHERE account = $1
     ORDER BY added_at DESC, key`,
    [account],
    Row,
  );
  return rows.map(({ key, ...row }) => ({ id: key, ...row }));
}

const PAGES = { brand: '/brand/', theme: '/theme/', signal: '/signal/', source: '/sources#' } as const;

/** A follow as the API serves it. @param baseUrl without a slash at its end */
export const followDocument = (
  { id, type, slug, name }: Pick<KeptFollow, 'id' | 'type' | 'slug' | 'name'>,
  created_at: string,
  baseUrl: string,
): Follow => ({ id, type, slug, name, url: `${baseUrl}${PAGES[type]}${slug}`, channel: 'inbox', created_at });
