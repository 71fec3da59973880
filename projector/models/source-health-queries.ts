/** Queries of sources: the roster with the health of each source, and its activity. */

import { z } from 'zod';
import { DAY } from '../../language/days.ts';
import { type Queryable, query, queryNumber, queryOne, queryValue } from '../../log/postgres/database.ts';
import type { OracleMeasurement } from '../../schemas/oracle.ts';
import type { HealthSnapshot, SourceHealth } from '../../schemas/resources.ts';
import { type Source, type SourceId, StoredSourceId } from '../../schemas/source.ts';
import { latestMeasurement } from './review-queries.ts';
import { countRecent } from './signals-queries.ts';
import type { HourOfPolls, PollHistory, SourceHealthRow } from './source-health-read-model.ts';

const HOUR = 3_600_000;
const FAILING = 3;
/** A source is slow when it is silent for twice its usual gap, and for 12 hours at least: outlets sleep at night. */
const SLOW_GAPS = 2;
const SLOW_LEAST = 12 * HOUR;
const SILENT_GAPS = 3;
const SILENT_LEAST = DAY;
/** So large a share of failures in a day counts as "some failures". */
const FLAKY = 0.1;

export interface HealthFacts {
  readonly paused: boolean;
  readonly last_polled_at: Date | null;
  readonly last_success_at: Date | null;
  readonly last_item_at: Date | null;
  readonly consecutive_failures: number;
  readonly usual_gap_seconds: number | null;
  readonly hours: readonly HourOfPolls[];
}

/** The hours of the 24 before `now`. */
const lastDay = (hours: readonly HourOfPolls[], now: Date): HourOfPolls[] =>
  hours.filter(({ hour }) => Date.parse(hour) > now.getTime() - DAY);

/** What decides the health of a source. */
export type HealthCause = 'paused' | 'failures' | 'new' | 'last_failed' | 'silent' | 'slow' | 'flaky' | 'good';

const HEALTH_BY_CAUSE: Readonly<Record<HealthCause, SourceHealth>> = {
  paused: 'paused',
  failures: 'failing',
  silent: 'silent',
  good: 'healthy',
  new: 'degraded',
  last_failed: 'degraded',
  slow: 'degraded',
  flaky: 'degraded',
};

/**
 * `paused`; `failing` after 3 failures in a row; `silent` when polls succeed but nothing new came for 3 times the
 * usual gap and 24 hours at least; `degraded` with some failures, when slower than its normal, or before its first
 * poll; else `healthy`.
 */
export const healthOf = (facts: HealthFacts, now: Date): SourceHealth => HEALTH_BY_CAUSE[healthCause(facts, now)];

/** What decides `healthOf`. */
export function healthCause(facts: HealthFacts, now: Date): HealthCause {
  if (facts.paused) return 'paused';
  if (facts.consecutive_failures >= FAILING) return 'failures';
  if (!facts.last_polled_at) return 'new';
  if (facts.consecutive_failures > 0) return 'last_failed';
  const gap = (facts.usual_gap_seconds ?? 0) * 1000;
  // A source that never had an item is measured from its first poll that is still known.
  const since = facts.last_item_at?.getTime() ?? Date.parse(facts.hours[0]?.hour ?? now.toISOString());
  const quiet = now.getTime() - since;
  if (quiet > Math.max(SILENT_GAPS * gap, SILENT_LEAST)) return 'silent';
  if (quiet > Math.max(SLOW_GAPS * gap, SLOW_LEAST)) return 'slow';
  const day = lastDay(facts.hours, now);
  const polls = day.reduce((sum, hour) => sum + hour.polls, 0);
  const failures = day.reduce((sum, hour) => sum + hour.failures, 0);
  return failures > polls * FLAKY ? 'flaky' : 'good';
}

export type { HourOfPolls, PollHistory, RecentPoll } from './source-health-read-model.ts';

/** Between two polls where neither the roster nor the poller says another time. */
const DEFAULT_CADENCE_SECONDS = 1_800;

