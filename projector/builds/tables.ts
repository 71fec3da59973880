/** Makes and drops the tables of a build. */
import type { Client } from 'pg';
import { type Database, type Queryable, transaction } from '../../log/postgres/database.ts';
import type { Model } from '../model.ts';
import type { Build } from './registry.ts';
import { isIndex, statements } from './statements.ts';

/** Session lock that says that somebody is at work on a build; it goes when its process dies. */
export const buildLock = (name: string): string => `projector build ${name}`;

/**
 * Makes the tables of a new build, without the indexes, and enters it as `building`.
 * The first free name is taken, since a replay builds a version that is live already.
 * @param session a connection of the builder's own: it holds the build's lock until it is closed
 */
export async function createBuild(session: Client, model: Model): Promise<Build> {
  await session.query('BEGIN');
  try {
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended('projector builds of ' || $1, 0))`, [
      model.name,
    ]);
    let name = `${model.name}_${model.version}`;
    for (let number = 2; await schemaExists(session, name); number++) name = `${model.name}_${model.version}_${number}`;
    await session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [buildLock(name)]);
    await session.query(`CREATE SCHEMA ${name}`);
    await session.query(`SET LOCAL search_path TO ${name}`);
    for (const statement of statements(model.schema)) if (!isIndex(statement)) await session.query(statement);
    await session.query(`INSERT INTO projector.builds (name, model, version, state) VALUES ($1, $2, $3, 'building')`, [
      name,
      model.name,
      model.version,
    ]);
    await session.query('COMMIT');
    return { name, model: model.name, version: model.version, state: 'building' };
  } catch (error) {
    await session.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function schemaExists(session: Pick<Queryable, 'query'>, name: string): Promise<boolean> {
  const result = await session.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name]);
  return result.rowCount !== 0;
}

/**
 * Drops builds of a model that nobody reads or works on: retired ones, and those whose builder died.
 * A build that readers still hold is left for the next time: the drop gives up instead of queueing readers behind it.
 */
export async function dropUnusedBuilds(database: Database, model: string): Promise<void> {
  const found = await database.query<{ name: string }>(
    `SELECT name FROM projector.builds WHERE model = $1 AND state <> 'live'`,
    [model],
  );
  for (const { name } of found.rows) {
    await transaction(database, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '1s'`);
      const free = await client.query<{ free: boolean }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free',
        [buildLock(name)],
      );
      if (!free.rows[0]?.free) return;
      await client.query(`DELETE FROM projector.builds WHERE name = $1 AND state <> 'live'`, [name]);
      await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== '55P03') throw error;
    });
  }
}
