/**
 * Folds the history of one part of a build's keys: rows wait in memory for a while and are written by COPY, in chunks that
 * are committed together with the checkpoint of the part. Events to rows that were written wait in a table, and are folded
 * when there are keys.
 */
import type { Client } from 'pg';
import Cursor from 'pg-cursor';
import { z } from 'zod';
import type { Position } from '../../log/event-store.ts';
import { query } from '../../log/postgres/database.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import { fold, type Refused } from '../apply-page.ts';
import { copyTuples, tupleReader, tupleWriter, type WriteTuples } from '../copy-format.ts';
import { checkpoint, LATE, LATE_EVENTS, moveCheckpoint, partInput, partLock } from '../model-builds.ts';
import type { Model } from '../read-model.ts';
import { loadRows, writeRows } from '../row-storage.ts';
import { type Block, Blocks, KeyFilter, partOf } from './row-blocks.ts';

/** An event of the history with the keys of the rows that it touches. */
export interface PlacedEvent {
  readonly event: KnownEvent;
  readonly keys: readonly string[];
  readonly position: Position;
}

/** Rows that wait, at most: a later event to one of them needs no query. */
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
/** Late events that wait in memory, at most. */
const KEPT_LATE = 2_000;
/** Late events that are folded in one transaction. */
const LATE_PAGE = 500;
/** Keys that are read at once when a part is resumed. */
const KEYS_PAGE = 10_000;
/** Milliseconds after which a chunk is committed. What a kill loses is at most this and the work of one page. */
const CHUNK_MILLISECONDS = 20_000;

/** What one part folds. */
export interface PartOptions {
  readonly model: Model;
  /** The name of the build. */
  readonly build: string;
  /** From 0 up to `parts`. */
  readonly part: number;
  readonly parts: number;
  /** Ids of events that are left out when the model refuses them. */
  readonly skipped: ReadonlySet<string>;
  /** Rows that wait in memory. */
  readonly keptRows?: number | undefined;
  /** Megabytes of rows for each table that wait. */
  readonly keptBlocks?: number | undefined;
  readonly chunkMilliseconds?: number | undefined;
  /** Memory for the filter of written keys. */
  readonly filterBytes: number;
}

/** One part of a build, as the reader of the log sees it: in this thread or in another. */
export interface Part {
  /** Up to here the rows are committed. */
  readonly position: Position;
  /**
   * Folds what touches rows of this part and lies behind its position.
   * @param to the position that is reached with these events
   * @returns an event that the model refused: nothing behind the last chunk is committed then, and nothing can be added
   */
  add(events: readonly PlacedEvent[], to: Position): Promise<Refused | null>;
  /** Waits until nothing is being written. */
  settle(): Promise<void>;
  /** Commits what is left. */
  finish(): Promise<void>;
  /** Ends the session; what was not committed is dropped. */
  close(): Promise<void>;
}

/** A part that is folded in this thread. */
export class PartFold implements Part {
  readonly #session: Client;
  readonly #about: PartOptions;
  readonly #write: WriteTuples<unknown>;
  readonly #read: (tuple: Buffer) => unknown;
  /**
   * Rows that changed last, the oldest change first; none of them is among the fresh. The row is in a box that is emptied when
   * the row leaves: a map that rehashes leaves its former table behind, and what that contains would be moved to the old
   * generation with it, which is nearly every row.
   */
  readonly #recent = new Map<string, { row: unknown }>();
  /** Other rows that were never sent. */
  readonly #fresh: Blocks;
  /**
   * Keys of the rows that were sent, and of those that a late event touches: every further event to one of them is late
   * too. So each row sees its events in their order, and each event sees its rows as they were. Events to a key that the
   * filter contains by mistake are late as well, from one event on, which changes nothing but the speed.
   */
  readonly #settled: KeyFilter;
  #late: PlacedEvent[] = [];
  /** The writing under way; one at a time, so that a row is never written by two at once. */
  #writing: Promise<void> = Promise.resolve();
  #committed: Position;
  #reached: Position;
  /** When the open transaction began; null between two. */
  #since: number | null = null;
  /** Rows of the open transaction can be copied frozen: it has emptied the tables. */
  #freezes = false;
  #stopped = false;

  private constructor(
    session: Client,
    about: PartOptions,
    write: WriteTuples<unknown>,
    settled: KeyFilter,
    position: Position,
  ) {
    this.#session = session;
    this.#about = about;
    this.#write = write;
    this.#read = tupleReader(about.model);
    this.#fresh = new Blocks(about.model.tables.length);
    this.#settled = settled;
    this.#committed = position;
    this.#reached = position;
  }

