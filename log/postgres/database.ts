/** The one way to PostgreSQL: a pool, a checked query, a transaction. */
import pg from 'pg';
import type { z } from 'zod';

export type Database = pg.Pool;
/** A pool or one of its clients inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

// 64-bit numbers arrive as bigint: positions and offsets do not fit a double.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

/**
 * Opens a pool. An idle connection that breaks is dropped silently: the next query opens another.
 * @param url `postgres://…`
 * @param options `patience`: milliseconds that a caller waits for a connection, 10,000 when unset; `readOnly`: PostgreSQL
 *   refuses to write over it
 */
export function openDatabase(
  url: string,
  options: { max?: number; name?: string; readOnly?: boolean; patience?: number } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: `clarity ${options.name ?? ''}`.trim(),
    connectionTimeoutMillis: options.patience ?? 10_000,
    keepAlive: true,
    ...(options.readOnly ? { options: '-c default_transaction_read_only=on' } : {}),
  });
  pool.on('error', () => undefined);
  // The pool listens to idle connections only: one that breaks in a transaction, between two statements, would end the
  // process. The next statement on it fails, which is how its user learns of it.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * Runs one statement and checks every row that comes back.
 * @throws the driver's error, or zod's when a row has another form
 */
export async function query<Row>(
  database: Queryable,
  text: string,
  parameters: readonly unknown[],
  row: z.ZodType<Row>,
): Promise<Row[]> {
  const result = await database.query(text, [...parameters]);
  return result.rows.map((found) => row.parse(found));
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
export async function transaction<Result>(
  database: Database,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // A connection that cannot even roll back is broken: destroy it instead of handing it to the next caller.
    const rolledBack = await client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
    client.release(!rolledBack);
    throw error;
  }
}
