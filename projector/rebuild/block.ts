/** New rows of a rebuild as lines of COPY, outside the heap: there the collector of garbage need not copy them. */

const CAPACITY = 1_048_576;

/** The lines of one table, row after row. */
interface Lines {
  readonly bytes: Buffer;
  /** Where the lines of each row end. */
  readonly ends: number[];
}

const startOf = ({ ends }: Lines, row: number): number => ends[row - 1] ?? 0;
const lengthOf = ({ ends }: Lines): number => ends.at(-1) ?? 0;

/** Rows that are sent to their tables together. One that is replaced before leaves a gap that is closed on sending. */
export class Block {
  readonly #tables: readonly Lines[];
  /** Null for a row that was replaced. */
  #keys: (string | null)[] = [];

  /** @param tables how many tables each row has lines for */
  constructor(tables: number, capacity = CAPACITY) {
    this.#tables = Array.from({ length: tables }, () => ({ bytes: Buffer.allocUnsafeSlow(capacity), ends: [] }));
  }

  /** A block that holds at least this row. */
  static for(texts: readonly string[]): Block {
    return new Block(texts.length, Math.max(CAPACITY, ...texts.map((text) => Buffer.byteLength(text))));
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
   * @param texts its lines, one text a table
   * @returns its number; null when it does not fit
   */
  add(key: string, texts: readonly string[]): number | null {
    for (const [index, lines] of this.#tables.entries()) {
      const free = lines.bytes.length - lengthOf(lines);
      const text = texts[index] ?? '';
      // A UTF-16 unit has at most three bytes: most texts need no count.
      if (text.length * 3 > free && Buffer.byteLength(text) > free) return null;
    }
    for (const [index, lines] of this.#tables.entries()) {
      const start = lengthOf(lines);
      lines.ends.push(start + lines.bytes.write(texts[index] ?? '', start));
    }
    return this.#keys.push(key) - 1;
  }

  /** The line of a row in the main table. */
  line(row: number): string {
    const [main] = this.#tables;
    return main ? main.bytes.toString('utf8', startOf(main, row), main.ends[row]) : '';
  }

  /** Takes out a row that was replaced. */
  drop(row: number): void {
    this.#keys[row] = null;
  }

  /** Keys of the rows that were not replaced. */
  keys(): string[] {
    return this.#keys.filter((key) => key !== null);
  }

  /** Closes the gaps and gives the lines of each table; they stay as they are until `clear`. */
  compact(): Buffer[] {
    return this.#tables.map((lines) => {
      let end = 0;
      this.#keys.forEach((key, row) => {
        if (key === null) return;
        const [from, to] = [startOf(lines, row), lines.ends[row] ?? 0];
        if (from > end) lines.bytes.copyWithin(end, from, to);
        end += to - from;
      });
      return lines.bytes.subarray(0, end);
    });
  }

  clear(): void {
    this.#keys = [];
    for (const { ends } of this.#tables) ends.length = 0;
  }
}
