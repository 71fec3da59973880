/** Queries of the review desk, the daily sample, the log of corrections and the quality page. */
import { z } from 'zod';
import { type Queryable, query, queryColumn, queryRow, queryValue } from '../../log/postgres/database.ts';
import { OracleMeasurement } from '../../schemas/oracle.ts';
import { Item } from '../../schemas/poll.ts';
import { type SignalId, StoredSignalId } from '../../schemas/scalar.ts';
import { ASPECTS, MISTAKES } from '../../schemas/signal.ts';
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

const ToBeMailed = z.object({
  /** The signal that was decided about. */
  decided: StoredSignalId,
  mistake_id: z.string(),
  signal_id: StoredSignalId,
  at: z.date(),
  outcome: z.enum([...VERDICTS, 'merged']),
  why: z.string().nullable(),
});
export type MistakeOutcome = z.infer<typeof ToBeMailed>;

/** Decisions that readers who reported a mistake are to hear, the oldest first. */
export const openOutcomes = (database: Queryable, limit: number): Promise<MistakeOutcome[]> =>
  query(
    database,
    `SELECT key AS decided, mistake_id, signal_id, at, outcome, why FROM read.review_outcomes
     ORDER BY at, key, number LIMIT $1`,
    [limit],
    ToBeMailed,
  );

/** Signals of a day that are drawn for measuring. */
export const SAMPLE = 20;

/** The place of a signal in the sample of its day: the same for every caller and at any time. */
const PLACE = `row_number() OVER (
  PARTITION BY sampled_on ORDER BY sha256(convert_to(sampled_on || key, 'UTF8'))) AS place`;

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
       SELECT key AS id, sampled_on AS day, status, verdict, ${PLACE} FROM read.review_signals WHERE sampled_on = ANY($1)) drawn
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

/** The latest measurement; null before the first, and while the model is not built yet. */
export async function latestMeasurement(database: Queryable): Promise<OracleMeasurement | null> {
  const isThere = await queryValue(database, `SELECT to_regclass('read.oracle') IS NOT NULL`, [], z.boolean());
  if (!isThere) return null;
  const measurement = await queryValue(database, 'SELECT row FROM read.oracle', [], z.string());
  return measurement === null ? null : OracleMeasurement.parse(JSON.parse(measurement));
}

/** Maximum of items of one measurement: more reference items in three days mean that a source is flooding. */
const MAXIMUM = 20_000;

/** Items of reference sources that were first seen at or after a moment, newest first. Needs the model to be there. */
export async function recentOracleItems(database: Queryable, since: Date): Promise<Item[]> {
  const text = 'SELECT row FROM read.oracle_items WHERE seen_at >= $1 ORDER BY seen_at DESC, key LIMIT $2';
  const rows = await queryColumn(database, text, [since, MAXIMUM], z.string());
  return rows.map((row) => Item.parse(JSON.parse(row)));
}

const JudgedSample = z.object({
  sampled: z.int(),
  judged: z.int(),
  facts: z.array(z.object({ fact: z.enum(ASPECTS), judged: z.int(), right: z.int() })),
});

/**
 * What operators judged of the random samples. The fields of a signal count where it is a move at all.
 * @param since the first day in India, YYYY-MM-DD
 * @param until the day after the last
 */
export const judgedSample = (
  database: Queryable,
  since: string,
  until: string,
): Promise<z.infer<typeof JudgedSample>> =>
  queryRow(
    database,
    `WITH drawn AS (
       SELECT key, judged, wrong FROM (
         SELECT key, judged, wrong, ${PLACE} FROM read.review_signals WHERE sampled_on >= $1 AND sampled_on < $2) every_one
       WHERE place <= $3
     ), facts AS (
       SELECT fact, count(*)::int AS judged, (count(*) FILTER (WHERE fact <> ALL(wrong)))::int AS right
       FROM drawn, unnest(judged) AS fact
       WHERE fact = 'signal' OR 'signal' <> ALL(wrong) GROUP BY fact
     )
     SELECT count(*)::int AS sampled, (count(*) FILTER (WHERE judged IS NOT NULL))::int AS judged,
       (SELECT coalesce(json_agg(facts), '[]') FROM facts) AS facts FROM drawn`,
    [since, until, SAMPLE],
    JudgedSample,
  );

const MeasuredDay = z.object({ date: z.string(), checked: z.int(), missed: z.int() });

/** The last measurement of the Oracle on each day, the oldest first. @param since the first day in India, YYYY-MM-DD */
export const oracleDays = (database: Queryable, since: string): Promise<z.infer<typeof MeasuredDay>[]> =>
  query(
    database,
    'SELECT key AS date, checked, missed FROM read.oracle_days WHERE key >= $1 ORDER BY key',
    [since],
    MeasuredDay,
  );

const Delays = z.object({
  signals: z.int(),
  all: z.int(),
  to_page: z.array(z.number()).nullable(),
  to_poll: z.array(z.number()).nullable(),
  within: z.array(z.int()),
});

/**
 * How long public signals took from their outlets, by recorded times alone.
 * @param since first detection that counts
 * @param shares such as 0.5 for the median
 * @param spans in seconds: how many signals took at most so long
 * @returns the delays at these shares, null without signals; `all` counts those without recorded times too
 */
export const recordedDelays = (
  database: Queryable,
  { since, shares, spans }: { since: Date; shares: readonly number[]; spans: readonly number[] },
): Promise<z.infer<typeof Delays>> =>
  queryRow(
    database,
    `WITH recent AS (
       SELECT extract(epoch FROM public_at - outlet_at)::float8 AS page, extract(epoch FROM found_at - outlet_at)::float8 AS poll
       FROM read.review_signals WHERE public_at >= $1
     )
     SELECT count(*)::int AS signals,
       (SELECT count(*)::int FROM read.review_signals WHERE status = 'public' AND published_at >= $1) AS all,
       percentile_cont($2::float8[]) WITHIN GROUP (ORDER BY page) AS to_page,
       percentile_cont($2::float8[]) WITHIN GROUP (ORDER BY poll) AS to_poll,
       (SELECT array_agg((SELECT count(*)::int FROM recent WHERE page <= span) ORDER BY span)
        FROM unnest($3::int[]) AS span) AS within
     FROM recent`,
    [since, shares, spans],
    Delays,
  );

const Steps = z.object({
  signals: z.int(),
  to_poll: z.array(z.number()).nullable(),
  to_public: z.array(z.number()).nullable(),
  to_page: z.array(z.number()).nullable(),
});

/** Seconds that half, nine in ten and 99 in 100 signals took for each step; null without signals. */
export interface StepDelays {
  readonly signals: number;
  readonly steps: Readonly<Record<'to_poll' | 'to_public' | 'to_page', readonly number[]>> | null;
}

/** The delay of each step from outlet to page, by recorded times. @param since first detection that counts */
export async function stepDelays(database: Queryable, since: Date): Promise<StepDelays> {
  const { signals, to_poll, to_public, to_page } = await queryRow(
    database,
    `WITH recent AS (
       SELECT extract(epoch FROM found_at - outlet_at)::float8 AS poll,
         greatest(0, extract(epoch FROM public_at - found_at))::float8 AS public,
         extract(epoch FROM public_at - outlet_at)::float8 AS page
       FROM read.review_signals WHERE public_at >= $1
     )
     SELECT count(*)::int AS signals,
       percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY poll) AS to_poll,
       percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY public) AS to_public,
       percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (ORDER BY page) AS to_page
     FROM recent`,
    [since],
    Steps,
  );
  return { signals, steps: to_poll && to_public && to_page ? { to_poll, to_public, to_page } : null };
}
