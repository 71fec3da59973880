/** Builds of read models: their tables, their consumer groups, which one is live, and how far each is. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg, { type Client } from 'pg';
import { z } from 'zod';
import { logError } from '../log/errors.ts';
import { type Database, type Queryable, query, sessionOptions, transaction } from '../log/postgres/database.ts';
import type { Topic } from '../log/topic.ts';
import type { Model, Services } from './read-model.ts';

// The registry of builds: which sets of tables there are, which one of each model is live, and how far each is.

/** A set of tables of one model in the schema of its name. */
export const Build = z.object({
  name: z.string(),
  model: z.string(),
  version: z.string(),
  state: z.enum(['building', 'live', 'retired']),
});
export type Build = z.infer<typeof Build>;

const SCHEMA = readFileSync(new URL('./model-builds.sql', import.meta.url), 'utf8');

/** Creates missing tables of the registry. Processes may do so concurrently. */
export async function createRegistry(database: Database): Promise<void> {
  await transaction(database, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('projector registry', 0))`);
    await client.query(SCHEMA);
  });
}

/** The build of a model that readers see; null before the first. */
export async function liveBuild(database: Queryable, model: string): Promise<Build | null> {
  const found = await query(
    database,
    `SELECT name, model, version, state FROM projector.builds WHERE model = $1 AND state = 'live'`,
    [model],
    Build,
  );
  return found[0] ?? null;
}

/** The position of a build in an input; 0n before its first event. */
export async function checkpoint(database: Queryable, build: string, input: string): Promise<bigint> {
  const found = await query(
    database,
    'SELECT position FROM projector.checkpoints WHERE build = $1 AND input = $2',
    [build, input],
    z.object({ position: z.bigint() }),
  );
  return found[0]?.position ?? 0n;
}

/** The name of the event store among the inputs of a build. */
export const STORE = 'store';

/** The name of a topic's partition among the inputs of a build. */
export const partitionInput = (topic: string, partition: number): string => `${topic}/${partition}`;

/** Another process moved a checkpoint or retired the build: the folded rows are discarded. */
export class CheckpointConflict extends Error {
  override name = 'CheckpointConflict';
  constructor(build: string, input: string) {
    super(`the checkpoint of ${build} for ${input} was moved by another process, or the build was retired`);
  }
}

/**
 * Moves a checkpoint by compare-and-set; to be called in the transaction that writes the rows.
 * @throws CheckpointConflict when it is not at `from`
 */
export async function moveCheckpoint(
  client: Queryable,
  build: string,
  input: string,
  from: bigint,
  to: bigint,
): Promise<void> {
  const text =
    from === 0n
      ? `INSERT INTO projector.checkpoints AS c (build, input, position) VALUES ($1, $2, $4)
         ON CONFLICT (build, input) DO UPDATE SET position = EXCLUDED.position WHERE c.position = $3`
      : 'UPDATE projector.checkpoints SET position = $4 WHERE build = $1 AND input = $2 AND position = $3';
  const result = await client.query(text, [build, input, from, to]);
  if (result.rowCount !== 1) throw new CheckpointConflict(build, input);
}

/**
 * Takes the one lock under which a build's rows and checkpoints are written, until the transaction ends. Two inputs of
 * one build may touch one row, and a swap must not see half a page.
 * @throws CheckpointConflict when the build is retired or dropped
 */
export async function lockBuild(client: Queryable, build: string, input: string): Promise<void> {
  const result = await client.query(
    `SELECT 1 FROM projector.builds WHERE name = $1 AND state <> 'retired' FOR UPDATE`,
    [build],
  );
  if (result.rowCount !== 1) throw new CheckpointConflict(build, input);
}

/**
 * Opens a connection outside the pool. Its session locks are released when it ends, also when it breaks.
 * @param onLost called once when the connection breaks
 */
export async function openSession(database: Database, onLost: () => void = () => undefined): Promise<pg.Client> {
  const session = new pg.Client(sessionOptions(database));
  session.on('error', () => undefined);
  session.once('end', onLost);
  await session.connect();
  return session;
}

/** Runs `work` in one transaction on a connection of its own, which is closed afterwards. */
export async function ownTransaction<Result>(
  database: Database,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const own = new pg.Pool({ ...sessionOptions(database), max: 1 });
  own.on('error', () => undefined);
  own.on('connect', (client) => void client.on('error', () => undefined));
  try {
    return await transaction(own, work);
  } finally {
    // The outcome of the transaction counts, not that of closing.
    await own.end().catch(() => undefined);
  }
}

// The consumer groups of builds. A group belongs to one build alone, and is deleted when that build is gone.

const PREFIX = 'projector-';
const COMPARISON = '-until';

/** The consumer group of a build. Names of builds are unique, so a new build reads its topics from the beginning. */
export const groupOf = (build: Pick<Build, 'name'>): string => `${PREFIX}${build.name}`;

/** The consumer group that reads a build up to the checkpoints of the live one, for a comparison. */
export const comparisonGroupOf = (build: Pick<Build, 'name'>): string => `${groupOf(build)}${COMPARISON}`;

const buildOf = (group: string): string =>
  (group.endsWith(COMPARISON) ? group.slice(0, -COMPARISON.length) : group).slice(PREFIX.length);

/**
 * Deletes the groups of dropped builds. A group that still has consumers stays until the next call.
 * @param topic any topic: a group is deleted with its offsets in all topics
 */
async function deleteOrphanedGroups(
  { database, topics, logger }: Pick<Services, 'database' | 'topics' | 'logger'>,
  topic: Topic,
): Promise<void> {
  try {
    // Groups first: a build is in the registry before its group exists.
    const groups = await topics.groups(PREFIX);
    const builds = await query(database, 'SELECT name FROM projector.builds', [], z.object({ name: z.string() }));
    const names = new Set(builds.map(({ name }) => name));
    for (const group of groups) if (!names.has(buildOf(group))) await topic.deleteGroup(group);
  } catch (error) {
    // Repeated at the next start; a read model does not wait for it.
    logError(logger, error, {}, 'consumer groups of dropped builds could not be deleted; retrying at the next start');
  }
}

/** The session lock of the process that fills a build; released when the process dies. */
export const buildLock = (name: string): string => `projector build ${name}`;

/**
 * A name that no build has had, including dropped ones: consumer groups are named after builds, and a group with a used
 * name would resume where the earlier build stopped instead of at the beginning.
 */
const newName = ({ name, version }: Model): string => `${name}_${version}_${randomBytes(6).toString('hex')}`;

/**
 * Creates the tables of a new build, without the indexes, and registers it as `building`.
 * @param session holds the build's lock until it is closed
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
    await session.query(model.schema);
    await session.query(`INSERT INTO projector.builds (name, model, version, state) VALUES ($1, $2, $3, 'building')`, [
      name,
      model.name,
      model.version,
    ]);
    await session.query('COMMIT');
    return { name, model: model.name, version: model.version, state: 'building' };
  } catch (error) {
    // The error above counts; a broken connection rolls back by itself.
    await session.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Drops the unused builds of a model with their consumer groups: retired ones, and those whose builder died. A build that
 * readers still lock stays until the next call: the drop gives up rather than block new readers.
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
