/** Queries of the audit log. */
import { z } from 'zod';
import { type Queryable, query } from '../../log/postgres/database.ts';

const Act = z.object({
  id: z.string(),
  at: z.date(),
  by: z.string(),
  action: z.string(),
  subject: z.string(),
  detail: z.string().nullable(),
  why: z.string().nullable(),
});
export type Act = z.infer<typeof Act>;

export interface AuditFilter {
  /** The name of an operator. */
  readonly by?: string | undefined;
  readonly action?: string | undefined;
  /** A part of the subject or of what was done to it. */
  readonly subject?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/**
 * What operators did, the newest first.
 * @param after the id of the last entry of the page before; an unknown one starts from the first page
 */
export const listActs = (
  database: Queryable,
  { by, action, subject, since, until }: AuditFilter,
  limit: number,
  after?: string,
): Promise<Act[]> =>
  query(
    database,
    `SELECT a.key AS id, a.at, coalesce(n.name, a.actor) AS by, a.action, a.subject, a.detail, a.why
     FROM read.audit a LEFT JOIN read.audit_actors n ON n.key = a.actor
     WHERE ($1::text IS NULL OR coalesce(n.name, a.actor) = $1) AND ($2::text IS NULL OR a.action = $2)
       AND ($3::text IS NULL OR strpos(lower(a.subject), lower($3)) > 0 OR strpos(lower(a.detail), lower($3)) > 0)
       AND ($4::timestamptz IS NULL OR a.at >= $4) AND ($5::timestamptz IS NULL OR a.at < $5)
       AND ($6::text IS NULL OR NOT EXISTS (SELECT 1 FROM read.audit l WHERE l.key = $6)
         OR (a.at, a.key) < (SELECT l.at, l.key FROM read.audit l WHERE l.key = $6))
     ORDER BY a.at DESC, a.key DESC LIMIT $7`,
    [by ?? null, action ?? null, subject ?? null, since ?? null, until ?? null, after ?? null, limit],
    Act,
  );

/** The names of all who did anything, in order. */
export const listActors = async (database: Queryable): Promise<string[]> =>
  (
    await query(
      database,
      `SELECT DISTINCT coalesce(n.name, a.actor) AS name
       FROM read.audit a LEFT JOIN read.audit_actors n ON n.key = a.actor ORDER BY name`,
      [],
      z.object({ name: z.string() }),
    )
  ).map(({ name }) => name);
