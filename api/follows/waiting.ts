/** What an account waits for, in every form in which signals may carry it. */
import type { Queryable } from '../../log/postgres/database.ts';
import { followsOf, type KeptFollow } from '../../projector/models/follows-queries.ts';
import type { Waiting } from '../../projector/models/inbox-queries.ts';
import type { Directory } from '../../schemas/directory.ts';
import { targetKey } from '../../schemas/follow.ts';

export interface AccountFollows {
  /** In force, the newest first. */
  readonly active: readonly KeptFollow[];
  /** All that ever waited: what ended keeps what it had delivered. */
  readonly waiting: readonly Waiting[];
}

/** Loads them. A brand stands for the slugs that it had before and has now. */
export async function accountFollows(
  database: Queryable,
  directory: Directory,
  account: string,
): Promise<AccountFollows> {
  const follows = await followsOf(database, account);
  const targets = ({ type, slug, target }: KeptFollow): string[] =>
    type === 'brand' ? directory.slugsOf(directory.currentSlug(slug)).map((one) => targetKey('brand', one)) : [target];
  return {
    active: follows.filter(({ removed_at }) => removed_at === null),
    waiting: follows.map((follow) => ({
      id: follow.id,
      targets: targets(follow),
      since: follow.added_at,
      until: follow.removed_at,
    })),
  };
}
