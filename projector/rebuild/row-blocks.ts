/** New rows of a rebuild that wait for COPY, the oldest first, outside the heap: they can still be replaced. */

/** New rows of a rebuild as they are sent, outside the heap: there the collector of garbage need not copy them. */

const CAPACITY = 1_048_576;

/**
 * Writes what a row has in one table.
 * @returns where it ends; null when the buffer is too small for it
 */
export type Write = (table: number, bytes: Buffer, start: number) => number | null;

/** What the rows have in one table, row after row. */
interface Filled {
  readonly bytes: Buffer;
  /** Where that of each row ends. */
  readonly ends: number[];
}

/** Rows that are sent to their tables together. One that is replaced before leaves a gap that is closed on sending. */
export class Block {
  readonly #tables: readonly Filled[];
  /** Null for a row that was replaced. */
  #keys: (string | null)[] = [];

  /** @param tables how many tables each row is written for */
  constructor(tables: number, capacity = CAPACITY) {
    this.#tables = Array.from({ length: tables }, () => ({ bytes: Buffer.allocUnsafeSlow(capacity), ends: [] }));
  }

  /** A block of one row that no other block had room for. */
  static for(tables: number, key: string, write: Write): Block {
    for (let capacity = CAPACITY * 2; ; capacity *= 2) {
      const block = new Block(tables, capacity);
      if (block.add(key, write) !== null) return block;
    }
  }

  /** Rows added, replaced ones among them. */
  get size(): number {
    return this.#keys.length;
  }

  /** True for a block made larger than others, which is not worth keeping. */
  get isLarge(): boolean {
    return this.#tables.some(({ bytes }) => bytes.length > CAPACITY);
  }

  /**
   * Adds a row.
   * @returns its number; null when it does not fit
   */
  add(key: string, write: Write): number | null {
    const row = this.#keys.length;
    for (const [index, { bytes, ends }] of this.#tables.entries()) {
      const end = write(index, bytes, ends[row - 1] ?? 0);
      if (end === null) {
        // What was written for the tables before counts for nothing without its end.
        for (const table of this.#tables) table.ends.length = row;
        return null;
      }
      ends.push(end);
    }
    return this.#keys.push(key) - 1;
  }

  /** What a row has in the main table; good until rows are added. */
  main(row: number): Buffer {
    const [main] = this.#tables;
    return main ? main.bytes.subarray(main.ends[row - 1] ?? 0, main.ends[row]) : Buffer.alloc(0);
  }

  /** Takes out a row that was replaced. */
  drop(row: number): void {
    this.#keys[row] = null;
  }

  /** Keys of the rows that were not replaced. */
  keys(): string[] {
    return this.#keys.filter((key) => key !== null);
  }

  /** Closes the gaps and gives what goes to each table; it stays as it is until `clear`. */
  compact(): Buffer[] {
    return this.#tables.map(({ bytes, ends }) => {
      let [start, end] = [0, 0];
      for (const [row, key] of this.#keys.entries()) {
        const next = ends[row] ?? start;
        if (key !== null) {
          if (start > end) bytes.copyWithin(end, start, next);
          end += next - start;
        }
        start = next;
      }
      return bytes.subarray(0, end);
    });
  }

  clear(): void {
    this.#keys = [];
    for (const { ends } of this.#tables) ends.length = 0;
  }
}

// New rows of a rebuild that wait for COPY, the oldest first: they can still be replaced.

/** Rows that a block can number: the number of a row and that of its block are kept as one. */
const ROWS = 65_536;

export class Blocks {
  readonly #tables: number;
  readonly #waiting: Block[] = [];
  /** Emptied ones, used again: memory outside the heap is given back late. */
  readonly #free: Block[] = [];
  /** The number of the oldest block. */
  #first = 0;
  readonly #places = new Map<string, number>();

  /** @param tables how many tables each row is written for */
  constructor(tables: number) {
    this.#tables = tables;
  }

  /** Rows that wait. */
  get rows(): number {
    return this.#places.size;
  }

  get blocks(): number {
    return this.#waiting.length;
  }

  /** Adds a row of which none waits. */
  add(key: string, write: Write): void {
    let block = this.#waiting.at(-1);
    let row = block && block.size < ROWS ? block.add(key, write) : null;
    if (row === null) {
      block = this.#free.pop() ?? new Block(this.#tables);
      row = block.add(key, write);
      if (row === null) {
        this.#free.push(block);
        block = Block.for(this.#tables, key, write);
        row = 0;
      }
      this.#waiting.push(block);
    }
    this.#places.set(key, (this.#first + this.#waiting.length - 1) * ROWS + row);
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** What a waiting row has in the main table, good until rows are added; null when none waits. */
  main(key: string): Buffer | null {
    const place = this.#places.get(key);
    return place === undefined ? null : (this.#blockOf(place)?.main(place % ROWS) ?? null);
  }

  /** Removes a waiting row that is replaced; no effect when none waits. */
  drop(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#blockOf(place)?.drop(place % ROWS);
    this.#places.delete(key);
  }

  /** The oldest block, which waits no longer; its rows are the taker's to write, and it is to be handed back. */
  take(): Block | undefined {
    const block = this.#waiting.shift();
    if (!block) return;
    this.#first++;
    for (const key of block.keys()) this.#places.delete(key);
    return block;
  }

  /** Hands back a block whose rows are written. */
  giveBack(block: Block): void {
    if (block.isLarge) return;
    block.clear();
    this.#free.push(block);
  }

  #blockOf(place: number): Block | undefined {
    return this.#waiting[Math.floor(place / ROWS) - this.#first];
  }
}
