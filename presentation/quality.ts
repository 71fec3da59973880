/** The quality of the record: the document that the page and the API show, from the read models and the shipped figures. */
import { readFileSync } from 'node:fs';
import type { Queryable } from '../log/postgres/database.ts';
import {
  judgedSample,
  type LoggedCorrection,
  latestMeasurement,
  listCorrections,
  oracleDays,
  recordedDelays,
} from '../projector/models/review-queries.ts';
import { isMeasured } from '../schemas/oracle.ts';
import { type Proportion, type Quality, ReleaseFigures } from '../schemas/quality.ts';
import { ASPECTS } from '../schemas/signal.ts';
import { istDay, neutralise } from './text.ts';

const DAY = 86_400_000;
const SAMPLE_DAYS = 30;
const DELAY_DAYS = 7;
const CORRECTIONS = 20;
/** Judged signals that a figure rests on: at a precision of 0.9 the interval is then 12 points wide. */
const ENOUGH = 100;
/** Spans of time that the page counts signals in, in seconds. */
export const SPANS = [900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400] as const;

/** Two-sided 95 % of the normal distribution. */
const Z = 1.959964;

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/** The share of `right` in `all` with its 95 % interval by Wilson; null for none. */
export function proportionOf(right: number, all: number): Proportion | null {
  if (all === 0) return null;
  const value = right / all;
  const weight = 1 + (Z * Z) / all;
  const middle = (value + (Z * Z) / (2 * all)) / weight;
  const half = (Z * Math.sqrt((value * (1 - value)) / all + (Z * Z) / (4 * all * all))) / weight;
  return {
    value: rounded(value),
    low: rounded(Math.max(0, Math.min(value, middle - half))),
    high: rounded(Math.min(1, Math.max(value, middle + half))),
  };
}

/** The figures that were measured on labelled headlines before this release; `npm run eval -- --data DIR --commit` writes them. */
export const RELEASE_FIGURES = ReleaseFigures.parse(
  JSON.parse(readFileSync(new URL('./release-figures.json', import.meta.url), 'utf8')),
);

async function samplePrecision(database: Queryable, now: Date): Promise<Quality['precision']> {
  const since = istDay(new Date(now.getTime() - SAMPLE_DAYS * DAY));
  // Today's sample is not drawn yet.
  const { sampled, judged, facts } = await judgedSample(database, since, istDay(now));
  const found = new Map(facts.map((one) => [one.fact, one]));
  return {
    ...{ window_days: SAMPLE_DAYS, sampled, judged },
    facts: ASPECTS.map((fact) => {
      const { judged: all, right } = found.get(fact) ?? { judged: 0, right: 0 };
      return { fact, judged: all, right, precision: proportionOf(right, all), needed: Math.max(0, ENOUGH - all) };
    }),
  };
}

async function oracleRecall(database: Queryable, now: Date): Promise<Quality['recall']> {
  const latest = await latestMeasurement(database);
  if (!latest) return null;
  const { measured_at, window_hours, checked, missed, slo } = latest;
  const days = await oracleDays(database, istDay(new Date(now.getTime() - (SAMPLE_DAYS - 1) * DAY)));
  return {
    ...{ measured_at, window_hours, checked, found: checked - missed },
    recall: isMeasured(latest) ? proportionOf(checked - missed, checked) : null,
    goal: rounded(1 - slo),
    days: days.map((day) => ({ date: day.date, checked: day.checked, found: day.checked - day.missed })),
  };
}

const percentiles = (of: readonly number[] | null): Quality['freshness']['to_page'] => {
  const [p50, p90, p99] = (of ?? []).map((seconds) => Math.round(seconds));
  return p50 === undefined || p90 === undefined || p99 === undefined ? null : { p50, p90, p99 };
};

async function freshness(database: Queryable, now: Date): Promise<Quality['freshness']> {
  const since = new Date(now.getTime() - DELAY_DAYS * DAY);
  const found = await recordedDelays(database, { since, shares: [0.5, 0.9, 0.99], spans: SPANS });
  return {
    ...{ window_days: DELAY_DAYS, signals: found.signals, left_out: Math.max(0, found.all - found.signals) },
    ...{ to_page: percentiles(found.to_page), to_poll: percentiles(found.to_poll) },
    within: SPANS.map((seconds, index) => ({ seconds, signals: found.within[index] ?? 0 })),
  };
}

const correction = (
  { entry, headline, slug, status }: LoggedCorrection,
  baseUrl: string,
): Quality['corrections']['latest'][number] => ({
  ...{ at: entry.at, what: entry.what, why: neutralise(entry.why) },
  fields: entry.fields.map(({ field, before, after }) => ({
    field,
    before: before && neutralise(before),
    after: after && neutralise(after),
  })),
  signal:
    status === 'public' && slug ? { headline: neutralise(headline ?? ''), url: `${baseUrl}/signal/${slug}` } : null,
});

/** Collects all of it. @param baseUrl without a slash at its end */
export async function qualityOf(database: Queryable, now: Date, baseUrl: string): Promise<Quality> {
  const [precision, recall, fresh, log] = await Promise.all([
    samplePrecision(database, now),
    oracleRecall(database, now),
    freshness(database, now),
    listCorrections(database, CORRECTIONS),
  ]);
  return {
    generated_at: now.toISOString(),
    ...{ precision, recall, freshness: fresh, release: RELEASE_FIGURES },
    corrections: { url: `${baseUrl}/corrections`, latest: log.map((one) => correction(one, baseUrl)) },
  };
}
