/** Days of topics in PostgreSQL that have ended, without waiting for their end. */
import type { Database } from '../../log/postgres/database.ts';

/** Has a topic write a table of an earlier day. */
export const beginYesterday = (database: Database, topic: string): Promise<unknown> =>
  database.query(
    `UPDATE log.topic_segment s SET opened_at = now() - interval '1 day'
       FROM log.topic t WHERE t.number = s.topic_number AND t.name = $1 AND s.segment = t.segment`,
    [topic],
  );

/** Ends the day that a topic writes, as if that had been some days ago. */
export async function endDay(database: Database, topic: string, daysAgo: number): Promise<void> {
  await beginYesterday(database, topic);
  await database.query('SELECT log.begin_topic_day($1)', [topic]);
  await database.query(
    `UPDATE log.topic_segment s SET closed_at = now() - make_interval(days => $2)
       FROM log.topic t WHERE t.number = s.topic_number AND t.name = $1 AND s.segment = t.segment - 1`,
    [topic, daysAgo],
  );
}
