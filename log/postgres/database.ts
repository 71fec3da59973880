/**
 * The one way to PostgreSQL: a pool, a checked query, a transaction, what the server knows of its users, and migrations: plain SQL files of a folder,
 * each run once, in the order of their names.
 */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { z } from 'zod';
import { pause, within } from '../backoff.ts';
import { Responsiveness } from './responsiveness.ts';

export type Database = pg.Pool;
/** A pool or one of its clients inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

// 64-bit numbers arrive as bigint: positions and offsets do not fit a double.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);

interface DatabaseOptions {
  /** Maximum connections; 10 by default. */
  readonly max?: number;
  /** The name of the process in `pg_stat_activity`. */
  readonly name?: string;
  /** Makes PostgreSQL refuse writes. */
  readonly readOnly?: boolean;
  /** Milliseconds that a caller waits for a connection, 10,000 by default. */
  readonly connectionTimeout?: number;
  /** Milliseconds that the server works on one statement before it gives up; no limit by default. */
  readonly statementTimeout?: number;
  /** Milliseconds that a silent server may take to answer a `SELECT 1` before all waiting statements are rejected; 10,000 by default. */
  readonly responseTimeout?: number;
  /** The address is a pooler in transaction mode: a session lasts one transaction there. */
  readonly pooled?: boolean;
  /** The address of the same database without the pooler, for locks, notifications and rebuilds. */
  readonly directUrl?: string | undefined;
}

/** Milliseconds that a response may take beyond `statementTimeout`; then its connection is closed. */
const ANSWER_TIMEOUT = 5_000;
/** Milliseconds of silence after which the kernel probes the connection; it gives up 10 s later. */
const KEEP_ALIVE = 5_000;

/**
 * A client behind a pooler. Every transaction may get another connection to the server, which does not know the statements that
 * were prepared on the one before: none is named.
 */
class PooledClient extends pg.Client {
  // The driver has an overload for each form of a query; only the form with a name changes.
  override query = ((first: unknown, ...more: unknown[]): unknown => {
    const isNamed = typeof first === 'object' && first !== null && 'name' in first && !('submit' in first);
    return Reflect.apply(super.query, this, [isNamed ? { ...first, name: undefined } : first, ...more]);
  }) as pg.Client['query'];
}

/** Where the sessions of pools behind a pooler are opened. */
const directUrls = new WeakMap<Database, string>();

/**
 * Opens a pool. An idle connection that breaks is dropped silently: the next query opens another. A server that accepts
 * statements and answers none makes all of them fail with `DatabaseUnresponsive`.
 * @param url `postgres://…`
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { statementTimeout, responseTimeout = 10_000, directUrl, pooled = directUrl !== undefined } = options;
  const reached: pg.ClientConfig = {
    connectionString: url,
    application_name: `clarity ${options.name ?? ''}`.trim(),
    connectionTimeoutMillis: options.connectionTimeout ?? 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    // A pooler refuses parameters of a connection that it does not know.
    ...(options.readOnly && !pooled ? { options: '-c default_transaction_read_only=on' } : {}),
  };
  const responsiveness = new Responsiveness(reached, responseTimeout);
  const pool = new pg.Pool({
    ...reached,
    max: options.max ?? 10,
    stream: responsiveness.socket,
    ...(pooled ? { Client: PooledClient } : {}),
    ...(statementTimeout
      ? {
          ...(pooled ? {} : { statement_timeout: statementTimeout }),
          query_timeout: statementTimeout + ANSWER_TIMEOUT,
        }
      : {}),
  });
  if (directUrl !== undefined) directUrls.set(pool, directUrl);
  responsiveness.watch(pool);
  pool.on('error', () => undefined);
  // The pool listens to idle connections only: one that breaks in a transaction, between two statements, would end the
  // process. The next statement on it fails, which is how its user learns of it.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * How a connection of its own to a pool's server is opened, past the pooler where there is one, and without the limits that hold
 * for the pool's statements: a rebuild's or a lock's take as long as they take. Whatever outlives a transaction (locks of a session,
 * LISTEN, settings) needs such a connection.
 */
