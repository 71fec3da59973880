/** Compares the rows of two builds of one model, key by key, in constant memory. */

import { createHash } from 'node:crypto';
import type { Client, ClientBase } from 'pg';
import Cursor from 'pg-cursor';
import { z } from 'zod';
import { type Database, query } from '../../log/postgres/database.ts';
import { type Build, liveBuild, openSession } from '../model-builds.ts';
import type { Model } from '../read-model.ts';

/** The live rows of a model at one moment, unchanged while a rebuild catches up with that moment. */
export interface Snapshot {
  /** A transaction that sees the rows of that moment. */
  readonly session: Client;
  readonly build: Build;
  /** How far the rows go, by input: a page's rows and its checkpoint are committed together. */
  readonly checkpoints: ReadonlyMap<string, bigint>;
  close(): Promise<void>;
}

/** @returns null when no build of the model's own version is live */
export async function liveSnapshot(database: Database, model: Model): Promise<Snapshot | null> {
  const session = await openSession(database);
  // The session only reads: nothing depends on its end.
  const close = (): Promise<void> => session.end().catch(() => undefined);
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const build = await liveBuild(session, model.name);
    if (build?.version !== model.version) {
      await close();
      return null;
    }
    // Locks of a reader, so that the tables are not dropped while they are compared.
    await session.query(`LOCK TABLE ${model.tables.map(({ name }) => `${build.name}.${name}`)} IN ACCESS SHARE MODE`);
    const rows = await query(
      session,
      'SELECT input, position FROM projector.checkpoints WHERE build = $1',
      [build.name],
      z.object({ input: z.string(), position: z.bigint() }),
    );
    return { session, build, close, checkpoints: new Map(rows.map(({ input, position }) => [input, position])) };
  } catch (error) {
    await close();
    throw error;
  }
}

// Compares the rows of two builds of one model, key by key, in constant memory.

export interface Difference {
  readonly table: string;
  readonly key: string;
  /** `changed`: other values; `missing`: only the rebuild has it; `extra`: only the live build has it. */
  readonly what: 'changed' | 'missing' | 'extra';
}

export interface Verification {
  readonly equal: boolean;
  /** Keys compared, over all tables. */
  readonly keys: number;
  /** SHA-256 over every table's keys and row hashes in order. */
  readonly live_checksum: string;
  readonly rebuilt_checksum: string;
  readonly differences: number;
  /** The first 100 differences by table and key. */
  readonly examples: readonly Difference[];
}

const EXAMPLES = 100;
const PAGE = 5_000;
const Hashed = z.object({ key: z.string(), hash: z.string() });
type Hashed = z.infer<typeof Hashed>;

/** One side of a comparison: a connection, and the build whose rows it reads. */
interface Side {
  readonly client: ClientBase;
  readonly build: string;
}

async function* hashes({ client, build }: Side, table: string): AsyncGenerator<Hashed> {
  const cursor = client.query(
    new Cursor(
      `SELECT key, md5(string_agg(t::text, E'\\n' ORDER BY t::text COLLATE "C")) AS hash
       FROM ${build}.${table} t GROUP BY key ORDER BY key COLLATE "C"`,
    ),
  );
  try {
    for (;;) {
      const rows = await cursor.read(PAGE);
      if (rows.length === 0) return;
      for (const row of rows) yield Hashed.parse(row);
    }
  } finally {
    await cursor.close();
  }
}

/** Reads both sides by ascending key and counts the keys at which they differ. */
export async function compareBuilds(model: Model, live: Side, rebuilt: Side): Promise<Verification> {
  const [liveHash, rebuiltHash] = [createHash('sha256'), createHash('sha256')];
  const examples: Difference[] = [];
  let differences = 0;
  let keys = 0;
  for (const { name: table } of model.tables) {
    for await (const [one, other] of merged(hashes(live, table), hashes(rebuilt, table))) {
      keys += 1;
      if (one) liveHash.update(`${table} ${one.key} ${one.hash}\n`);
      if (other) rebuiltHash.update(`${table} ${other.key} ${other.hash}\n`);
      if (one?.hash === other?.hash) continue;
      differences += 1;
      if (examples.length >= EXAMPLES) continue;
      const what = !one ? 'missing' : !other ? 'extra' : 'changed';
      examples.push({ table, key: (one ?? other)?.key ?? '', what });
    }
  }
  const [live_checksum, rebuilt_checksum] = [liveHash.digest('hex'), rebuiltHash.digest('hex')];
  return { equal: differences === 0, keys, live_checksum, rebuilt_checksum, differences, examples };
}

/** Keys compare by their UTF-8 bytes, as the collation "C" does. */
const before = (one: string, other: string): boolean => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

async function* merged(
  one: AsyncGenerator<Hashed>,
  other: AsyncGenerator<Hashed>,
): AsyncGenerator<[Hashed | null, Hashed | null]> {
  const next = async (side: AsyncGenerator<Hashed>): Promise<Hashed | null> => {
    const result = await side.next();
    return result.done ? null : result.value;
  };
  let [left, right] = [await next(one), await next(other)];
  while (left || right) {
    if (left && right && left.key === right.key) {
      yield [left, right];
      [left, right] = [await next(one), await next(other)];
    } else if (left && (!right || before(left.key, right.key))) {
      yield [left, null];
      left = await next(one);
    } else {
      yield [null, right];
      right = await next(other);
    }
  }
}
