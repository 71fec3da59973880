/** Makes and drops the tables of a build. */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { transaction } from '../../log/postgres/database.ts';
import type { Model } from '../model.ts';
import type { Services } from '../services.ts';
import { deleteOrphanedGroups } from './groups.ts';
import type { Build } from './registry.ts';
import { isIndex, statements } from './statements.ts';

/** Session lock that says that somebody is at work on a build; it goes when its process dies. */
export const buildLock = (name: string): string => `projector build ${name}`;

/**
 * A name that no build had before, also none that was dropped long ago or is known only to Kafka: consumer groups are
 * named after builds, and one of a used name would go on where the earlier build stopped instead of at the beginning.
 */
const newName = ({ name, version }: Model): string => `${name}_${version}_${randomBytes(6).toString('hex')}`;

/**
 * Makes the tables of a new build, without the indexes, and enters it as `building`.
 * @param session a connection of the builder's own: it holds the build's lock until it is closed
 */
export async function createBuild(session: Client, model: Model): Promise<Build> {
  await session.query('BEGIN');
  try {
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended('projector builds of ' || $1, 0))`, [
      model.name,
    ]);
    const name = newName(model);
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

/**
 * Drops builds of a model that nobody reads or works on: retired ones, and those whose builder died. Their consumer
 * groups go with them.
 * A build that readers still hold is left for the next time: the drop gives up instead of queueing readers behind it.
 */
export async function dropUnusedBuilds(
  services: Pick<Services, 'database' | 'topics' | 'logger'>,
  model: Model,
): Promise<void> {
  const { database, topics } = services;
  const found = await database.query<{ name: string }>(
    `SELECT name FROM projector.builds WHERE model = $1 AND state <> 'live'`,
    [model.name],
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
  const [topic] = model.topics;
  if (topic !== undefined) await deleteOrphanedGroups(services, topics.topic(topic));
}
