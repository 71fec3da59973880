/** What a brand had done before a moment: what analysing a signal compares it with. Public stories about it alone. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';
import type { Move } from '../../../../schemas/scalar.ts';

const PERIOD = 30 * 86_400_000;
/** So many periods of 30 days are looked back at. */
const PERIODS = 12;
const LISTED = 12;

/** Which signal is compared, and with what. */
export interface Place {
  readonly signal: string;
  /** Slug. */
  readonly brand: string;
  readonly move: Move;
  /** RFC 3339; only stories published before it count. */
  readonly published_at: string;
  readonly cities: readonly string[];
}

export interface BrandHistory {
  /** Stories of its kind of move by period of 30 days before it, the nearest first; 12 of them. */
  readonly periods: readonly number[];
  /** Stories of any kind. */
  readonly stories: number;
  readonly first_seen_at: Date | null;
  /** Those of its cities that an earlier store story of the brand names. */
  readonly known_cities: readonly string[];
  /** Earlier stories of its kind of move, the newest first, at most 12. */
  readonly earlier: readonly { readonly signal: string; readonly published_at: Date }[];
}

const BEFORE = 'brand = $1 AND is_primary AND published_at < $2 AND key <> $3';
const Period = z.object({ period: z.int(), stories: z.int() });
const Summary = z.object({ stories: z.int(), first_seen_at: z.date().nullable() });

/** @returns all of a brand's history that stands before the signal */
export async function brandHistory(database: Queryable, place: Place): Promise<BrandHistory> {
  const { brand, move, published_at, signal, cities } = place;
  const at = [brand, published_at, signal];
  const [periods, summary, known, earlier] = await Promise.all([
    query(
      database,
      `SELECT floor(extract(epoch FROM $2::timestamptz - published_at) * 1000 / ${PERIOD})::int AS period,
         count(*)::int AS stories FROM read.brand_stories
       WHERE ${BEFORE} AND move = $4 AND published_at > $2::timestamptz - ${PERIODS} * interval '30 days' GROUP BY 1`,
      [...at, move],
      Period,
    ),
    query(
      database,
      `SELECT count(*)::int AS stories, min(published_at) AS first_seen_at FROM read.brand_stories WHERE ${BEFORE}`,
      at,
      Summary,
    ),
    query(
      database,
      `SELECT DISTINCT city FROM read.brand_stories, unnest(cities) AS city
       WHERE ${BEFORE} AND move = 'stores' AND city = ANY($4)`,
      [...at, cities],
      z.object({ city: z.string() }),
    ),
    query(
      database,
      `SELECT key AS signal, published_at FROM read.brand_stories WHERE ${BEFORE} AND move = $4
       ORDER BY published_at DESC, key DESC LIMIT ${LISTED}`,
      [...at, move],
      z.object({ signal: z.string(), published_at: z.date() }),
    ),
  ]);
  const counts = new Map(periods.map(({ period, stories }) => [period, stories]));
  return {
    periods: Array.from({ length: PERIODS }, (_, period) => counts.get(period) ?? 0),
    stories: summary[0]?.stories ?? 0,
    first_seen_at: summary[0]?.first_seen_at ?? null,
    known_cities: known.map(({ city }) => city),
    earlier,
  };
}