  /**
   * Continues where the last committed chunk of the part ended.
   * @param session a connection of its own, which is closed with the part; it holds the lock of the part
   * @returns null when another process folds the part; the session is closed then
   */
  static async open(session: Client, about: PartOptions): Promise<PartFold | null> {
    const { model, build, part, parts } = about;
    const lock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken';
    const [locked] = await query(session, lock, [partLock(build, partInput(part, parts))], Locked);
    if (!locked?.taken) {
      await session.end();
      return null;
    }
    // Writes pages to disk early; otherwise a commit would have to wait for all of them.
    await session.query(`SET backend_flush_after = '2MB'`);
    await session.query(`SET client_connection_check_interval = '1s'`);
    // A log that does not answer must not keep a chunk open: the rebuild fails, and continues with the last one.
    await session.query(`SET idle_in_transaction_session_timeout = '30s'`);
    const position = await checkpoint(session, build, partInput(part, parts));
    const settled = new KeyFilter(about.filterBytes);
    if (position > 0n) await addSettledKeys(session, about, settled);
    return new PartFold(session, about, await tupleWriter(session, model, build), settled, position);
  }

  get position(): Position {
    return this.#committed;
  }

  async add(events: readonly PlacedEvent[], to: Position): Promise<Refused | null> {
    if (this.#stopped) throw new Error('a part that refused an event takes no further ones');
    if (to <= this.#reached) return null;
    const { model, skipped, chunkMilliseconds = CHUNK_MILLISECONDS, keptRows = KEPT_ROWS } = this.#about;
    const { keptBlocks = KEPT_BLOCKS } = this.#about;
    await this.#begin();
    const now = events.filter((event) => event.position > this.#reached && !this.#isLate(event));
    const rows = new Map<string, unknown>();
    for (const { keys } of now) for (const key of keys) if (!rows.has(key)) rows.set(key, this.#waiting(key));
    const folded = fold(model, now, rows);
    const refused = folded.refused.find(({ event }) => !skipped.has(event.id));
    if (refused) {
      this.#stopped = true;
      return refused;
    }
    for (const key of folded.changed) this.#keep(key, rows.get(key) ?? null);
    this.#reached = to;
    this.#writeRecent(Math.min(RECENT_ROWS, keptRows));
    if (this.#fresh.rows > keptRows || this.#fresh.blocks > keptBlocks) await this.#send();
    if (this.#late.length > KEPT_LATE) await this.#storeLate();
    if (this.#since !== null && performance.now() - this.#since >= chunkMilliseconds) await this.#commit();
    return null;
  }

  async settle(): Promise<void> {
    await this.#writing;
  }

  async finish(): Promise<void> {
    if (this.#since !== null) await this.#commit();
  }

  async close(): Promise<void> {
    // Whatever becomes of the writing under way: the session ends after it.
    await this.#writing.catch(() => undefined);
    // The server may notice the end of the connection later than the next process looks for free parts.
    await this.#session.query('ROLLBACK; SELECT pg_advisory_unlock_all()').catch(() => undefined);
    await this.#session.end().catch(() => undefined);
  }

  /** Keeps the event when it has to wait for the rows of other parts, or for rows that were sent. */
  #isLate(event: PlacedEvent): boolean {
    const { part, parts } = this.#about;
    const own = event.keys.filter((key) => partOf(key, parts) === part);
    if (own.length === event.keys.length && !own.some((key) => this.#settled.has(key))) return false;
    for (const key of own) this.#settled.add(key);
    if (own.length > 0) this.#late.push(event);
    return true;
  }

  #waiting(key: string): unknown {
    const recent = this.#recent.get(key);
    if (recent) return recent.row;
    const tuple = this.#fresh.main(key);
    return tuple === null ? null : this.#read(tuple);
  }

  #keep(key: string, row: unknown): void {
    const recent = this.#recent.get(key);
    if (recent) {
      recent.row = null;
      this.#recent.delete(key);
    } else this.#fresh.drop(key);
    if (row !== null) this.#recent.set(key, { row });
  }

  /** Writes the rows whose last change is the longest ago, until so many are left. */
  #writeRecent(left: number): void {
    for (const [key, recent] of this.#recent) {
      if (this.#recent.size <= left) break;
      const { row } = recent;
      recent.row = null;
      this.#recent.delete(key);
      this.#fresh.add(key, (table, bytes, start) => this.#write(table, key, row, bytes, start));
    }
  }

  async #begin(): Promise<void> {
    if (this.#since !== null) return;
    const { model, build, parts } = this.#about;
    await this.#session.query('BEGIN');
    this.#since = performance.now();
    // Rows copied into tables that were truncated in the same transaction are frozen, and with `wal_level = minimal` they
    // bypass the write-ahead log. Parts that share the tables cannot do so.
    this.#freezes = parts === 1 && this.#committed === 0n;
    if (this.#freezes) await this.#session.query(`TRUNCATE ${model.tables.map(({ name }) => `${build}.${name}`)}`);
  }

  /** Writes every row and late event that waits, and commits them with the position reached. */
  async #commit(): Promise<void> {
    const { build, part, parts } = this.#about;
    this.#writeRecent(0);
    while (this.#fresh.blocks > 0) await this.#send();
    await this.#writing;
    await this.#storeLate();
    await moveCheckpoint(this.#session, build, partInput(part, parts), this.#committed, this.#reached);
    await this.#session.query('COMMIT');
    this.#since = null;
    this.#committed = this.#reached;
  }

  async #storeLate(): Promise<void> {
    const { build, part } = this.#about;
    const late = this.#late;
    if (late.length === 0) return;
    this.#late = [];
    await this.#session.query(
      `INSERT INTO ${build}.${LATE_EVENTS} (part, position, event) SELECT $1, * FROM unnest($2::bigint[], $3::text[])`,
      [
        part,
        late.map(({ position }) => position),
        late.map(({ event }) => JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? undefined : value))),
      ],
    );
  }

  async #send(): Promise<void> {
    // What is folded next fills other blocks meanwhile; only one writing waits behind another.
    await this.#writing;
    const blocks: Block[] = [];
    for (let block = this.#fresh.take(); block; block = blocks.length < SENT_BLOCKS ? this.#fresh.take() : undefined)
      blocks.push(block);
    for (const block of blocks) for (const key of block.keys()) this.#settled.add(key);
    this.#writing = this.#copy(blocks);
    // Its failure is met where it is awaited next; until then it must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  async #copy(blocks: readonly Block[]): Promise<void> {
    const { model, build } = this.#about;
    const filled = blocks.map((block) => block.compact());
    const byTable = model.tables.map((_, table) => filled.flatMap((buffers) => buffers[table] ?? []));
    await copyTuples(this.#session, model, build, byTable, this.#freezes);
    for (const block of blocks) this.#fresh.giveBack(block);
  }
}

const Locked = z.object({ taken: z.boolean() });

const Late = z.object({ position: z.bigint(), event: z.string() });

// The engine wrote these texts itself, from events that were read from the log.
const placed = (model: Model, { position, event }: z.infer<typeof Late>): PlacedEvent => {
  const known = readEvent(JSON.parse(event));
  return { event: known, keys: model.keys(known), position };
};

/** Adds the keys of a part whose rows are in the tables, or which a stored late event touches. */
async function addSettledKeys(
  session: Client,
  { model, build, part, parts }: PartOptions,
  settled: KeyFilter,
): Promise<void> {
  const add = (key: string): void => {
    if (partOf(key, parts) === part) settled.add(key);
  };
  for await (const row of rowsOf(session, `SELECT key FROM ${build}.${model.tables[0]?.name}`, []))
    add(String(row.key));
  const late = `SELECT position, event FROM ${build}.${LATE_EVENTS} WHERE part = $1`;
  for await (const row of rowsOf(session, late, [part]))
    for (const key of placed(model, Late.parse(row)).keys) add(key);
}

async function* rowsOf(
  session: Client,
  text: string,
  values: readonly unknown[],
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const cursor = session.query(new Cursor(text, [...values]));
  for (let rows = await cursor.read(KEYS_PAGE); rows.length > 0; rows = await cursor.read(KEYS_PAGE)) yield* rows;
  await cursor.close();
}

/**
 * Folds the late events of all parts in their order, page by page, each page in one transaction with its checkpoint; to be
 * called when the keys exist.
 * @param afterPage called between two transactions
 * @returns an event that the model refused; its page is not committed
 */
export async function foldLateEvents(
  session: Client,
  { model, build, skipped }: Pick<PartOptions, 'model' | 'build' | 'skipped'>,
  afterPage: () => Promise<void> = async () => undefined,
): Promise<Refused | null> {
  const table = `${build}.${LATE_EVENTS}`;
  await session.query(`CREATE INDEX IF NOT EXISTS ${LATE_EVENTS}_position ON ${table} (position)`);
  // Each part to whose rows it belongs has stored an event.
  const next = `SELECT DISTINCT ON (position) position, event FROM ${table} WHERE position > $1 ORDER BY position LIMIT $2`;
  for (let from = await checkpoint(session, build, LATE); ; ) {
    const page = (await query(session, next, [from, LATE_PAGE], Late)).map((late) => placed(model, late));
    const to = page.at(-1)?.position;
    if (to === undefined) return null;
    await session.query('BEGIN');
    const rows = await loadRows(session, model, build, [...new Set(page.flatMap(({ keys }) => keys))]);
    const folded = fold(model, page, rows);
    const refused = folded.refused.find(({ event }) => !skipped.has(event.id));
    if (refused) {
      await session.query('ROLLBACK');
      return refused;
    }
    await writeRows(session, model, build, new Map([...folded.changed].map((key) => [key, rows.get(key) ?? null])));
    await moveCheckpoint(session, build, LATE, from, to);
    await session.query('COMMIT');
    from = to;
    await afterPage();
  }
}
