/** New rows of a rebuild that wait for COPY, the oldest first: they can still be replaced. */
import { Block, type Write } from './block.ts';

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

  /** Takes out a waiting row that is replaced; no harm when none waits. */
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
