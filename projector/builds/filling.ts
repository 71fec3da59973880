/** A new build while its rows are copied in: emptied tables without keys and indexes, which follow at the end. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { Model } from '../model.ts';
import { withHelpersLowered, yieldToReaders } from './priority.ts';
import type { Build } from './registry.ts';
import { isIndex, statements } from './statements.ts';

const Key = z.object({ name: z.string(), definition: z.string() });
type Key = z.infer<typeof Key>;

/** Names and definitions of a table's primary key and unique constraints. */
const KEYS = `SELECT quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE conrelid = $1::regclass AND contype IN ('p', 'u') ORDER BY contype, conname`;

/** Processes that help to build an index, besides the connection's own. */
const HELPERS = 1;

/** The one transaction that fills a build. */
export class Filling<Client extends Queryable = Queryable> {
  readonly client: Client;
  readonly model: Model;
  readonly build: Build;
  /** By table, the keys that are still to be built; a key kept while rows come in random order costs as much as they do. */
  readonly #keys = new Map<string, readonly Key[]>();

  /** The process of the connection, where it could be lowered. */
  #lowered: number | null = null;

  private constructor(client: Client, model: Model, build: Build) {
    this.client = client;
    this.model = model;
    this.build = build;
  }

  /**
   * Prepares the transaction. Tables that were emptied in a transaction are frozen as they are filled, and where
   * PostgreSQL keeps no log for replicas their pages go straight to the tables, not through the log too.
   * @param client a connection of the builder's own, in a transaction: its process steps back behind those of readers
   */
  static async begin<Client extends Queryable>(client: Client, model: Model, build: Build): Promise<Filling<Client>> {
    const filling = new Filling(client, model, build);
    await client.query(`TRUNCATE ${model.tables.map(({ name }) => `${build.name}.${name}`)}`);
    for (const { name } of model.tables) {
      const table = `${build.name}.${name}`;
      const keys = await query(client, KEYS, [table], Key);
      for (const key of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${key.name}`);
      filling.#keys.set(name, keys);
    }
    // Pages go to disk while further ones are made, or the commit would have to wait for all of them.
    await client.query(`SET LOCAL backend_flush_after = '2MB'`);
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    filling.#lowered = await yieldToReaders(client);
    // Where helpers cannot be made to step back there are none.
    await client.query(`SET LOCAL max_parallel_maintenance_workers = ${filling.#lowered === null ? 0 : HELPERS}`);
    return filling;
  }

  /** Builds the keys of the main table, if they are not there: rows that were copied can be found and replaced then. */
  async needMainKey(): Promise<void> {
    const [main] = this.model.tables;
    if (main) await this.#addKeys(main.name);
  }

  /**
   * Builds keys and indexes after the rows, which is several times faster than before them, and tells the planner.
   */
  async createIndexes(): Promise<void> {
    const create = (): Promise<void> => this.#createIndexes();
    await (this.#lowered === null ? create() : withHelpersLowered(this.#lowered, create));
  }

  async #createIndexes(): Promise<void> {
    const { client, model, build } = this;
    for (const { name } of model.tables) await this.#addKeys(name);
    await client.query(`SET LOCAL search_path TO ${build.name}`);
    for (const statement of statements(model.schema)) if (isIndex(statement)) await client.query(statement);
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
