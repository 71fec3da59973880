/** Events that an operator lets rebuilds pass over. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';

/** Ids of the events that a model's rebuild may leave out. */
export async function skippedEvents(database: Queryable, model: string): Promise<ReadonlySet<string>> {
  const found = await query(
    database,
    'SELECT event_id FROM projector.parked WHERE model = $1 AND skipped',
    [model],
    z.object({ event_id: z.string() }),
  );
  return new Set(found.map(({ event_id }) => event_id));
}
