/** What readers ask about the Oracle. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import { OracleMeasurement } from '../../../schemas/oracle.ts';

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
