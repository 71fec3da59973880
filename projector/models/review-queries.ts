/** Queries of the review desk: what to look at first, the daily sample, what was decided; and the log of corrections. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import { type SignalId, StoredSignalId } from '../../schemas/scalar.ts';
import { MISTAKES } from '../../schemas/signal.ts';
import { type LoggedEntry, VERDICTS } from './review-read-model.ts';

/** Older signals are hardly read any more. */
const OPEN_DAYS = 14;

const Open = z.object({
  id: StoredSignalId,
  doubt: z.number(),
  outlets: z.int(),
  followers: z.int(),
  score: z.number(),
  mistakes: z.int(),
});
export type OpenReview = z.infer<typeof Open>;

/**
 * Public signals that no operator decided about or that readers reported since, the most doubtful and most followed first: two
 * points and up to half a point more for reports of readers, half a point at most for its followers, a fifth where one outlet
 * alone reports it, and up to one for its doubt.
 * @param now signals of the last two weeks count, of those that were reported all
 */
export const reviewQueue = (database: Queryable, now: Date, limit: number): Promise<OpenReview[]> =>
  query(
    database,
    `WITH open AS (
       SELECT key, doubt, outlets, mistakes FROM read.review_signals
       WHERE status = 'public' AND verdict IS NULL AND published_at >= $1
       UNION ALL
       SELECT key, doubt, outlets, mistakes FROM read.review_signals
       WHERE status = 'public' AND mistakes > 0 AND NOT (verdict IS NULL AND published_at >= $1)
     ), reach AS (
       SELECT o.key, count(DISTINCT f.account)::int AS followers FROM open o
       JOIN read.signal_targets t ON t.key = o.key
       JOIN read.follows f ON f.target = t.target AND f.removed_at IS NULL GROUP BY o.key
     ), scored AS (
       SELECT o.key, o.doubt, o.outlets, o.mistakes, coalesce(r.followers, 0) AS followers,
         o.doubt + CASE WHEN o.outlets <= 1 THEN 0.2 ELSE 0 END
           + least(0.5, ln(1 + coalesce(r.followers, 0)) / 10)
           + CASE WHEN o.mistakes > 0 THEN 2 + least(0.5, ln(o.mistakes) / 6) ELSE 0 END AS score
       FROM open o LEFT JOIN reach r ON r.key = o.key
     )
     SELECT key AS id, doubt, outlets, followers, mistakes, score::float8 AS score FROM scored ORDER BY score DESC, key LIMIT $2`,
    [new Date(now.getTime() - OPEN_DAYS * 86_400_000), limit],
    Open,
  );

const Reported = z.object({ id: StoredSignalId, at: z.date(), what: z.enum(MISTAKES), note: z.string().nullable() });
export type ReportedMistake = z.infer<typeof Reported>;

/** The open reports of readers about some signals, the newest first. */
export const openMistakes = (database: Queryable, signals: readonly SignalId[]): Promise<ReportedMistake[]> =>
  query(
    database,
    'SELECT key AS id, at, what, note FROM read.review_mistakes WHERE key = ANY($1) ORDER BY at DESC, number DESC',
    [signals],
    Reported,
  );

/** Signals of a day that are drawn for measuring. */
export const SAMPLE = 20;

const Sampled = z.object({
  id: StoredSignalId,
  day: z.string(),
  status: z.string(),
  verdict: z.enum(VERDICTS).nullable(),
});
export type Sampled = z.infer<typeof Sampled>;

/**
 * The random samples of some days: 20 of the signals that were public when they were detected. The same for every caller
 * and at any time after the day, whatever was decided of them since.
 * @param days in India, YYYY-MM-DD, which are over
 */
export const dailySamples = (database: Queryable, days: readonly string[]): Promise<Sampled[]> =>
  query(
    database,
    `SELECT id, day, status, verdict FROM (
       SELECT key AS id, sampled_on AS day, status, verdict, row_number() OVER (
         PARTITION BY sampled_on ORDER BY sha256(convert_to(sampled_on || key, 'UTF8'))) AS place
       FROM read.review_signals WHERE sampled_on = ANY($1)) drawn
     WHERE place <= $2 ORDER BY day DESC, place`,
    [days, SAMPLE],
    Sampled,
  );

const Decided = z.object({ id: StoredSignalId, verdict: z.enum(VERDICTS), at: z.string() });

/** Signals about which an operator decided, the oldest decision first. @param after the last entry of the page before */
export const listDecided = (
  database: Queryable,
  limit: number,
  after?: { readonly id: SignalId; readonly at: string },
): Promise<z.infer<typeof Decided>[]> =>
  query(
    database,
    `SELECT key AS id, verdict, (decided_at AT TIME ZONE 'UTC')::text || 'Z' AS at FROM read.review_signals
     WHERE verdict IS NOT NULL AND ($2::timestamptz IS NULL OR (decided_at, key) > ($2, $3))
     ORDER BY decided_at, key LIMIT $1`,
    [limit, after?.at ?? null, after?.id ?? ''],
    Decided,
  );

const Logged = z.object({
  entry: z.string().transform((text) => JSON.parse(text) as LoggedEntry),
  slug: z.string().nullable(),
  headline: z.string().nullable(),
  status: z.string().nullable(),
});
export type LoggedCorrection = z.infer<typeof Logged>;

/** Entries of the log of corrections, the newest first, each with the signal as it is now. */
export const listCorrections = (database: Queryable, limit: number, offset = 0): Promise<LoggedCorrection[]> =>
  query(
    database,
    `SELECT c.entry, s.slug, s.item_document::json ->> 'headline' AS headline, s.status
     FROM read.corrections c LEFT JOIN read.signals s ON s.key = c.key
     ORDER BY c.at DESC, c.key DESC, c.number DESC LIMIT $1 OFFSET $2`,
    [limit, offset],
    Logged,
  );
