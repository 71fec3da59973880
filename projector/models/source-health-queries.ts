/** Queries of sources: the roster with the health of each source, and its activity. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';
import type { OracleMeasurement } from '../../schemas/oracle.ts';
import type { HealthSnapshot, SourceHealth } from '../../schemas/resources.ts';
import { type SourceId, StoredSourceId } from '../../schemas/source.ts';
import { latestMeasurement } from './oracle-queries.ts';
import { countRecent } from './signals-queries.ts';
import type { HourOfPolls, PollHistory, SourceHealthRow } from './source-health-read-model.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
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

/**
 * `paused`; `failing` after 3 failures in a row; `silent` when polls succeed but nothing new came for 3 times the
 * usual gap and 24 hours at least; `degraded` with some failures, when slower than its normal, or before its first
 * poll; else `healthy`.
 */
export function healthOf(facts: HealthFacts, now: Date): SourceHealth {
  if (facts.paused) return 'paused';
  if (facts.consecutive_failures >= FAILING) return 'failing';
  if (!facts.last_polled_at || facts.consecutive_failures > 0) return 'degraded';
  const gap = (facts.usual_gap_seconds ?? 0) * 1000;
  // A source that never had an item is measured from its first poll that is still known.
  const since = facts.last_item_at?.getTime() ?? Date.parse(facts.hours[0]?.hour ?? now.toISOString());
  const quiet = now.getTime() - since;
  if (quiet > Math.max(SILENT_GAPS * gap, SILENT_LEAST)) return 'silent';
  if (quiet > Math.max(SLOW_GAPS * gap, SLOW_LEAST)) return 'degraded';
  const day = lastDay(facts.hours, now);
  const polls = day.reduce((sum, hour) => sum + hour.polls, 0);
  const failures = day.reduce((sum, hour) => sum + hour.failures, 0);
  return failures > polls * FLAKY ? 'degraded' : 'healthy';
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

/** The roster with each source's health at `now`. */
export async function healthSnapshot(database: Queryable, now: Date): Promise<HealthSnapshot> {
  const [rows, signals_24h, oracle] = await Promise.all([
    query(
      database,
      `SELECT key, outlet, url, kind, paused, cadence_seconds, last_polled_at, last_success_at, last_item_at,
         consecutive_failures, last_error, usual_gap_seconds, hours
       FROM read.sources WHERE listed ORDER BY outlet, key`,
      [],
      Row,
    ),
    countRecent(database, new Date(now.getTime() - DAY)),
    latestMeasurement(database),
  ]);
  const sources = rows.map((row) => {
    const hours = JSON.parse(row.hours) as HourOfPolls[];
    return {
      id: row.key,
      outlet: row.outlet,
      url: row.url,
      kind: row.kind,
      health: healthOf({ ...row, hours }, now),
      cadence_seconds: row.cadence_seconds ?? DEFAULT_CADENCE_SECONDS,
      items_24h: sumOfItems(lastDay(hours, now)),
      last_polled_at: instant(row.last_polled_at),
      last_success_at: instant(row.last_success_at),
      last_item_at: instant(row.last_item_at),
      consecutive_failures: row.consecutive_failures,
      last_error: row.last_error,
    };
  });
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
  const found = await query(
    database,
    'SELECT row FROM read.sources WHERE key = $1',
    [sourceId],
    z.object({ row: z.string() }),
  );
  return found[0] ? (JSON.parse(found[0].row) as SourceHealthRow).polls : null;
}

const Listed = z.object({ id: StoredSourceId, outlet: z.string(), url: z.string() });
type ListedSource = z.infer<typeof Listed>;

/** A source of the roster by its id; null when none has it. */
export async function findSource(database: Queryable, id: SourceId): Promise<ListedSource | null> {
  const [found] = await query(
    database,
    'SELECT key AS id, outlet, url FROM read.sources WHERE listed AND key = $1',
    [id],
    Listed,
  );
  return found ?? null;
}

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
