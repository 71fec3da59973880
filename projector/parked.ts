/** Events that a model could not take: kept, told, and no hindrance to the others. */
import { z } from 'zod';
import { type Queryable, query } from '../log/postgres/database.ts';
import type { Refused } from './fold.ts';
import { storable } from './rows/encode.ts';

const Parked = z.object({
  model: z.string(),
  event_id: z.string(),
  type: z.string(),
  input: z.string(),
  error: z.string(),
  event: z.string(),
  parked_at: z.date(),
  skipped: z.boolean(),
});
export type Parked = z.infer<typeof Parked>;

/** Keeps refused events; an event that is parked already stays as it is. */
export async function park(
  client: Queryable,
  model: string,
  input: string,
  refused: readonly Refused[],
): Promise<void> {
  for (const { event, error } of refused)
    await client.query(
      `INSERT INTO projector.parked (model, event_id, type, input, event, error) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (model, event_id) DO NOTHING`,
      [
        model,
        storable(event.id),
        storable(event.type),
        input,
        JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
        storable(error.message),
      ],
    );
}

/** Parked events, newest first, of one model or of all. */
export const listParked = (database: Queryable, model?: string): Promise<Parked[]> =>
  query(
    database,
    `SELECT model, event_id, type, input, error, event, parked_at, skipped FROM projector.parked
     WHERE $1::text IS NULL OR model = $1 ORDER BY parked_at DESC, event_id`,
    [model ?? null],
    Parked,
  );

/** Lets rebuilds of a model pass over a parked event. False when no such event is parked. */
export async function skipParked(database: Queryable, model: string, eventId: string): Promise<boolean> {
  const result = await database.query('UPDATE projector.parked SET skipped = true WHERE model = $1 AND event_id = $2', [
    model,
    eventId,
  ]);
  return result.rowCount === 1;
}
