/** Folds a whole history into a new build: rows wait for a while in memory, and leave by COPY. */
import type { ClientBase } from 'pg';
import type { Event } from '../../schemas/events.ts';
import type { Filling } from '../builds/filling.ts';
import { fold, type Refused, readForModel } from '../fold.ts';
import { copyTuples } from '../rows/copy.ts';
import { loadRows, writeRows } from '../rows/store.ts';
import { tupleReader, tupleWriter, type WriteTuples } from '../rows/tuples.ts';
import type { Block } from './block.ts';
import { Blocks } from './blocks.ts';
import { KeySet } from './key-set.ts';
import { Late } from './late.ts';

/** Rows that wait, at most: a later event to one of them costs no question to the database. */
const KEPT_ROWS = 10_000;
/**
 * Of these the ones that changed last, kept as they are: most events to a row follow each other closely, so that most
 * rows are written once. Few enough to stay with the young objects.
 */
const RECENT_ROWS = 512;
/** Blocks of 1 MB that wait, at most. */
const KEPT_BLOCKS = 12;
/** Blocks that are sent at once. */
const SENT_BLOCKS = 3;
/** Rows that are mended at once. */
const PAGE = 1_000;
/** Events to rows that were sent, at most, before these are read back. */
const KEPT_LATE = 2_000;

/** The rows of a build in the making, inside one transaction. Nothing is complete before `finish` and `mend`. */
export class BulkFold {
  readonly #filling: Filling<ClientBase>;
  readonly #keptRows: number;
  readonly #keptBlocks: number;
  readonly #write: WriteTuples<unknown>;
  readonly #read: (tuple: Buffer) => unknown;
  /** Rows that changed last, the oldest change first; none of them is among the fresh. */
  readonly #recent = new Map<string, unknown>();
  /** Other rows that were never sent. */
  readonly #fresh: Blocks;
  /** Events to rows that were sent, and all that came after them to any of their rows. */
  readonly #late = new Late();
  /** Keys of rows that changed after they were sent: only the main table has them as they are, until `mend`. */
  readonly #stale = new Set<string>();
  /** Keys of the rows that were sent. */
  readonly #sent = new KeySet();
  /** The writing under way; one at a time, so that a row is never written by two at once. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(filling: Filling<ClientBase>, write: WriteTuples<unknown>, keptRows: number, keptBlocks: number) {
    this.#filling = filling;
    this.#keptRows = keptRows;
    this.#keptBlocks = keptBlocks;
    this.#write = write;
    this.#read = tupleReader(filling.model);
    this.#fresh = new Blocks(filling.model.tables.length);
  }

  /**
   * @param keptRows rows, and events to others, that wait at most; the usual numbers when unset
   * @param keptBlocks megabytes of rows for each table that wait at most
   */
  static async begin(filling: Filling<ClientBase>, keptRows = KEPT_ROWS, keptBlocks = KEPT_BLOCKS): Promise<BulkFold> {
    const { client, model, build } = filling;
    return new BulkFold(filling, await tupleWriter(client, model, build.name), keptRows, keptBlocks);
  }