export function sessionOptions(database: Database): pg.ClientConfig {
  const {
    stream: _stream,
    statement_timeout: _statement,
    query_timeout: _query,
    Client: _client,
    ...reached
  } = database.options;
  const directUrl = directUrls.get(database);
  return directUrl === undefined ? reached : { ...reached, connectionString: directUrl };
}

/**
 * Runs one statement and validates every row of its result.
 * @throws the driver's error, or a ZodError for an unexpected row
 */
export async function query<Row>(
  database: Queryable,
  text: string,
  parameters: readonly unknown[],
  row: z.ZodType<Row>,
): Promise<Row[]> {
  const result = await database.query(text, [...parameters]);
  return result.rows.map((one) => row.parse(one));
}

/** The first row of a statement, as `query` validates it; null where there is none. */
export const queryOne = async <Row>(...statement: Parameters<typeof query<Row>>): Promise<Row | null> =>
  (await query(...statement))[0] ?? null;

/**
 * Runs a statement whose rows have one column, and validates its values.
 * @param value schema of the column
 * @throws as `query`
 */
export async function queryColumn<Value extends z.ZodType>(
  database: Queryable,
  text: string,
  parameters: readonly unknown[],
  value: Value,
): Promise<z.output<Value>[]> {
  const result = await database.query<Record<string, unknown>>(text, [...parameters]);
  return result.rows.map((row) => value.parse(Object.values(row)[0]));
}

/** The only value of a statement, as `queryColumn` validates it; null where there is no row. */
export const queryValue = async <Value extends z.ZodType>(
  ...statement: Parameters<typeof queryColumn<Value>>
): Promise<z.output<Value> | null> => (await queryColumn(...statement))[0] ?? null;

/** The number that a statement consists of, such as a count; 0 where there is no row. */
export const queryNumber = async (
  database: Queryable,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<number> => (await queryValue(database, text, parameters, z.int().nullable())) ?? 0;

/** The row of a statement that always has one, such as sums, as `query` validates it. */
export async function queryRow<Row>(...statement: Parameters<typeof query<Row>>): Promise<Row> {
  const row = await queryOne(...statement);
  if (row === null) throw new Error('the statement has no row');
  return row;
}

/** Elements that PostgreSQL assumes of an array when it plans without knowing it. */
const ASSUMED_ELEMENTS = 10;

/** The plan of a statement was made for other types of its result: a view has others by now. */
const CHANGED_RESULT = '0A000';

/**
 * Runs a statement that `unnest`s its only parameter, and validates its rows as `query` does. It is planned once per connection:
 * planning each time costs several times as much as looking up a few keys. The array is padded with null, so that PostgreSQL, which
 * compares costs, never finds a plan for its few elements cheaper than one for an array that it does not know.
 * @param statement a name of its own for the text; null among the elements must find nothing
 * @throws the driver's error, or a ZodError for an unexpected row
 */
export async function queryKeys<Row>(
  database: Queryable,
  statement: { readonly name: string; readonly text: string },
  keys: readonly string[],
  row: z.ZodType<Row>,
): Promise<Row[]> {
  const padding = Array.from({ length: Math.max(0, ASSUMED_ELEMENTS - keys.length) }, () => null);
  const values = [[...keys, ...padding]];
  try {
    return (await database.query({ ...statement, values })).rows.map((one) => row.parse(one));
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== CHANGED_RESULT) throw error;
    return query(database, statement.text, values, row);
  }
}

/** So long may a process that is suspended or hangs keep the locks of its transaction; then the server rolls it back. */
const MAX_IDLE = '30s';

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws, or when it sends nothing for
 * `MAX_IDLE`.
 */
