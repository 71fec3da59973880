/** Parked events: a model refused them. They are stored and reported, and the model continues without them. */
import { z } from 'zod';
import { type Queryable, query, queryValue } from '../log/postgres/database.ts';
import type { Refused } from './apply-page.ts';
import { storable } from './row-storage.ts';

const Parked = z.object({
  model: z.string(),
  event_id: z.string(),
  type: z.string(),
  /** `store`, or its topic and partition, such as `polls/3`. */
  input: z.string(),
  error: z.string(),
  /** The whole event as JSON. */
  event: z.string(),
  parked_at: z.date(),
  /** The build that refused it; null for one parked by an earlier release. */
  build: z.string().nullable(),
  /** Dropped: rebuilds leave it out. */
  skipped: z.boolean(),
  dropped_by: z.string().nullable(),
  dropped_why: z.string().nullable(),
  dropped_at: z.date().nullable(),
  /** The rebuild that refused it waits for it. */
  stops: z.boolean(),
});
export type Parked = z.infer<typeof Parked>;

/**
 * Parks refused events. One that is parked already gets the newest error, unless a build in progress parked it: when that
 * build goes live, its entries count.
 * @param about.stops whether the build waits for the event
 */
export async function park(
  client: Queryable,
  about: { readonly model: string; readonly build: string; readonly input: string; readonly stops?: boolean },
  refused: readonly Refused[],
): Promise<void> {
  for (const { event, error } of refused)
    await client.query(
      `INSERT INTO projector.parked AS p (model, event_id, type, input, event, error, build, stops)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (model, event_id) DO UPDATE SET error = EXCLUDED.error, build = EXCLUDED.build, stops = EXCLUDED.stops
       WHERE NOT EXISTS (SELECT 1 FROM projector.builds b WHERE b.name = p.build AND b.state = 'building')`,
      [
        about.model,
        storable(event.id),
        storable(event.type),
        about.input,
        JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
        storable(error.message),
        about.build,
        about.stops ?? false,
      ],
    );
}

/** Parked events, newest first, of one model or of all. */
export const listParked = (database: Queryable, model?: string): Promise<Parked[]> =>
  query(
    database,
    `SELECT model, event_id, type, input, error, event, parked_at, build, skipped, dropped_by, dropped_why, dropped_at,
       stops
     FROM projector.parked WHERE $1::text IS NULL OR model = $1 ORDER BY parked_at DESC, event_id`,
    [model ?? null],
    Parked,
  );

/** Lets rebuilds of a model leave out a parked event permanently. @returns false when no such event is parked */
export async function dropParked(
  database: Queryable,
  model: string,
  eventId: string,
  { by, why }: { readonly by: string; readonly why: string },
): Promise<boolean> {
  const result = await database.query(
    `UPDATE projector.parked SET skipped = true, stops = false, dropped_by = $3, dropped_why = $4, dropped_at = now()
     WHERE model = $1 AND event_id = $2`,
    [model, eventId, by, why],
  );
  return result.rowCount === 1;
}

/** Whether a build whose name begins like that waits for a parked event, until that is dropped or retried. */
export async function isStopped(database: Queryable, model: string, builds: string): Promise<boolean> {
  const text = 'SELECT EXISTS (SELECT FROM projector.parked WHERE model = $1 AND stops AND starts_with(build, $2))';
  return (await queryValue(database, text, [model, builds], z.boolean())) ?? false;
}

/** Stores the newest error of a parked event. */
export async function updateParkedError(
  database: Queryable,
  model: string,
  eventId: string,
  why: string,
): Promise<void> {
  await database.query('UPDATE projector.parked SET error = $3 WHERE model = $1 AND event_id = $2', [
    model,
    eventId,
    storable(why),
  ]);
}

/** Deletes entries of events that the model contains now; to be called in the transaction that writes their rows. */
export async function unpark(client: Queryable, model: string, eventIds: readonly string[]): Promise<void> {
  await client.query('DELETE FROM projector.parked WHERE model = $1 AND event_id = ANY($2)', [model, eventIds]);
}

/**
 * Deletes the entries of the model's earlier builds; to be called when a build goes live. That build read the same history
 * and parked what it refused; dropped events stay dropped.
 */
export async function forgetParkedBefore(client: Queryable, model: string, build: string): Promise<void> {
  await client.query('DELETE FROM projector.parked WHERE model = $1 AND NOT skipped AND build IS DISTINCT FROM $2', [
    model,
    build,
  ]);
}
