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