export async function transaction<Result>(
  database: Database,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await database.connect();
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = '${MAX_IDLE}'`);
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // A connection that cannot even roll back is broken: destroy it instead of handing it to the next caller. One whose
    // server does not answer would not answer that either.
    const silent = error instanceof Error && error.message === 'Query read timeout';
    const rolledBack =
      !silent &&
      (await client.query('ROLLBACK').then(
        () => true,
        () => false,
      ));
    client.release(!rolledBack);
    throw error;
  }
}

/** Ends a session whose outcome is known. Not for longer than a second: one that broke while it was opened may never emit its end. */
export const endClient = (client: pg.Client): Promise<void> =>
  within(client.end(), 1_000, () => new Error('late')).catch(() => undefined);

/**
 * Runs `work` in a session of its own, past a pooler: it carries settings, and statements may take as long as they take.
 * @throws the driver's error, or what the work throws
 */
export async function inSession<Result>(
  database: Database,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(sessionOptions(database));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await endClient(client);
  }
}

const Server = z.object({ version: z.string(), bytes: z.bigint() });
const Connected = z.object({ name: z.string(), connections: z.int() });

/** Connections of a server, of all its databases and users. */
export interface ServerConnections {
  readonly used: number;
  /** How many there may be, without those reserved for administrators. */
  readonly maximum: number;
}

// Of the settings, `reserved_connections` exists from PostgreSQL 16 on. The sum is what every user may see.
const CONNECTIONS = `SELECT (SELECT sum(numbackends) FROM pg_stat_database)::int AS used,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true)::int, 0) AS maximum`;
const Connections = z.object({ used: z.int(), maximum: z.int() });

/**
 * Opens a session as locks and notifications do, and ends it.
 * @returns how many connections the server has, and whether a pooler is in between: then the process id that the client was
 * given is not that of the server
 * @throws the driver's error when it cannot be opened
 */
export const probeSession = (database: Database): Promise<ServerConnections & { readonly pooled: boolean }> =>
  inSession(database, async (client) => {
    const { pid, ...connections } = await queryRow(
      client as Queryable,
      `SELECT pg_backend_pid() AS pid, c.* FROM (${CONNECTIONS}) c`,
      [],
      Connections.extend({ pid: z.int() }),
    );
    const { processID } = client as unknown as { processID: number | null };
    return { ...connections, pooled: pid !== processID };
  });

export interface ServerActivity {
  readonly version: string;
  readonly bytes: number;
  readonly connections: ServerConnections;
  /** Clarity's own processes that are connected to this database now, by name. An idle one may hold no connection. */
  readonly processes: readonly z.infer<typeof Connected>[];
}

/** Queries the version and size of the database, and the processes that use it. */
export async function serverActivity(database: Queryable): Promise<ServerActivity> {
  const { version, bytes } = await queryRow(
    database,
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
    [],
    Server,
  );
  const processes = await query(
    database,
    `SELECT substr(application_name, 9) AS name, count(*)::int AS connections FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'clarity _%' GROUP BY 1 ORDER BY 1`,
    [],
    Connected,
  );
  const connections = await queryRow(database, CONNECTIONS, [], Connections);
  return { version, bytes: Number(bytes), connections, processes };
}

// Runs the migrations of a folder: plain SQL files, each once, in the order of their names.

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Brings a schema up to date, in one transaction; several processes may do so at once, they wait for each other.
 * @param folder path of the SQL files
 * @param schema where it is kept which of them ran; made where it is missing
 * @throws the driver's error, and then nothing is changed
 */
export const migrate = (database: Database, folder: string, schema: string): Promise<void> =>
  inSession(database, async (client) => {
    await client.query('SET client_min_messages = warning');
    await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsSchema: schema,
      migrationsTable: 'migration',
      createMigrationsSchema: true,
      // What other processes see is the old schema or the new one.
      singleTransaction: true,
      advisoryLockMode: 'wait',
      logger: SILENT,
    });
  });

export const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '55P03';

/** Attempts to get a lock. Each delays later requests by some seconds. */
const LOCK_ATTEMPTS = 60;

/**
 * Repeats work that a `lock_timeout` limits, until it gets its locks: others are served in between.
 * @throws the error of the last attempt, any other error, or the reason of `signal`
 */
export async function untilLocked<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
      await pause(1_000, signal);
    }
  }
}

/**
 * Brings the schema `log` up to date; several processes may do so at once.
 * @throws the driver's error, and then nothing is changed
 */
export const migrateLog = (database: Database): Promise<void> =>
  untilLocked(() => migrate(database, fileURLToPath(new URL('./migrations', import.meta.url)), 'log'));
