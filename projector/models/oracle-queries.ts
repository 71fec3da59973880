/** Queries of the Oracle. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { OracleMeasurement } from '../../schemas/oracle.ts';
import { Item } from '../../schemas/poll.ts';

/** The latest measurement; null before the first, and while the model is not built yet. */
export async function latestMeasurement(database: Queryable): Promise<OracleMeasurement | null> {
  const [model] = await query(
    database,
    `SELECT to_regclass('read.oracle') IS NOT NULL AS there`,
    [],
    z.object({ there: z.boolean() }),
  );
  if (!model?.there) return null;
  const [found] = await query(database, 'SELECT row FROM read.oracle', [], z.object({ row: z.string() }));
  return found ? OracleMeasurement.parse(JSON.parse(found.row)) : null;
}

/** Maximum of items of one measurement: more reference items in three days mean that a source is flooding. */
const MAXIMUM = 20_000;

/** Items of reference sources that were first seen at or after a moment, newest first. Needs the model to be there. */
export async function recentOracleItems(database: Queryable, since: Date): Promise<Item[]> {
  const rows = await query(
    database,
    'SELECT row FROM read.oracle_items WHERE seen_at >= $1 ORDER BY seen_at DESC, key LIMIT $2',
    [since, MAXIMUM],
    z.object({ row: z.string() }),
  );
  return rows.map(({ row }) => Item.parse(JSON.parse(row)));
}