const Row = z.object({
  key: StoredSourceId,
  outlet: z.string(),
  url: z.string(),
  kind: z.string(),
  paused: z.boolean(),
  cadence_seconds: z.int().nullable(),
  last_polled_at: z.date().nullable(),
  last_success_at: z.date().nullable(),
  last_item_at: z.date().nullable(),
  consecutive_failures: z.int(),
  last_error: z.string().nullable(),
  usual_gap_seconds: z.number().nullable(),
  hours: z.string(),
});

const instant = (date: Date | null): string | null => date?.toISOString() ?? null;
const sumOfItems = (hours: readonly HourOfPolls[]): number => hours.reduce((sum, { items }) => sum + items, 0);

/** The sources of the roster without the details of their polls, by outlet. */
async function listedSources(database: Queryable) {
  const rows = await query(
    database,
    `SELECT key, outlet, url, kind, paused, cadence_seconds, last_polled_at, last_success_at, last_item_at,
       consecutive_failures, last_error, usual_gap_seconds, hours
     FROM read.sources WHERE listed ORDER BY outlet, key`,
    [],
    Row,
  );
  return rows.map((row) => ({ ...row, hours: JSON.parse(row.hours) as HourOfPolls[] }));
}

/** The roster with each source's health at `now`. */
export async function healthSnapshot(database: Queryable, now: Date): Promise<HealthSnapshot> {
  const [rows, signals_24h, oracle] = await Promise.all([
    listedSources(database),
    countRecent(database, new Date(now.getTime() - DAY)),
    latestMeasurement(database),
  ]);
  const sources = rows.map((row) => ({
    id: row.key,
    outlet: row.outlet,
    url: row.url,
    kind: row.kind,
    health: healthOf(row, now),
    cadence_seconds: row.cadence_seconds ?? DEFAULT_CADENCE_SECONDS,
    items_24h: sumOfItems(lastDay(row.hours, now)),
    last_polled_at: instant(row.last_polled_at),
    last_success_at: instant(row.last_success_at),
    last_item_at: instant(row.last_item_at),
    consecutive_failures: row.consecutive_failures,
    last_error: row.last_error,
  }));
  const count = (health: (typeof sources)[number]['health']): number =>
    sources.filter((source) => source.health === health).length;
  const items = sources.reduce((sum, source) => sum + source.items_24h, 0);
  return {
    generated_at: now.toISOString(),
    stats: {
      sources: sources.length,
      active: sources.length - count('paused'),
      paused: count('paused'),
      healthy: count('healthy'),
      degraded: count('degraded'),
      failing: count('failing'),
      silent: count('silent'),
      items_per_hour: Math.round((items / 24) * 10) / 10,
      signals_24h,
    },
    oracle: oracle && {
      ...oracleSummary(oracle),
      sample: oracle.sample ?? [],
      // How near the nearest signal was is for operators.
      misses: oracle.misses.map(({ nearest: _, ...miss }) => miss),
    },
    sources,
  };
}

/** What readers see of a measurement apart from its items. */
const oracleSummary = ({ misses: _, sample: __, left_out: ___, ...summary }: OracleMeasurement) => summary;

/**
 * The history of a source's polls, from which a restarted poller continues.
 * @returns null for a source that was never polled
 */
export async function pollState(database: Queryable, sourceId: SourceId): Promise<PollHistory | null> {
  const row = await queryValue(database, 'SELECT row FROM read.sources WHERE key = $1', [sourceId], z.string());
  return row === null ? null : (JSON.parse(row) as SourceHealthRow).polls;
}

const LastPolled = z.object({ key: StoredSourceId, last_polled_at: z.date().nullable() });

/** When each source of the roster was polled last; null for one that was never polled. */
export async function lastPolls(database: Queryable): Promise<ReadonlyMap<SourceId, Date | null>> {
  const rows = await query(database, 'SELECT key, last_polled_at FROM read.sources WHERE listed', [], LastPolled);
  return new Map(rows.map(({ key, last_polled_at }) => [key, last_polled_at]));
}

const Listed = z.object({ id: StoredSourceId, outlet: z.string(), url: z.string() });
type ListedSource = z.infer<typeof Listed>;

