/** What pollers and readers ask about sources. */
import { z } from 'zod';
import { type Queryable, query } from '../../../log/postgres/database.ts';
import type { HealthSnapshot } from '../../../schemas/resources.ts';
import { latestMeasurement } from '../oracle/queries.ts';
import { countRecent } from '../signals/queries.ts';
import { healthOf, lastDay } from './health.ts';
import type { HourOfPolls, PollHistory, SourceHealthRow } from './row.ts';

export type { HourOfPolls, PollHistory, RecentPoll } from './row.ts';

const DAY = 86_400_000;
/** Between two polls where neither the roster nor the poller says another time. */
const DEFAULT_CADENCE_SECONDS = 1_800;

const Row = z.object({
  key: z.string(),
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
      ...oracle,
      // How near the nearest signal was is for operators.
      misses: oracle.misses.map(({ nearest: _, ...miss }) => miss),
    },
    sources,
  };
}

/**
 * What the polls of a source left behind, so that a restarted poller goes on where it stood.
 * @returns null for a source that was never polled
 */
export async function pollState(database: Queryable, sourceId: string): Promise<PollHistory | null> {
  const found = await query(
    database,
    'SELECT row FROM read.sources WHERE key = $1',
    [sourceId],
    z.object({ row: z.string() }),
  );
  return found[0] ? (JSON.parse(found[0].row) as SourceHealthRow).polls : null;
}

const Listed = z.object({ id: z.string(), outlet: z.string(), url: z.string() });
export type ListedSource = z.infer<typeof Listed>;

/** A source of the roster by its id; null when none has it. */
export async function findSource(database: Queryable, id: string): Promise<ListedSource | null> {
  const [found] = await query(
    database,
    'SELECT key AS id, outlet, url FROM read.sources WHERE listed AND key = $1',
    [id],
    Listed,
  );
  return found ?? null;
}

/** The sources of the roster on a host, such as `news.example`, whatever stands before it (`www.`, `m.`). */
export const sourcesOnHost = (database: Queryable, host: string): Promise<ListedSource[]> =>
  query(
    database,
    `SELECT key AS id, outlet, url FROM read.sources WHERE listed AND position($1 IN lower(url)) > 0 ORDER BY key`,
    [host.toLowerCase()],
    Listed,
  );