  /**
   * Folds one page. Events to rows that were sent wait: most often until there are indexes anyway.
   * @returns the events that could not be taken
   */
  async add(events: readonly Event[]): Promise<readonly Refused[]> {
    const { taken, refused } = readForModel(this.#filling.model, events);
    const now = taken.filter((one) => !this.#late.takes(one, this.#sent));
    const rows = new Map<string, unknown>();
    for (const { keys } of now) for (const key of keys) if (!rows.has(key)) rows.set(key, this.#waiting(key));
    const folded = fold(this.#filling.model, now, rows);
    for (const key of folded.changed) this.#keep(key, rows.get(key) ?? null);
    this.#writeRecent(Math.min(RECENT_ROWS, this.#keptRows));
    if (this.#fresh.rows > this.#keptRows || this.#fresh.blocks > this.#keptBlocks) await this.#send();
    const behind = this.#late.size > Math.min(KEPT_LATE, this.#keptRows) ? await this.#foldLate(false) : [];
    return [...refused, ...folded.refused, ...behind];
  }

  /** Writes every row that still waits. */
  async finish(): Promise<void> {
    this.#writeRecent(0);
    while (this.#fresh.blocks > 0) await this.#send();
    await this.#writing;
  }

  /**
   * Folds the events that wait still, and writes the tables besides the main one anew where rows changed; to be called
   * when all have their indexes.
   * @returns the events that could not be taken
   */
  async mend(): Promise<readonly Refused[]> {
    const refused = await this.#foldLate(true);
    const { client, model, build } = this.#filling;
    const [, ...others] = model.tables;
    for (
      let keys = [...this.#stale.values().take(PAGE)];
      keys.length > 0;
      keys = [...this.#stale.values().take(PAGE)]
    ) {
      for (const key of keys) this.#stale.delete(key);
      const rows = await loadRows(client, model, build.name, keys);
      await writeRows(client, model, build.name, rows, others);
    }
    return refused;
  }

  /** Waits for the writing under way, whatever becomes of it: nothing writes to the build after this. */
  async settle(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  #waiting(key: string): unknown {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const tuple = this.#fresh.main(key);
    return tuple === null ? null : this.#read(tuple);
  }

  #keep(key: string, row: unknown): void {
    if (!this.#recent.delete(key)) this.#fresh.drop(key);
    if (row !== null) this.#recent.set(key, row);
  }

  /** Writes the rows whose last change is the longest ago, until so many are left. */
  #writeRecent(left: number): void {
    for (const [key, row] of this.#recent) {
      if (this.#recent.size <= left) break;
      this.#recent.delete(key);
      this.#fresh.add(key, (table, bytes, start) => this.#write(table, key, row, bytes, start));
    }
  }

  /** Folds the events that wait, in their order, into rows that are read back or wait themselves. */
  async #foldLate(atTheEnd: boolean): Promise<readonly Refused[]> {
    const { client, model, build } = this.#filling;
    const taken = this.#late.take();
    if (taken.length === 0) return [];
    await this.#writing;
    if (!atTheEnd) await this.#filling.needMainKey();
    const keys = new Set(taken.flatMap((one) => one.keys));
    const sent = [...keys].filter((key) => this.#sent.has(key));
    const rows = new Map<string, unknown>([...keys].map((key) => [key, this.#waiting(key)]));
    for (const [key, row] of await loadRows(client, model, build.name, sent)) rows.set(key, row);
    const folded = fold(model, taken, rows);
    const changed = new Map<string, unknown>();
    for (const key of folded.changed)
      if (this.#sent.has(key)) changed.set(key, rows.get(key) ?? null);
      else this.#keep(key, rows.get(key) ?? null);
    // Without an index nothing can be deleted from the other tables.
    await writeRows(client, model, build.name, changed, model.tables.slice(0, 1));
    for (const key of changed.keys()) this.#stale.add(key);
    return folded.refused;
  }

  async #send(): Promise<void> {
    // What is folded next fills other blocks meanwhile; only one writing waits behind another.
    await this.#writing;
    const blocks: Block[] = [];
    for (let block = this.#fresh.take(); block; block = blocks.length < SENT_BLOCKS ? this.#fresh.take() : undefined)
      blocks.push(block);
    for (const block of blocks) for (const key of block.keys()) this.#sent.add(key);
    this.#writing = this.#copy(blocks);
    // Its failure is met where it is awaited next; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  async #copy(blocks: readonly Block[]): Promise<void> {
    const { client, model, build } = this.#filling;
    const filled = blocks.map((block) => block.compact());
    const byTable = model.tables.map((_, table) => filled.flatMap((buffers) => buffers[table] ?? []));
    await copyTuples(client, model, build.name, byTable);
    for (const block of blocks) this.#fresh.giveBack(block);
  }
}
