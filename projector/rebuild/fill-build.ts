/** A new build while its rows are copied in, and how this work yields to readers. */
import { readFile, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setInterval } from 'node:timers/promises';
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { type Build, isIndex, statements } from '../model-builds.ts';
import type { Model } from '../read-model.ts';

// Long work steps back when readers want the processor.

/** A tenth of a reader's share where both want more than there is; all of it where nobody else does. */
const NICE = 10;

/** How often new helpers are looked for, in milliseconds: each lives for about a second. */
const LOOK = 40;

async function lower(pid: number): Promise<void> {
  setPriority(pid, NICE);
  // Every process of PostgreSQL is a session of its own, and where Linux shares the processor among sessions (autogroup)
  // its priority counts among its own processes alone: there it is the session that has to step back.
  await writeFile(`/proc/${pid}/autogroup`, String(NICE)).catch(() => undefined);
}

const titleOf = (pid: number | string): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');

const Backend = z.object({ pid: z.int(), port: z.int().nullable() });

/**
 * Lowers the priority of a connection's process, where PostgreSQL runs on this machine and the system lets us. The
 * process ends with its connection, which therefore must not be handed back to a pool of readers.
 * @returns its number; null when it could not be lowered
 */
export async function yieldToReaders(client: Queryable): Promise<number | null> {
  try {
    const text = 'SELECT pg_backend_pid() AS pid, inet_client_port() AS port';
    const [backend] = await query(client, text, [], Backend);
    // The same number may be another process here when PostgreSQL runs elsewhere: its title tells our own port.
    const title = backend ? await titleOf(backend.pid) : '';
    if (!backend?.port || !title.startsWith('postgres: ') || !title.includes(`(${backend.port})`)) return null;
    await lower(backend.pid);
    return backend.pid;
  } catch {
    return null;
  }
}

/**
 * Lowers the processes that help a lowered connection as soon as they appear, while `work` runs. They are children of
 * the server and know nothing of the priority of whom they help.
 * @param backend the number of the connection's process, on this machine
 */
export async function withHelpersLowered<Result>(backend: number, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const lowering = lowerHelpers(backend, over.signal).catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    await lowering;
  }
}

async function lowerHelpers(backend: number, signal: AbortSignal): Promise<void> {
  const stat = await readFile(`/proc/${backend}/stat`, 'latin1');
  const server = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  const seen = new Set<string>();
  for await (const _ of setInterval(LOOK, undefined, { signal })) {
    const children = await readFile(`/proc/${server}/task/${server}/children`, 'latin1');
    for (const pid of children.trim().split(' ')) {
      if (seen.has(pid)) continue;
      const title = await titleOf(pid);
      // A process that was made this moment has the title of its parent still.
      if (title.startsWith('postgres: ')) seen.add(pid);
      if (title.includes(`parallel worker for PID ${backend}`)) await lower(Number(pid));
    }
  }
}

/** Lowers the priority of this process likewise: for one that does nothing but rebuild. */
export function yieldProcessToReaders(): void {
  try {
    setPriority(NICE);
  } catch {
    // The system does not let us: the rebuild is no less right for it.
  }
}

// A new build while its rows are copied in: emptied tables without keys and indexes, which follow at the end.

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
