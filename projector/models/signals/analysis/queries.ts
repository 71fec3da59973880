/** Which signals an analysis is due for. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';

/** Ids of public signals published at or after a moment, oldest first. */
export async function publicSince(database: Queryable, since: Date): Promise<string[]> {
  const found = await query(
    database,
    `SELECT key FROM read.signals WHERE status = 'public' AND published_at >= $1 ORDER BY published_at, key`,
    [since],
    z.object({ key: z.string() }),
  );
  return found.map(({ key }) => key);
}
