/** Small partitions of events, so that a test crosses many. */
import type { Database } from '../../log/postgres/database.ts';

/** @param database with the tables of the log and without events @param size positions of a partition */
export async function smallPartitions(database: Database, size: number): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION log.event_partition_size() RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT ${size}::bigint';
     DROP TABLE log.event_000000000000;
     SELECT log.create_event_table(log.event_partition_name(0), 0, ${size});
     SELECT log.attach_event_table(log.event_partition_name(0), 0, ${size});
     UPDATE log.event_partition SET end_position = ${size}`,
  );
}
