/**
 * What a rebuild keeps outside the heap, where the garbage collector need not copy it: new rows that wait for COPY, and a
 * filter of the keys that were written.
 */

// New rows of a rebuild as they are sent.

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

// Which keys were written, in fixed memory.

/** Words of a block, all within one line of the processor's cache, and bits that a key sets in it. */
const WORDS = 16;
const BITS = 8;

/**
 * A set of keys in fixed memory, a Bloom filter in blocks. It contains every key that was added, and by mistake some that
 * were not: at 16 bits for each key 0.1 %, at 12 bits 0.4 %, at 8 bits 3 %.
 */
export class KeyFilter {
  readonly #words: Uint32Array;
  readonly #blocks: number;

  /** @param bytes its memory, rounded up to blocks of 64 bytes */
  constructor(bytes: number) {
    this.#blocks = Math.max(1, Math.ceil(bytes / (WORDS * 4)));
    this.#words = new Uint32Array(this.#blocks * WORDS);
  }

  add(key: string): void {
    const [low, high] = hashes(key);
    const block = this.#blockOf(low);
    for (let bit = 0, state = high | 1; bit < BITS; bit++) {
      state = scramble(state);
      const word = block + ((state >>> 5) & (WORDS - 1));
      this.#words[word] = (this.#words[word] ?? 0) | (1 << state);
    }
  }

  has(key: string): boolean {
    const [low, high] = hashes(key);
    const block = this.#blockOf(low);
    for (let bit = 0, state = high | 1; bit < BITS; bit++) {
      state = scramble(state);
      if (((this.#words[block + ((state >>> 5) & (WORDS - 1))] ?? 0) & (1 << state)) === 0) return false;
    }
    return true;
  }

  /** The first word of the block in which the bits of a key are. */
  #blockOf(low: number): number {
    return Math.floor((low / 0x100000000) * this.#blocks) * WORDS;
  }
}

/** The next state of xorshift32. */
function scramble(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}

/** 64 bits of the text from two rounds of FNV-1a with different seeds, as two numbers of 32 bits. */
function hashes(text: string): readonly [low: number, high: number] {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return [low >>> 0, high >>> 0];
}

/**
 * The part of a build to which a row belongs. A release that divides otherwise raises STORAGE_FORM: it must not continue
 * with builds of an earlier one.
 * @param parts how many there are
 */
export const partOf = (key: string, parts: number): number => (parts === 1 ? 0 : (hashes(key)[1] & 0x1fffff) % parts);
