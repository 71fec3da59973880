/** Every brand, theme and city that a public signal names. */
import { z } from 'zod';
import { type Queryable, query } from '../../../../log/postgres/database.ts';

const Row = z.object({ type: z.enum(['brand', 'theme', 'city']), slug: z.string(), name: z.string() });
export type ToldName = z.infer<typeof Row>;

/** As they stand in `read.names`, by name. */
export const listNames = (database: Queryable, most: number): Promise<ToldName[]> =>
  query(
    database,
    `SELECT n.type, n.slug, n.name FROM read.names n
     WHERE EXISTS (
       SELECT FROM read.search_signals s WHERE s.is_public AND CASE n.type
         WHEN 'brand' THEN s.brands @> ARRAY[n.slug] WHEN 'theme' THEN s.theme = n.slug
         ELSE s.cities @> ARRAY[n.name] END)
     ORDER BY n.type, lower(n.name), n.slug LIMIT $1`,
    [most],
    Row,
  );
