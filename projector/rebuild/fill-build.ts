/** Fills a new build with rows: emptied tables without keys and indexes, which are created at the end. Yields to readers. */
import { constants, setPriority } from 'node:os';
import { z } from 'zod';
import { pause } from '../../log/backoff.ts';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Build } from '../model-builds.ts';
import type { Model } from '../read-model.ts';

/** Milliseconds of work between two checks for busy readers, and the length of a pause. */
const WORK_MILLISECONDS = 50;
/** A statement of another program that runs for this many milliseconds waits for the processor. */
const SLOW_MILLISECONDS = 10;

const SLOW_READERS = `SELECT EXISTS (
  SELECT FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend' AND state = 'active'
     AND application_name <> current_setting('application_name')
     AND wait_event_type IS DISTINCT FROM 'Lock'
     AND clock_timestamp() - query_start > make_interval(secs => $1::float8 / 1000)) AS busy`;

/**
 * Lets readers go first: a rebuild pauses while statements of other programs of the same database are slow, at most for
 * half of the time.
 */
export class ReaderYield {
  readonly #database: Queryable;
  #workingSince = performance.now();

  /** @param database a pool with the application name of the rebuilding program, whose own statements do not count */
  constructor(database: Queryable) {
    this.#database = database;
  }

  /** Call between batches. Checks after 50 ms of work, and then pauses for 50 ms if readers are slow. */
  async afterBatch(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#workingSince < WORK_MILLISECONDS) return;
    const [row] = await query(this.#database, SLOW_READERS, [SLOW_MILLISECONDS], z.object({ busy: z.boolean() }));
    if (row?.busy) await pause(WORK_MILLISECONDS, signal);
    this.#workingSince = performance.now();
  }
}

/** Lowers the priority of this process, for one that only rebuilds read models. */
export function yieldProcessToReaders(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The system does not permit it: the rebuild is as correct without.
  }
}

const Key = z.object({ name: z.string(), definition: z.string() });
type Key = z.infer<typeof Key>;

/** Names and definitions of a table's primary key and unique constraints. */
const KEYS = `SELECT quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE conrelid = $1::regclass AND contype IN ('p', 'u') ORDER BY contype, conname`;

/** The single transaction that fills a build. */
export class FillTransaction<Client extends Queryable = Queryable> {
  readonly client: Client;
  readonly model: Model;
  readonly build: Build;
  /** By table, the keys that are not created yet: maintaining a key while rows arrive in random order doubles the work. */
  readonly #keys = new Map<string, readonly Key[]>();

  private constructor(client: Client, model: Model, build: Build) {
    this.client = client;
    this.model = model;
    this.build = build;
  }

  /**
   * Prepares the transaction. Rows copied into tables that were truncated in the same transaction are frozen, and with
   * `wal_level = minimal` they bypass the write-ahead log.
   * @param client a connection in a transaction
   */
  static async begin<Client extends Queryable>(
    client: Client,
    model: Model,
    build: Build,
  ): Promise<FillTransaction<Client>> {
    const filling = new FillTransaction(client, model, build);
    await client.query(`TRUNCATE ${model.tables.map(({ name }) => `${build.name}.${name}`)}`);
    for (const { name } of model.tables) {
      const table = `${build.name}.${name}`;
      const keys = await query(client, KEYS, [table], Key);
      for (const key of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${key.name}`);
      filling.#keys.set(name, keys);
    }
    // Writes pages to disk early; otherwise the commit would have to wait for all of them.
    await client.query(`SET LOCAL backend_flush_after = '2MB'`);
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    // One processor for an index, so that readers have the others.
    await client.query('SET LOCAL max_parallel_maintenance_workers = 0');
    return filling;
  }

  /** Creates the keys of the main table if they are missing, so that copied rows can be looked up and replaced. */
  async createMainKey(): Promise<void> {
    const [main] = this.model.tables;
    if (main) await this.#addKeys(main.name);
  }

  /**
   * Creates keys and indexes after the rows, which is several times faster than before them, and collects the planner's
   * statistics.
   * @param between called between two statements
   */
  async createIndexes(between: () => Promise<void> = async () => undefined): Promise<void> {
    const { client, model, build } = this;
    for (const { name } of model.tables) {
      await this.#addKeys(name);
      await between();
    }
    await client.query(`SET LOCAL search_path TO ${build.name}`);
    for (const statement of model.indexes) {
      await client.query(statement);
      await between();
    }
    for (const { name } of model.tables) await client.query(`ANALYZE ${build.name}.${name}`);
    await client.query('SET LOCAL search_path TO DEFAULT');
  }

  async #addKeys(table: string): Promise<void> {
    const keys = this.#keys.get(table) ?? [];
    this.#keys.delete(table);
    for (const { name, definition } of keys)
      await this.client.query(`ALTER TABLE ${this.build.name}.${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}
