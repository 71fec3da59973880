/** Deletes what the embedded issuer no longer needs. Apart from the adapter, which loads the issuer's package. */
import type { Queryable } from '../../log/postgres/database.ts';

/** Deletes what expired, at most so many. @returns how many were deleted */
export async function sweepSignIns(database: Queryable, most: number): Promise<number> {
  const { rowCount } = await database.query(
    `DELETE FROM access.sign_in WHERE (kind, id) IN (
       SELECT kind, id FROM access.sign_in WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [most],
  );
  return rowCount ?? 0;
}
