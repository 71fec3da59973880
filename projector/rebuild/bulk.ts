/** Folds a whole history into a new build: rows wait for a while as lines, and leave by COPY. */
import type { ClientBase } from 'pg';
import type { Event } from '../../schemas/envelope.ts';
import type { Build } from '../builds/registry.ts';
import { fold, type Refused, readForModel } from '../fold.ts';
import type { Model } from '../model.ts';
import { copyLines } from '../rows/copy.ts';
import { lineMaker, lineReader } from '../rows/lines.ts';
import { loadRows, writeRows } from '../rows/store.ts';
import type { Block } from './block.ts';
import { Blocks } from './blocks.ts';
import { KeySet } from './key-set.ts';

/** Rows that wait, at most: a later event to one of them costs no question to the database. */
const KEPT_ROWS = 10_000;
/** Blocks of 1 MB that wait, at most. */
const KEPT_BLOCKS = 12;
/** Blocks that are sent at once. */
const SENT_BLOCKS = 3;
/** Rows that are mended at once. */
const PAGE = 1_000;
/** Changed rows that stand in the database already, at most, before they are written to it. */
const KEPT_CHANGES = 1_000;

/** The rows of a build in the making, inside one transaction. Nothing is complete before `finish` and `mend`. */
export class BulkFold {
  readonly #client: ClientBase;
  readonly #model: Model;
  readonly #build: Build;
  readonly #keptRows: number;
  readonly #linesOf: (key: string, row: unknown) => string[];
  readonly #readLine: (line: string) => unknown;
  /** Rows that were never sent. */
  readonly #fresh: Blocks;
  /** Rows that changed after they were sent. */
  #changed = new Map<string, unknown>();
  /** Keys of rows that changed after they were sent: only the main table has them as they are, until `mend`. */
  readonly #stale = new Set<string>();
  /** Keys of the rows that were sent. */
  readonly #sent = new KeySet();
  /** The writing under way; one at a time, so that a row is never written by two at once. */
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param client in a transaction in which the build's tables were emptied
   * @param keptRows rows that wait at most, 10,000 when unset
   */
  constructor(client: ClientBase, model: Model, build: Build, keptRows = KEPT_ROWS) {
    this.#client = client;
    this.#model = model;
    this.#build = build;
    this.#keptRows = keptRows;
    this.#linesOf = lineMaker(model);
    this.#readLine = lineReader(model);
    this.#fresh = new Blocks(model.tables.length);
  }

  /**
   * Folds one page.
   * @returns the events that could not be taken
   */
  async add(events: readonly Event[]): Promise<readonly Refused[]> {
    const { taken, refused } = readForModel(this.#model, events);
    const rows = await this.#rowsOf(new Set(taken.flatMap((event) => event.keys)));
    const folded = fold(this.#model, taken, rows);
    for (const key of folded.changed) this.#keep(key, rows.get(key) ?? null);
    if (
      this.#fresh.rows > this.#keptRows ||
      this.#fresh.blocks > KEPT_BLOCKS ||
      this.#changed.size > Math.min(KEPT_CHANGES, this.#keptRows)
    )
      await this.#send(SENT_BLOCKS);
    return [...refused, ...folded.refused];
  }

  /** Writes every row that still waits. */
  async finish(): Promise<void> {
    while (this.#fresh.blocks > 0 || this.#changed.size > 0) await this.#send(SENT_BLOCKS);
    await this.#writing;
  }

  /** Writes the tables besides the main one anew where rows changed; to be called when these have their indexes. */
  async mend(): Promise<void> {
    const [, ...others] = this.#model.tables;
    for (
      let keys = [...this.#stale.values().take(PAGE)];
      keys.length > 0;
      keys = [...this.#stale.values().take(PAGE)]
    ) {
      for (const key of keys) this.#stale.delete(key);
      const rows = await loadRows(this.#client, this.#model, this.#build.name, keys);
      await writeRows(this.#client, this.#model, this.#build.name, rows, others);
    }
  }

  /** Waits for the writing under way, whatever becomes of it: nothing writes to the build after this. */
  async settle(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  async #rowsOf(keys: ReadonlySet<string>): Promise<Map<string, unknown>> {
    const rows = new Map<string, unknown>();
    const asked: string[] = [];
    for (const key of keys) {
      const line = this.#fresh.line(key);
      if (line !== null) rows.set(key, this.#readLine(line));
      else if (this.#changed.has(key)) rows.set(key, this.#changed.get(key));
      else if (this.#sent.has(key)) asked.push(key);
    }
    if (asked.length === 0) return rows;
    await this.#writing;
    for (const [key, row] of await loadRows(this.#client, this.#model, this.#build.name, asked)) rows.set(key, row);
    return rows;
  }

  #keep(key: string, row: unknown): void {
    this.#fresh.drop(key);
    if (this.#sent.has(key)) this.#changed.set(key, row);
    else if (row !== null) this.#fresh.add(key, this.#linesOf(key, row));
  }

  async #send(count: number): Promise<void> {
    // What is folded next fills other blocks meanwhile; only one writing waits behind another.
    await this.#writing;
    const blocks: Block[] = [];
    for (let block = this.#fresh.take(); block; block = blocks.length < count ? this.#fresh.take() : undefined)
      blocks.push(block);
    for (const block of blocks) for (const key of block.keys()) this.#sent.add(key);
    const changed = this.#changed;
    this.#changed = new Map();
    this.#writing = this.#write(blocks, changed);
    // Its failure is met where it is awaited next; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  async #write(blocks: readonly Block[], changed: ReadonlyMap<string, unknown>): Promise<void> {
    const lines = blocks.map((block) => block.compact());
    const byTable = this.#model.tables.map((_, table) => lines.flatMap((buffers) => buffers[table] ?? []));
    await copyLines(this.#client, this.#model, this.#build.name, byTable);
    for (const block of blocks) this.#fresh.giveBack(block);
    // Without an index nothing can be deleted from the others.
    await writeRows(this.#client, this.#model, this.#build.name, changed, this.#model.tables.slice(0, 1));
    for (const key of changed.keys()) this.#stale.add(key);
  }
}