/** A source of the roster by its id; null when none has it. */
export const findSource = (database: Queryable, id: SourceId): Promise<ListedSource | null> =>
  queryOne(database, 'SELECT key AS id, outlet, url FROM read.sources WHERE listed AND key = $1', [id], Listed);

/** How many outlets are polled. */
export const countOutlets = (database: Queryable): Promise<number> =>
  queryNumber(database, 'SELECT count(DISTINCT outlet)::int FROM read.sources WHERE listed AND NOT paused');

/** The sources of the roster on a host, such as `news.example`, with any prefix (`www.`, `m.`). */
export const sourcesOnHost = (database: Queryable, host: string): Promise<ListedSource[]> =>
  query(
    database,
    `SELECT key AS id, outlet, url FROM read.sources WHERE listed AND position($1 IN lower(url)) > 0 ORDER BY key`,
    [host.toLowerCase()],
    Listed,
  );

const Hours = z.array(z.object({ hour: z.string(), items: z.int() }));
const ActivityRow = z.object({ key: StoredSourceId, hours: z.string() });

/**
 * @param hours how many, the last one being that of `now`
 * @returns by source id its items of each hour, the oldest first; sources that were never polled have none
 */
export async function itemsByHour(
  database: Queryable,
  now: Date,
  hours: number,
): Promise<ReadonlyMap<SourceId, readonly number[]>> {
  const rows = await query(database, 'SELECT key, hours FROM read.sources WHERE listed', [], ActivityRow);
  const last = Math.floor(now.getTime() / HOUR);
  return new Map(
    rows.map(({ key, hours: stored }): [SourceId, number[]] => {
      const items = new Map(
        Hours.parse(JSON.parse(stored)).map(({ hour, items: count }) => [Date.parse(hour) / HOUR, count]),
      );
      return [key, Array.from({ length: hours }, (_, at) => items.get(last - hours + 1 + at) ?? 0)];
    }),
  );
}

/** Days that the desk of sources shows. */
export const DESK_DAYS = 14;

/** What became of the items of a source in `DESK_DAYS`. */
export interface SourceYield {
  /** New items. */
  readonly items: number;
  /** Public signals that it reported first. */
  readonly signals: number;
  /** Its reports of signals that another report had made. */
  readonly duplicates: number;
  /** Median of the seconds from the date of a report to the poll that found it; null without such reports. */
  readonly median_delay_seconds: number | null;
}

/** A source as operators see it. */
export interface OperatedSource {
  readonly id: SourceId;
  /** Null while only its polls are projected. */
  readonly source: Source | null;
  readonly outlet: string;
  readonly url: string;
  readonly health: SourceHealth;
  readonly cause: HealthCause;
  readonly facts: HealthFacts & { readonly last_error: string | null };
  /** Null before its first poll. */
  readonly polls: PollHistory | null;
  /** New items by day, the oldest first; the last 24 hours are the last day. */
  readonly items_by_day: readonly number[];
  readonly yield: SourceYield;
}

/** The states, that which needs attention most first. */
export const WORST_FIRST: readonly SourceHealth[] = ['failing', 'silent', 'degraded', 'paused', 'healthy'];

export interface OperatedSources {
  readonly counts: Readonly<Record<SourceHealth, number>>;
  /** Sources that fit. */
  readonly found: number;
  readonly sources: readonly OperatedSource[];
}

interface WantedSources {
  readonly health?: SourceHealth | undefined;
  /** Part of an id, an outlet or an address. */
  readonly text?: string | undefined;
  readonly offset?: number;
  readonly limit: number;
}

