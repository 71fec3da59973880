/**
 * The quality of the record: the document that the page and the API show, from the read models and the shipped
 * figures. And the state of a source in words: why it has it, and how its polls fail.
 */

import { readFileSync } from 'node:fs';
import { DAY, istDay } from '../language/days.ts';
import { capitalised, formatCount } from '../language/prose.ts';
import type { Queryable } from '../log/postgres/database.ts';
import {
  judgedSample,
  type LoggedCorrection,
  latestMeasurement,
  listCorrections,
  oracleDays,
  recordedDelays,
} from '../projector/models/review-queries.ts';
import type { HealthCause, HealthFacts, RecentPoll } from '../projector/models/source-health-queries.ts';
import { isMeasured } from '../schemas/oracle.ts';
import { type Proportion, type Quality, ReleaseFigures } from '../schemas/quality.ts';
import { ASPECTS } from '../schemas/signal.ts';
import { neutralise } from './text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A span of time in words, such as `3 days`. */
export function spanInWords(milliseconds: number): string {
  if (milliseconds < 2 * MINUTE) return formatCount(Math.max(1, Math.round(milliseconds / 1_000)), 'second');
  if (milliseconds < 2 * HOUR) return formatCount(Math.round(milliseconds / MINUTE), 'minute');
  if (milliseconds < 2 * DAY) return formatCount(Math.round(milliseconds / HOUR), 'hour');
  return formatCount(Math.round(milliseconds / DAY), 'day');
}

/** What failed polls did, by the code of their error. */
const FAILURES: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  reading_timeout: 'took too long to read',
  name_not_found: 'did not find the host',
  connection_refused: 'were refused a connection',
  connection_lost: 'lost the connection',
  unreachable: 'found no route to the host',
  tls: 'met an invalid certificate',
  challenge: 'met a browser check',
  robots_disallowed: 'were disallowed by robots.txt',
  address_refused: 'led to a private address',
  html_instead_of_feed: 'got a web page instead of a feed',
  not_a_feed: 'got no feed',
  empty: 'got an empty response',
  missing_secret: 'lacked a secret',
  too_large: 'got too large a response',
  too_many_redirects: 'were redirected too often',
};

type Polled = Pick<RecentPoll, 'outcome' | 'error' | 'http_status'>;

/** What a failed poll did, such as `timed out` or `got HTTP 404`. */
export function failureInWords({ error, http_status }: Omit<Polled, 'outcome'>): string {
  const code = error?.split(':', 1)[0] ?? '';
  if (code === 'challenge' || http_status === null || http_status === 200)
    return FAILURES[code] ?? `failed (${code || 'unknown'})`;
  return `got HTTP ${http_status}`;
}

/** Polls whose failures are counted. */
const COUNTED = 10;

/** `3 of the last 10 polls timed out`, or with several kinds of failure `4 of the last 10 polls failed: 3 timed out, 1 got HTTP 503`. */
function failuresInWords(polls: readonly Polled[], among: string): string {
  const failed = polls.filter(({ outcome }) => outcome === 'failed');
  const kinds = new Map<string, number>();
  for (const poll of failed) kinds.set(failureInWords(poll), (kinds.get(failureInWords(poll)) ?? 0) + 1);
  const [first = ['failed', 0], ...others] = [...kinds].sort(([, one], [, other]) => other - one);
  if (others.length === 0) return `${among} ${first[0]}`;
  return `${among} failed: ${[first, ...others].map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

const quiet = ({ last_item_at, usual_gap_seconds, hours }: HealthFacts, now: Date): string => {
  const since = last_item_at?.getTime() ?? Date.parse(hours[0]?.hour ?? now.toISOString());
  const usual = usual_gap_seconds === null ? '' : `; usually one every ${spanInWords(usual_gap_seconds * 1_000)}`;
  return `no new item for ${spanInWords(now.getTime() - since)}${usual}`;
};

/**
 * Why a source has its state, as a sentence without a full stop.
 * @param recent its last polls, oldest first
 */
export function healthReason(cause: HealthCause, facts: HealthFacts, recent: readonly Polled[], now: Date): string {
  const last = recent.slice(-COUNTED);
  const failed = last.filter(({ outcome }) => outcome === 'failed').length;
  const some = `${failed} of the last ${last.length} polls`;
  switch (cause) {
    case 'paused':
      return 'Paused by an operator; it is not polled';
    case 'new':
      return 'Not polled yet';
    case 'failures': {
      const { consecutive_failures: count, last_success_at } = facts;
      const good = last_success_at
        ? `the last good poll was ${spanInWords(now.getTime() - last_success_at.getTime())} ago`
        : 'no poll has succeeded yet';
      return `${failuresInWords(recent.slice(-Math.min(count, recent.length)), `The last ${count} polls`)}; ${good}`;
    }
    case 'last_failed':
      return last.length > 1 && failed > 1
        ? failuresInWords(last, some)
        : failuresInWords(last.slice(-1), 'The last poll').replace(' were ', ' was ');
    case 'silent':
    case 'slow':
      return capitalised(quiet(facts, now));
    case 'flaky': {
      if (failed > 0) return failuresInWords(last, some);
      const day = facts.hours.filter(({ hour }) => Date.parse(hour) > now.getTime() - DAY);
      const [polls, failures] = [
        day.reduce((sum, one) => sum + one.polls, 0),
        day.reduce((sum, one) => sum + one.failures, 0),
      ];
      return `${failures} of ${polls} polls in 24 hours failed; the last ${last.length} succeeded`;
    }
    case 'good':
      // A feed over a limit of structure: its entries before the limit were read.
      if (last.at(-1)?.error)
        return `The last poll read only a part of the feed (${last.at(-1)?.error?.split(':')[0]})`;
      return facts.usual_gap_seconds === null
        ? 'The last poll succeeded'
        : `The last poll succeeded; usually a new item every ${spanInWords(facts.usual_gap_seconds * 1_000)}`;
  }
}

const SAMPLE_DAYS = 30;
const DELAY_DAYS = 7;
const CORRECTIONS = 20;
/** Judged signals that a figure rests on: at a precision of 0.9 the interval is then 12 points wide. */
const ENOUGH = 100;
/** Spans of time that the page counts signals in, in seconds. */
const SPANS = [900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400] as const;

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
  const byFact = new Map(facts.map((one) => [one.fact, one]));
  return {
    window_days: SAMPLE_DAYS,
    sampled,
    judged,
    facts: ASPECTS.map((fact) => {
      const { judged: all, right } = byFact.get(fact) ?? { judged: 0, right: 0 };
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
    measured_at,
    window_hours,
    checked,
    found: checked - missed,
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
  const delays = await recordedDelays(database, { since, shares: [0.5, 0.9, 0.99], spans: SPANS });
  return {
    window_days: DELAY_DAYS,
    signals: delays.signals,
    left_out: Math.max(0, delays.all - delays.signals),
    to_page: percentiles(delays.to_page),
    to_poll: percentiles(delays.to_poll),
    within: SPANS.map((seconds, index) => ({ seconds, signals: delays.within[index] ?? 0 })),
  };
}

const correction = (
  { entry, headline, slug, status }: LoggedCorrection,
  baseUrl: string,
): Quality['corrections']['latest'][number] => ({
  at: entry.at,
  what: entry.what,
  why: neutralise(entry.why),
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
    precision,
    recall,
    freshness: fresh,
    release: RELEASE_FIGURES,
    corrections: { url: `${baseUrl}/corrections`, latest: log.map((one) => correction(one, baseUrl)) },
  };
}
