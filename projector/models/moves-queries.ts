/** Queries of moves as they are compared: those before a signal, and the signals whose analysis a change may touch. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryOne } from '../../log/postgres/database.ts';
import { type BrandSlug, type Move, type SignalId, StoredSignalId } from '../../schemas/scalar.ts';
import { recordStart } from './brands-queries.ts';
import type { MoveFacts } from './moves-read-model.ts';

export type { MoveFacts, SeatMove } from './moves-read-model.ts';

/** A public signal about brands of the catalogue, as moves are compared by it. */
export interface RecordedMove extends MoveFacts {
  readonly signal: SignalId;
  /** RFC 3339, when the service published it. */
  readonly published_at: string;
}

/** What was on record before a signal. */
export interface RecordBefore {
  /** RFC 3339: all moves of the brands asked for are known from then on. Null where nothing was on record. */
  readonly since: string | null;
  /** In order of publication. */
  readonly moves: readonly RecordedMove[];
}

/** More moves than this are not compared; the record then counts from the oldest of them on. */
const MAXIMUM = 3_000;

const Row = z.object({ key: StoredSignalId, published_at: z.date(), facts: z.string() });

// The engine wrote the column from these facts, in the same version of the model.
const recorded = ({ key, published_at, facts }: z.infer<typeof Row>): RecordedMove => ({
  ...(JSON.parse(facts) as MoveFacts),
  signal: key,
  published_at: published_at.toISOString(),
});

/** A signal as it is compared; null for one that is not public or about no brand of the catalogue. */
export async function recordedMove(database: Queryable, signal: SignalId): Promise<RecordedMove | null> {
  const text = 'SELECT key, published_at, facts FROM read.moves WHERE key = $1 LIMIT 1';
  const row = await queryOne(database, text, [signal], Row);
  return row ? recorded(row) : null;
}

/**
 * The record before a signal, without those of the same moment that have a higher id.
 * @param brands those whose moves of any kind are read
 * @param peers those whose moves of the kind of the signal are read too
 */
export async function recordBefore(
  database: Queryable,
  { signal, published_at, move }: Pick<RecordedMove, 'signal' | 'published_at' | 'move'>,
  { brands, peers }: { readonly brands: readonly BrandSlug[]; readonly peers: readonly BrandSlug[] },
): Promise<RecordBefore> {
  const [rows, begun] = await Promise.all([
    query(
      database,
      `SELECT DISTINCT ON (published_at, key) key, published_at, facts FROM read.moves
       WHERE (brand = ANY($1) OR (brand = ANY($2) AND move = $3)) AND (published_at, key) < ($4::timestamptz, $5)
       ORDER BY published_at DESC, key DESC LIMIT ${MAXIMUM + 1}`,
      [brands, peers, move, published_at, signal],
      Row,
    ),
    recordStart(database),
  ]);
  const moves = rows.slice(0, MAXIMUM).map(recorded).toReversed();
  const since = begun?.toISOString() ?? null;
  return { since: rows.length > MAXIMUM ? (moves[0]?.published_at ?? since) : since, moves };
}

/** At most so many later signals are compared again after a change of an earlier one. */
const MAXIMUM_LATER = 500;

/**
 * Signals whose analysis may change when a signal does: those that cite it, and later ones of its kind about its brands or
 * their peers.
 */
export const affectedBy = (
  database: Queryable,
  changed: {
    readonly signal: SignalId;
    readonly published_at: string;
    readonly moves: readonly Move[];
    readonly brands: readonly BrandSlug[];
    readonly peers: readonly BrandSlug[];
  },
): Promise<SignalId[]> =>
  queryColumn(
    database,
    `SELECT key FROM read.moves_cited WHERE cited = $1
     UNION (SELECT key FROM read.moves
       WHERE (brand = ANY($2) OR (brand = ANY($3) AND move = ANY($4))) AND published_at >= $5::timestamptz AND key <> $1
       ORDER BY published_at DESC LIMIT ${MAXIMUM_LATER})`,
    [changed.signal, changed.brands, changed.peers, changed.moves, changed.published_at],
    StoredSignalId,
  );