/** The sources of the roster for operators, the worst state first. */
export async function operatedSources(database: Queryable, now: Date, wanted: WantedSources): Promise<OperatedSources> {
  const rows = (await listedSources(database)).map((row) => ({ row, cause: healthCause(row, now) }));
  const stateOf = ({ cause }: (typeof rows)[number]): SourceHealth => HEALTH_BY_CAUSE[cause];
  const text = wanted.text?.toLowerCase() ?? '';
  const fitting = rows
    .filter((one) => !wanted.health || stateOf(one) === wanted.health)
    .filter(({ row }) => [row.key, row.outlet, row.url].some((value) => value.toLowerCase().includes(text)))
    .sort((one, other) => WORST_FIRST.indexOf(stateOf(one)) - WORST_FIRST.indexOf(stateOf(other)));
  const { offset = 0, limit } = wanted;
  const page = fitting.slice(offset, offset + limit);
  const ids = page.map(({ row }) => row.key);
  const [details, yields] = await Promise.all([detailsOf(database, ids), yieldsOf(database, ids, now)]);
  const count = (health: SourceHealth): number => rows.filter((one) => stateOf(one) === health).length;
  return {
    counts: {
      failing: count('failing'),
      silent: count('silent'),
      degraded: count('degraded'),
      paused: count('paused'),
      healthy: count('healthy'),
    },
    found: fitting.length,
    sources: page.map(({ row, cause }) => {
      const { key: id, outlet, url, kind: _, cadence_seconds: __, ...facts } = row;
      const items_by_day = itemsByDay(row.hours, now);
      const items = items_by_day.reduce((sum, day) => sum + day, 0);
      const made = yields.get(id) ?? { signals: 0, duplicates: 0, median_delay_seconds: null };
      const detail = details.get(id);
      const { source = null, polls = null } = detail ?? {};
      const health = HEALTH_BY_CAUSE[cause];
      return { id, source, outlet, url, health, cause, facts, polls, items_by_day, yield: { items, ...made } };
    }),
  };
}

/** A source of the roster for operators; null when none has the id. */
export async function operatedSource(database: Queryable, now: Date, id: SourceId): Promise<OperatedSource | null> {
  const { sources } = await operatedSources(database, now, { text: id, limit: Number.POSITIVE_INFINITY });
  return sources.find((source) => source.id === id) ?? null;
}

const DetailRow = z.object({ key: StoredSourceId, row: z.string() });

async function detailsOf(database: Queryable, ids: readonly SourceId[]): Promise<Map<SourceId, SourceHealthRow>> {
  const rows = await query(database, 'SELECT key, row FROM read.sources WHERE key = ANY($1)', [ids], DetailRow);
  return new Map(rows.map(({ key, row }) => [key, JSON.parse(row) as SourceHealthRow]));
}

function itemsByDay(hours: readonly HourOfPolls[], now: Date): number[] {
  const days = Array.from({ length: DESK_DAYS }, () => 0);
  for (const { hour, items } of hours) {
    const at = DESK_DAYS - 1 - Math.floor((now.getTime() - Date.parse(hour)) / DAY);
    if (days[at] !== undefined) days[at] += items;
  }
  return days;
}

const YieldRow = z.object({
  source_id: StoredSourceId,
  signals: z.coerce.number(),
  duplicates: z.coerce.number(),
  median_delay_seconds: z.number().nullable(),
});

/** The reports of public signals by source. An item of the backlog, first seen on its own date, has no delay. */
const YIELDS = `
  WITH reports AS (
    SELECT r.report, row_number() OVER (PARTITION BY s.key ORDER BY r.report->>'first_seen_at', r.place) AS place
    FROM read.signals s, jsonb_array_elements(s.row::jsonb->'reports') WITH ORDINALITY r(report, place)
    WHERE s.status = 'public' AND s.published_at > $2
  )
  SELECT report->>'source_id' AS source_id,
    count(*) FILTER (WHERE place = 1) AS signals,
    count(*) FILTER (WHERE place > 1) AS duplicates,
    percentile_cont(0.5) WITHIN GROUP (
      ORDER BY extract(epoch FROM (report->>'first_seen_at')::timestamptz - (report->>'published_at')::timestamptz)
    ) FILTER (WHERE (report->>'first_seen_at')::timestamptz > (report->>'published_at')::timestamptz) AS median_delay_seconds
  FROM reports
  WHERE report->>'source_id' = ANY($1) AND (report->>'first_seen_at')::timestamptz > $2
  GROUP BY 1`;

async function yieldsOf(database: Queryable, ids: readonly SourceId[], now: Date) {
  const since = new Date(now.getTime() - DESK_DAYS * DAY);
  const rows = await query(database, YIELDS, [ids, since], YieldRow);
  return new Map(rows.map(({ source_id, ...made }) => [source_id, made]));
}
