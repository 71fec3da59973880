/**
 * The index of all signals in PostgreSQL, in a schema of its version. What a matcher holds in memory is a cache of it. It is a
 * projection of the `signal-` streams with a checkpoint of its own: every event up to the checkpoint is in it. A process that is
 * ahead of the checkpoint moves it, in one transaction with the rows: the matcher, the Oracle.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { batched } from '../../log/batched-requests.ts';
import type { Position } from '../../log/event-store.ts';
import { type Database, type Queryable, query, queryValue, transaction } from '../../log/postgres/database.ts';
import { type BrandSlug, type SignalId, StoredBrandSlug, StoredSignalId } from '../../schemas/scalar.ts';
import type { Features } from './report-features.ts';

/**
 * Counts up with every change of what features and keys are made of; a guard in the tests notices one that was forgotten.
 * The index of another version stays as it is, for the release that made it: a rollback goes on with it.
 */
export const INDEX_VERSION = 5;
/** Where the tables are. */
export const INDEX_SCHEMA = `match_${INDEX_VERSION}`;

/** A signal as the index holds it. */
export interface SavedSignal {
  readonly id: SignalId;
  /** Position of its first event; as a number, which the positions of both stores fit. */
  readonly position: number;
  readonly day: number;
  readonly resurfaced: boolean;
  readonly mergedInto: SignalId | null;
  readonly reports: readonly Features[];
  readonly brands: readonly BrandSlug[];
  readonly names: readonly string[];
}

/** A signal to be saved, with what it is found by. */
export interface SignalToSave extends SavedSignal {
  /** All of its keys; not used for one that was merged. */
  readonly keys: readonly number[];
  /** True when the index has keys of it that are not among these: those of a report that was split off. */
  readonly replacesKeys: boolean;
  /** Names that were reported since it was saved last. */
  readonly newNames: readonly string[];
}

export interface SignalIndex {
  /**
   * Prepares the index.
   * @param head reads the last position of the event store: an index that is ahead of it belongs to events that no longer
   *   exist, and is rebuilt
   * @returns the position up to which the index is complete
   */
  open(head: () => Promise<Position>): Promise<Position>;
  /** The signals that were detected last, the newest first; only those below a position, where one is given. */
  newest(limit: number, below?: number): Promise<SavedSignal[]>;
  /** Positions of the newest signals of a key, at most `limit`, none above a position; the newest first. */
  byKey(key: number, limit: number, notAbove: number): Promise<readonly number[]>;
  /** The signal that was the last to report an item or address. */
  byName(name: string): Promise<SavedSignal | null>;
  byPosition(position: number): Promise<SavedSignal | null>;
  byId(id: SignalId): Promise<SavedSignal | null>;
  /**
   * Saves signals as they are at a position of the event store, unless the index is there already.
   * @param signals all that changed since the last position of the index
   * @returns the position up to which the index is complete now
   */
  save(signals: readonly SignalToSave[], upTo: Position): Promise<Position>;
}

const Row = z.object({
  position: z.number(),
  id: StoredSignalId,
  day: z.number(),
  resurfaced: z.boolean(),
  merged_into: StoredSignalId.nullable(),
  reports: z.string(),
  brands: z.array(StoredBrandSlug),
  names: z.array(z.string()),
});
const COLUMNS =
  's.position::float8 AS position, s.id, s.day, s.resurfaced, s.merged_into, s.reports, s.brands, s.names';
/** Signals saved by one statement. */
const CHUNK = 500;

const savedIn = ({ position, id, day, resurfaced, merged_into, reports, brands, names }: z.infer<typeof Row>) =>
  ({
    position,
    id,
    day,
    resurfaced,
    mergedInto: merged_into,
    brands,
    names,
    // Written by `save` alone: not checked field by field, for a story reads two dozen of them.
    reports: JSON.parse(reports) as Features[],
  }) satisfies SavedSignal;

/** A hash of 64 bits: names are addresses of any length. */
const hashOf = (name: string): bigint => createHash('sha1').update(name).digest().readBigInt64BE();

