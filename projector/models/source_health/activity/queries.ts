/** New items of every source hour by hour: what its sparkline is drawn from. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';

const HOUR = 3_600_000;
const Hours = z.array(z.object({ hour: z.string(), items: z.int() }));
const Row = z.object({ key: z.string(), hours: z.string() });

/**
 * @param hours how many, the last one being that of `now`
 * @returns by source id its items of each hour, the oldest first; sources that were never polled have none
 */
export async function itemsByHour(
  database: Queryable,
  now: Date,
  hours: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await query(database, 'SELECT key, hours FROM read.sources WHERE listed', [], Row);
  const last = Math.floor(now.getTime() / HOUR);
  return new Map(
    rows.map(({ key, hours: told }): [string, number[]] => {
      const items = new Map(
        Hours.parse(JSON.parse(told)).map(({ hour, items: count }) => [Date.parse(hour) / HOUR, count]),
      );
      return [key, Array.from({ length: hours }, (_, at) => items.get(last - hours + 1 + at) ?? 0)];
    }),
  );
}
