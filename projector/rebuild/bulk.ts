/** Folds a whole history into a new build: rows stay in a bounded cache and leave it by COPY. */
import type { ClientBase } from 'pg';
import type { Event } from '../../schemas/envelope.ts';
import type { Build } from '../builds/registry.ts';
import { fold, type Refused, readForModel } from '../fold.ts';
import type { Model } from '../model.ts';
import { copyRows } from '../rows/copy.ts';
import type { Rows } from '../rows/encode.ts';
import { loadRows, writeRows } from '../rows/store.ts';
import { KeySet } from './key-set.ts';

/** Rows kept in memory after a spill; at most twice as many before it. */
const KEPT_ROWS = 1_000;

/** The rows of a build in the making, inside one transaction. Nothing is complete before `finish`. */
export class BulkFold {
  readonly #client: ClientBase;
  readonly #model: Model;
  readonly #build: Build;
  readonly #keptRows: number;
  /** Least recently touched first. */
  #rows = new Map<string, unknown>();
  #changed = new Set<string>();
  readonly #written = new KeySet();
  /** The spill under way; one at a time, so that a row is never written by two at once. */
  #spill: Promise<void> = Promise.resolve();

  /**
   * @param client in a transaction in which the build's tables were emptied
   * @param keptRows rows kept in memory after a spill, 1,000 when unset
   */
  constructor(client: ClientBase, model: Model, build: Build, keptRows = KEPT_ROWS) {
    this.#client = client;
    this.#model = model;
    this.#build = build;
    this.#keptRows = keptRows;
  }

  /**
   * Folds one page.
   * @returns the events that could not be taken
   */
  async add(events: readonly Event[]): Promise<readonly Refused[]> {
    const { taken, refused } = readForModel(this.#model, events);
    const keys = new Set(taken.flatMap((event) => event.keys));
    await this.#load(keys);
    const folded = fold(this.#model, taken, this.#rows);
    for (const key of folded.changed) this.#changed.add(key);
    if (this.#rows.size > 2 * this.#keptRows) await this.#shrink(this.#rows.size - this.#keptRows);
    return [...refused, ...folded.refused];
  }

  /** Writes every row that is still in memory. */
  async finish(): Promise<void> {
    await this.#shrink(this.#rows.size);
    await this.#spill;
  }

  /** Waits for the write under way, whatever becomes of it: nothing writes to the build after this. */
  async settle(): Promise<void> {
    await this.#spill.catch(() => undefined);
  }

  /** Brings the rows of these keys to the young end of the cache. */
  async #load(keys: ReadonlySet<string>): Promise<void> {
    const spilled: string[] = [];
    for (const key of keys) {
      const row = this.#rows.get(key);
      if (row === undefined && this.#written.has(key)) spilled.push(key);
      else {
        this.#rows.delete(key);
        this.#rows.set(key, row ?? null);
      }
    }
    if (spilled.length === 0) return;
    await this.#spill;
    const loaded = await loadRows(this.#client, this.#model, this.#build.name, spilled);
    for (const [key, row] of loaded) this.#rows.set(key, row);
  }

  async #shrink(count: number): Promise<void> {
    const fresh = new Map<string, unknown>();
    const known = new Map<string, unknown>();
    for (const [key, row] of this.#rows.entries().take(count)) {
      this.#rows.delete(key);
      if (!this.#changed.delete(key)) continue;
      if (this.#written.has(key)) known.set(key, row);
      else if (row !== null) fresh.set(key, row);
      if (row !== null) this.#written.add(key);
    }
    await this.#spill;
    this.#spill = this.#write(fresh, known);
    // Its failure is met where it is awaited next; until then it must not count as unhandled.
    this.#spill.catch(() => undefined);
  }

  async #write(fresh: Rows<unknown>, known: Rows<unknown>): Promise<void> {
    if (fresh.size + known.size === 0) return;
    await copyRows(this.#client, this.#model, this.#build.name, fresh);
    await writeRows(this.#client, this.#model, this.#build.name, known);
  }
}