const LOCK_CHECKPOINT = `SELECT position FROM ${INDEX_SCHEMA}.checkpoint FOR UPDATE`;
const EMPTY = `TRUNCATE ${INDEX_SCHEMA}.signal, ${INDEX_SCHEMA}.signal_key, ${INDEX_SCHEMA}.signal_name`;
const SAVE_SIGNALS = `INSERT INTO ${INDEX_SCHEMA}.signal AS s (position, id, day, resurfaced, merged_into, reports, brands, names)
  SELECT g.position, g.id, g.day, g.resurfaced, g.merged_into, g.reports,
    ARRAY(SELECT jsonb_array_elements_text(g.brands)), ARRAY(SELECT jsonb_array_elements_text(g.names))
  FROM unnest($1::bigint[], $2::text[], $3::float8[], $4::boolean[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[])
    g(position, id, day, resurfaced, merged_into, reports, brands, names)
  ON CONFLICT (position) DO UPDATE SET merged_into = EXCLUDED.merged_into, day = EXCLUDED.day,
    resurfaced = EXCLUDED.resurfaced, reports = EXCLUDED.reports,
    names = EXCLUDED.names`;
const SAVE_KEYS = `INSERT INTO ${INDEX_SCHEMA}.signal_key (key, position) SELECT * FROM unnest($1::int[], $2::bigint[])
  ON CONFLICT DO NOTHING`;
const SAVE_NAMES = `INSERT INTO ${INDEX_SCHEMA}.signal_name (hash, position) SELECT * FROM unnest($1::bigint[], $2::bigint[])
  ON CONFLICT (hash) DO UPDATE SET position = EXCLUDED.position`;
const BY_KEY = `SELECT q.nth, k.position::float8 AS position
  FROM unnest($1::int[], $2::int[], $3::bigint[]) WITH ORDINALITY q(key, most, not_above, nth), LATERAL (
    SELECT position FROM ${INDEX_SCHEMA}.signal_key WHERE key = q.key AND position <= q.not_above
    ORDER BY position DESC LIMIT q.most) k
  ORDER BY q.nth, k.position DESC`;

/** Looks signals up by a column of tables; lookups at the same time share one statement. */
const signalsBy = (database: Database, column: string, type: 'text' | 'bigint', tables: string) =>
  batched<SavedSignal | null>(
    async (keys) => {
      const text = `SELECT ${column}::text AS key, ${COLUMNS} FROM ${tables} WHERE ${column} = ANY ($1::${type}[])`;
      const rows = await query(database, text, [keys], Row.extend({ key: z.string() }));
      const signals = new Map(rows.map((row) => [row.key, savedIn(row)]));
      return keys.map((key) => signals.get(key) ?? null);
    },
    { maximum: 512, concurrency: 2 },
  );

/** Looks positions up by `key/limit/not above`. */
const positionsByKey = (database: Database) =>
  batched<readonly number[]>(
    async (searches) => {
      const parts = searches.map((search) => search.split('/'));
      const { rows } = await database.query<[bigint, number]>({
        name: 'match_by_key',
        text: BY_KEY,
        values: [0, 1, 2].map((column) => parts.map((search) => search[column])),
        rowMode: 'array',
      });
      const positions: number[][] = searches.map(() => []);
      for (const [nth, position] of rows) positions[Number(nth) - 1]?.push(position);
      return positions;
    },
    { maximum: 4_096, concurrency: 2 },
  );

/** The checkpoint, locked until the transaction ends. */
async function lockCheckpoint(client: Queryable): Promise<Position> {
  return (await queryValue(client, LOCK_CHECKPOINT, [], z.bigint())) ?? 0n;
}

/** Prepares the index, and empties one of events that no longer exist. */
async function openIndex(client: Queryable, head: () => Promise<Position>): Promise<Position> {
  await client.query(`INSERT INTO ${INDEX_SCHEMA}.checkpoint (position) VALUES (0) ON CONFLICT DO NOTHING`);
  const position = await lockCheckpoint(client);
  // Read under the lock of the checkpoint: read before it, an index that another process saves meanwhile looks ahead.
  if (position <= (await head())) return position;
  await client.query(EMPTY);
  await client.query(`UPDATE ${INDEX_SCHEMA}.checkpoint SET position = 0`);
  return 0n;
}

