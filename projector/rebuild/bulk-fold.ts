/** Folds a whole history into a new build: rows wait in memory for a while, and are written by COPY. */

import type { ClientBase } from 'pg';
import type { Event } from '../../schemas/events.ts';
import { fold, type Readable, type Refused, readForModel } from '../apply-page.ts';
import { copyTuples, tupleReader, tupleWriter, type WriteTuples } from '../copy-format.ts';
import { loadRows, writeRows } from '../row-storage.ts';
import type { FillTransaction } from './fill-build.ts';
import { type Block, Blocks } from './row-blocks.ts';

/**
 * A set of many keys in little memory: 11 to 22 bytes a key. It may say yes to a key that it was never given (about
 * once in 10^9), never no to one that it was: good for "was it written?", where a wrong yes only costs a look.
 */
export class KeySet {
  #slots = new Float64Array(1024);
  #size = 0;

  add(key: string): void {
    if (this.#size * 4 >= this.#slots.length * 3) this.#grow();
    if (insert(this.#slots, hash(key))) this.#size++;
  }

  has(key: string): boolean {
    const value = hash(key);
    const mask = this.#slots.length - 1;
    for (let slot = value % this.#slots.length; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot];
      if (found === value) return true;
      if (found === 0) return false;
    }
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const value of this.#slots) if (value !== 0) insert(larger, value);
    this.#slots = larger;
  }
}

function insert(slots: Float64Array, value: number): boolean {
  const mask = slots.length - 1;
  let slot = value % slots.length;
  while (slots[slot] !== 0) {
    if (slots[slot] === value) return false;
    slot = (slot + 1) & mask;
  }
  slots[slot] = value;
  return true;
}

/** 53 bits of the text from two rounds of FNV-1a with different seeds; never 0, which marks a free slot. */
function hash(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return ((high >>> 0) & 0x1fffff) * 0x100000000 + (low >>> 0) || 1;
}

// Events that came too late: a row that they touch has left memory. They wait, for looking up single rows is dear while
// millions are copied. So do all later events to any of their rows: each row sees its events in their order, and each
// event sees its rows as they were.

type Taken = Readable['taken'][number];

class Late {
  #events: Taken[] = [];
  readonly #keys = new Set<string>();

  /** Events that wait. */
  get size(): number {
    return this.#events.length;
  }

  /**
   * Keeps the event if it has to wait.
   * @param sent keys of the rows that left memory
   * @returns whether it waits
   */
  takes(event: Taken, sent: { has(key: string): boolean }): boolean {
    if (!event.keys.some((key) => this.#keys.has(key) || sent.has(key))) return false;
    for (const key of event.keys) this.#keys.add(key);
    this.#events.push(event);
    return true;
  }

  /** All events that wait, in their order; none waits after this. */
  take(): readonly Taken[] {
    const events = this.#events;
    this.#events = [];
    this.#keys.clear();
    return events;
  }
}

// Folds a whole history into a new build: rows wait for a while in memory, and leave by COPY.

/** Rows that wait, at most: a later event to one of them costs no question to the database. */
const KEPT_ROWS = 10_000;
/**
 * Of these the ones that changed last, kept as they are: most events to a row follow each other closely, so that most
 * rows are written once. Few enough to stay with the young objects.
 */
const RECENT_ROWS = 512;
/** Blocks of 1 MB that wait, at most. */
export const KEPT_BLOCKS = 12;
/** Blocks that are sent at once. */
const SENT_BLOCKS = 3;
/** Rows of the other tables that are rewritten at once. */
const PAGE = 1_000;
/** Events to rows that were sent, at most, before these are read back. */
const KEPT_LATE = 2_000;

/** The rows of a build in progress, inside one transaction. Complete only after `finish` and `foldLateEvents`. */
export class BulkFold {
  readonly #filling: FillTransaction<ClientBase>;
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
  /** Keys of rows that changed after they were sent: only the main table has them as they are, until `foldLateEvents`. */
  readonly #stale = new Set<string>();
  /** Keys of the rows that were sent. */
  readonly #sent = new KeySet();
  /** The writing under way; one at a time, so that a row is never written by two at once. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    filling: FillTransaction<ClientBase>,
    write: WriteTuples<unknown>,
    keptRows: number,
    keptBlocks: number,
  ) {
    this.#filling = filling;
    this.#keptRows = keptRows;
    this.#keptBlocks = keptBlocks;
    this.#write = write;
    this.#read = tupleReader(filling.model);
    this.#fresh = new Blocks(filling.model.tables.length);
  }

  /**
   * @param keptRows rows, and events to others, that wait at most
   * @param keptBlocks megabytes of rows for each table that wait at most
   */
  static async begin(
    filling: FillTransaction<ClientBase>,
    keptRows = KEPT_ROWS,
    keptBlocks = KEPT_BLOCKS,
  ): Promise<BulkFold> {
    const { client, model, build } = filling;
    return new BulkFold(filling, await tupleWriter(client, model, build.name), keptRows, keptBlocks);
  }

  /**
   * Folds one page. Events to rows that were sent wait: most often until there are indexes anyway.
   * @returns the events that were refused
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
   * Folds the waiting late events, and rewrites the changed rows of all tables but the main one; to be called when the
   * indexes exist.
   * @returns the events that were refused
   */
  async foldLateEvents(): Promise<readonly Refused[]> {
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
    if (!atTheEnd) await this.#filling.createMainKey();
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
