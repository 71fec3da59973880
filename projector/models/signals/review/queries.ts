/** What operators ask of signals that readers do not see. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';

const Held = z.object({
  id: z.string(),
  slug: z.string(),
  published_at: z.string(),
  headline: z.string(),
});
export type Held = z.infer<typeof Held>;

/** Signals that are held, newest first. */
export const listHeld = (database: Queryable, limit: number): Promise<Held[]> =>
  query(
    database,
    `SELECT key AS id, slug, item_document::json ->> 'published_at' AS published_at,
       item_document::json ->> 'headline' AS headline
     FROM read.signals WHERE status = 'held' ORDER BY read.signals.published_at DESC, key LIMIT $1`,
    [limit],
    Held,
  );

/** The page of any signal, as the live rows give it; null while there is none. */
export async function anySignalUrl(database: Queryable): Promise<string | null> {
  const found = await query(
    database,
    `SELECT item_document::json ->> 'url' AS url FROM read.signals LIMIT 1`,
    [],
    z.object({ url: z.string() }),
  );
  return found[0]?.url ?? null;
}