/** Saves signals with their keys and names. */
async function saveSignals(client: Queryable, signals: readonly SignalToSave[]): Promise<void> {
  await client.query(SAVE_SIGNALS, [
    signals.map(({ position }) => position),
    signals.map(({ id }) => id),
    signals.map(({ day }) => day),
    signals.map(({ resurfaced }) => resurfaced),
    signals.map(({ mergedInto }) => mergedInto),
    signals.map(({ reports }) => JSON.stringify(reports)),
    signals.map(({ brands }) => JSON.stringify(brands)),
    signals.map(({ names }) => JSON.stringify(names.map((name) => name.replaceAll('\u0000', '\ufffd')))),
  ]);
  const stale = signals.flatMap(({ mergedInto, replacesKeys, position }) =>
    mergedInto !== null || replacesKeys ? [position] : [],
  );
  if (stale.length > 0)
    await client.query(`DELETE FROM ${INDEX_SCHEMA}.signal_key WHERE position = ANY ($1::bigint[])`, [stale]);
  const keyed = signals.filter(({ mergedInto }) => mergedInto === null);
  const keys = keyed.flatMap(({ keys: own, position }) => own.map((key) => [key, position] as const));
  await client.query(SAVE_KEYS, [keys.map(([key]) => key), keys.map(([, position]) => position)]);
  const names = new Map(
    signals.flatMap(({ newNames, position }) => newNames.map((name) => [hashOf(name), position] as const)),
  );
  await client.query(SAVE_NAMES, [[...names.keys()], [...names.values()]]);
}

/** Saves signals in chunks and moves the checkpoint, unless it is there already. */
async function saveUpTo(client: Queryable, signals: readonly SignalToSave[], upTo: Position): Promise<Position> {
  const position = await lockCheckpoint(client);
  if (position >= upTo) return position;
  for (let from = 0; from < signals.length; from += CHUNK) await saveSignals(client, signals.slice(from, from + CHUNK));
  await client.query(`UPDATE ${INDEX_SCHEMA}.checkpoint SET position = $1`, [upTo]);
  return upTo;
}

/** Creates the tables where they are missing; several processes may do so at once. They never change: another version has its own. */
const createTables = (database: Database): Promise<void> =>
  transaction(database, async (client) => {
    const table = `SELECT to_regclass('${INDEX_SCHEMA}.checkpoint')::text`;
    if (await queryValue(client, table, [], z.string().nullable())) return;
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('${INDEX_SCHEMA}'))`);
    const text = await readFile(new URL('./signal-index.sql', import.meta.url), 'utf8');
    await client.query(text.replaceAll('SCHEMA_OF_VERSION', INDEX_SCHEMA));
  });

/**
 * The index in a database, with its tables.
 * @param database stays the caller's to close
 */
export async function postgresSignalIndex(database: Database): Promise<SignalIndex> {
  await createTables(database);
  const byPosition = signalsBy(database, 's.position', 'bigint', `${INDEX_SCHEMA}.signal s`);
  const names = `${INDEX_SCHEMA}.signal_name n JOIN ${INDEX_SCHEMA}.signal s USING (position)`;
  const byName = signalsBy(database, 'n.hash', 'bigint', names);
  const byKey = positionsByKey(database);
  return {
    byId: signalsBy(database, 's.id', 'text', `${INDEX_SCHEMA}.signal s`),
    byPosition: (position) => byPosition(String(position)),
    byName: (name) => byName(String(hashOf(name))),
    byKey: (key, limit, notAbove) => byKey(`${key}/${limit}/${notAbove}`),
    open: (head) => transaction(database, (client) => openIndex(client, head)),
    async newest(limit, below = Number.MAX_SAFE_INTEGER) {
      const text = `SELECT ${COLUMNS} FROM ${INDEX_SCHEMA}.signal s WHERE s.position < $2 ORDER BY s.position DESC LIMIT $1`;
      return (await query(database, text, [limit, below], Row)).map(savedIn);
    },
    save: (signals, upTo) => transaction(database, (client) => saveUpTo(client, signals, upTo)),
  };
}
