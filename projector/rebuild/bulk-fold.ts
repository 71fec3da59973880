/**
 * Folds the history into the tables of a build: rows stay in memory while they change, and are written in bulk, in chunks that
 * are committed together with the checkpoint. A rebuild that is interrupted continues with the last chunk.
 */
import type { Client } from 'pg';
import type { Position } from '../../log/event-store.ts';
import { fold, type Readable, type Refused } from '../apply-page.ts';
import { checkpoint, moveCheckpoint, STORE } from '../model-builds.ts';
import type { Model } from '../read-model.ts';
import { copyRows, loadRows, writeRows } from '../row-storage.ts';

/** Changed rows after which a chunk is committed, by default. */
const CHUNK_ROWS = 1_000;
/** Rows that stay in memory after they were written, for each changed row of a chunk: most events to a row follow each other closely. */
const KEPT_CHUNKS = 5;
/** Milliseconds after which a chunk is committed, however few rows have changed. What a kill loses is at most this. */
const CHUNK_MILLISECONDS = 20_000;

interface FoldOptions {
  readonly model: Model;
  /** The name of the build. */
  readonly build: string;
  /** Ids of events that are left out when the model refuses them. */
  readonly skipped: { has(id: string): boolean };
  readonly chunkRows?: number | undefined;
}

/** A row in memory. */
interface KeptRow {
  readonly row: unknown;
  /** Whether the tables have a row of this key. */
  readonly isStored: boolean;
}

/** Folds pages of the history one after the other. */
export class BulkFold {
  readonly #session: Client;
  readonly #options: FoldOptions;
  readonly #chunkRows: number;
  /** The row that changed longest ago comes first. */
  readonly #rows = new Map<string, KeptRow>();
  readonly #changed = new Set<string>();
  #committed: Position;
  #reached: Position;
  /** Of the record there, where it is known. */
  #id: string | undefined;
  #chunkStarted = performance.now();

  private constructor(session: Client, options: FoldOptions, position: Position) {
    this.#session = session;
    this.#options = options;
    this.#chunkRows = options.chunkRows ?? CHUNK_ROWS;
    this.#committed = position;
    this.#reached = position;
  }

  /** Continues where the last committed chunk of the build ended. @param session which holds the lock of the build */
  static async open(session: Client, options: FoldOptions): Promise<BulkFold> {
    return new BulkFold(session, options, await checkpoint(session, options.build, STORE));
  }

  /** Up to here the rows are committed. */
  get position(): Position {
    return this.#committed;
  }

  /**
   * Folds the events of a page.
   * @param to the position that is reached with these events
   * @param id of the record there, where it is known
   * @returns the events that the model refused. With one that is not among the skipped, nothing behind the last chunk is
   *   committed, and nothing can be added
   */
  async add(taken: Readable['taken'], to: Position, id?: string): Promise<readonly Refused[]> {
    const { model, skipped } = this.#options;
    const keys = new Set(taken.flatMap((event) => event.keys));
    await this.#load([...keys].filter((key) => !this.#rows.has(key)));
    const rows = new Map<string, unknown>();
    for (const key of keys) rows.set(key, this.#rows.get(key)?.row ?? null);
    const folded = fold(model, taken, rows);
    if (folded.refused.some(({ event }) => !skipped.has(event.id))) return folded.refused;
    for (const key of folded.changed) {
      const isStored = this.#rows.get(key)?.isStored ?? false;
      this.#rows.delete(key);
      this.#rows.set(key, { row: rows.get(key) ?? null, isStored });
      this.#changed.add(key);
    }
    this.#reached = to;
    this.#id = id;
    const isOld = performance.now() - this.#chunkStarted >= CHUNK_MILLISECONDS;
    if (isOld || this.#changed.size >= this.#chunkRows) await this.#commit();
    return folded.refused;
  }

  /** Commits what is left, with the position up to which the history was read. */
  async finish(to: Position): Promise<void> {
    if (to !== this.#reached) this.#id = undefined;
    this.#reached = to;
    await this.#commit();
  }

  /** Writes every changed row and commits them with the position reached. */
  async #commit(): Promise<void> {
    const { model, build } = this.#options;
    const added = new Map<string, unknown>();
    const replaced = new Map<string, unknown>();
    for (const key of this.#changed) {
      const kept = this.#rows.get(key);
      if (!kept) continue;
      if (kept.isStored) replaced.set(key, kept.row);
      else if (kept.row !== null) added.set(key, kept.row);
      this.#rows.set(key, { row: kept.row, isStored: kept.row !== null });
    }
    await this.#session.query('BEGIN');
    await copyRows(this.#session, model, build, added);
    await writeRows(this.#session, model, build, replaced);
    if (this.#reached > this.#committed)
      await moveCheckpoint(this.#session, build, STORE, this.#committed, this.#reached, this.#id);
    await this.#session.query('COMMIT');
    this.#committed = this.#reached;
    this.#changed.clear();
    this.#chunkStarted = performance.now();
    for (const key of this.#rows.keys()) {
      if (this.#rows.size <= this.#chunkRows * KEPT_CHUNKS) break;
      this.#rows.delete(key);
    }
  }

  async #load(keys: readonly string[]): Promise<void> {
    const { model, build } = this.#options;
    for (const [key, row] of await loadRows(this.#session, model, build, keys))
      this.#rows.set(key, { row, isStored: row !== null });
  }
}
