/** Builds of read models: their tables, their consumer groups, which one is live, and how far each is. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Client } from 'pg';
import { z } from 'zod';
import { logError } from '../log/errors.ts';
import {
  type Database,
  type Queryable,
  query,
  queryColumn,
  queryOne,
  queryValue,
  sessionOptions,
  transaction,
} from '../log/postgres/database.ts';
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
export const liveBuild = (database: Queryable, model: string): Promise<Build | null> =>
  queryOne(
    database,
    `SELECT name, model, version, state FROM projector.builds WHERE model = $1 AND state = 'live'`,
    [model],
    Build,
  );

/** The builds that readers see, by model. */
export async function liveBuilds(database: Queryable): Promise<ReadonlyMap<string, Build>> {
  const builds = await query(
    database,
    `SELECT name, model, version, state FROM projector.builds WHERE state = 'live'`,
    [],
    Build,
  );
  return new Map(builds.map((build) => [build.model, build]));
}

/** The position of a build in an input; 0n before its first event. */
export async function checkpoint(database: Queryable, build: string, input: string): Promise<bigint> {
  const text = 'SELECT position FROM projector.checkpoints WHERE build = $1 AND input = $2';
  return (await queryValue(database, text, [build, input], z.bigint())) ?? 0n;
}

/** The name of the event store among the inputs of a build. */
export const STORE = 'store';

/** The name of a topic's partition among the inputs of a build. */
export const partitionInput = (topic: string, partition: number): string => `${topic}/${partition}`;

/** Another process moved a checkpoint or retired the build: the folded rows are discarded. */
export class CheckpointConflict extends Error {
  override name = 'CheckpointConflict';
  readonly isTransient = true;
  constructor(build: string, input: string) {
    super(`the checkpoint of ${build} for ${input} was moved by another process, or the build was retired`);
  }
}

/**
 * Moves a checkpoint by compare-and-set; to be called in the transaction that writes the rows.
 * @param id of the record at the new position, null where it is not known
 * @throws CheckpointConflict when it is not at `from`
 */
export async function moveCheckpoint(
  client: Queryable,
  build: string,
  input: string,
  from: bigint,
  to: bigint,
  id: string | null = null,
): Promise<void> {
  const text =
    from === 0n
      ? `INSERT INTO projector.checkpoints AS c (build, input, position, record_id) VALUES ($1, $2, $4, $5)
         ON CONFLICT (build, input) DO UPDATE SET position = EXCLUDED.position, record_id = EXCLUDED.record_id, moved_at = now() WHERE c.position = $3`
      : 'UPDATE projector.checkpoints SET position = $4, record_id = $5, moved_at = now() WHERE build = $1 AND input = $2 AND position = $3';
  const result = await client.query(text, [build, input, from, to, id]);
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
    const names = new Set(await queryColumn(database, 'SELECT name FROM projector.builds', [], z.string()));
    for (const group of groups) if (!names.has(buildOf(group))) await topic.deleteGroup(group);
  } catch (error) {
    // Repeated at the next start; a read model does not wait for it.
    logError(logger, error, {}, 'consumer groups of dropped builds could not be deleted; retrying at the next start');
  }
}

/** The session lock of the process that fills a build; released when the process dies. */
export const buildLock = (name: string): string => `projector build ${name}`;

/** A condition: whether a session holds the lock whose name an expression gives. */
export const isHeld = (name: string): string => `EXISTS (
  SELECT FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(${name}, 0))`;

/**
 * A name that no build has had, including dropped ones: consumer groups are named after builds, and a group with a used
 * name would resume where the earlier build stopped instead of at the beginning.
 */
export const newName = (model: Model): string => `${versionPrefix(model)}${randomBytes(6).toString('hex')}`;

/** How the names of all builds of one version of a model begin. */
export const versionPrefix = ({ name, version }: Model): string => `${name}_${version}_`;

/** Table of a build in progress: the statements that create its indexes at the end. */
export const STEPS = 'rebuild_steps';

/** True for a statement that adds a key to a table: a fold looks rows up by their keys, so keys come first. */
const isKey = (statement: string): boolean => /^\s*ALTER TABLE/i.test(statement);

/**
 * Creates the tables of a new build with their keys, and registers it as `building`. It is in progress until `completeBuild`.
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
    await session.query([model.schema, ...model.indexes.filter(isKey)].join(';\n'));
    await session.query(
      `CREATE TABLE ${STEPS} (number integer PRIMARY KEY, statement text NOT NULL, is_done boolean NOT NULL DEFAULT false)`,
    );
    await session.query(
      `INSERT INTO ${STEPS} (number, statement)
       SELECT number, statement FROM unnest($1::text[]) WITH ORDINALITY AS step (statement, number)`,
      [model.indexes.filter((statement) => !isKey(statement))],
    );
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

/** Ends the filling of a build, whose indexes are there: from now on it follows the log like a live one. */
export const completeBuild = (client: Queryable, build: string): Promise<unknown> =>
  client.query(`DROP TABLE ${build}.${STEPS}`);

/** Whether a build was filled, and `completeBuild` called. */
export async function isComplete(database: Queryable, build: string): Promise<boolean> {
  const text = 'SELECT to_regclass($1) IS NULL';
  return (await queryValue(database, text, [`${build}.${STEPS}`], z.boolean())) ?? false;
}

/**
 * Builds whose rebuild was interrupted within the last day: $1 model, $2 version. One that has read topics is left out,
 * because a rebuild proves what it has read of a topic by reading it itself.
 */
const INTERRUPTED = `b.model = $1 AND b.version = $2 AND b.state = 'building'
  AND EXISTS (SELECT FROM projector.rebuilds r WHERE r.build = b.name AND (r.ended_at IS NULL OR r.error IS NOT NULL)
    AND r.updated_at > now() - interval '1 day')
  AND EXISTS (SELECT FROM projector.checkpoints c WHERE c.build = b.name)
  AND NOT EXISTS (SELECT FROM projector.checkpoints c WHERE c.build = b.name
    AND c.input <> '${STORE}')`;

/** Milliseconds between two attempts to take over a build, and all of them: the server notices the end of a process late. */
const TAKE_OVER = { every: 100, longest: 5_000 };

/**
 * Takes over a build of this version whose rebuild was interrupted, if there is one.
 * @param session holds the build's lock until it is closed
 * @param target a build that is beyond it does not count: the log or the live rows are at an earlier point
 */
export async function takeOverBuild(session: Client, model: Model, target: bigint): Promise<Build | null> {
  const find = `SELECT b.name, b.model, b.version, b.state, r.updated_at FROM projector.builds b
    JOIN projector.rebuilds r ON r.build = b.name
    WHERE ${INTERRUPTED} AND NOT EXISTS (SELECT FROM projector.checkpoints c WHERE c.build = b.name AND c.position > $3)`;
  const end = performance.now() + TAKE_OVER.longest;
  for (let first: Date | undefined; ; ) {
    const values = [model.name, model.version, target];
    const interrupted = await queryOne(session, find, values, Build.extend({ updated_at: z.date() }));
    if (!interrupted) return null;
    const { updated_at, ...build } = interrupted;
    const lock = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0))';
    if (await queryValue(session, lock, [buildLock(build.name)], z.boolean())) {
      // Between the two statements it can have gone live, or have been dropped.
      const still = await queryOne(session, find, values, Build);
      if (still?.name === build.name) return still;
      await session.query('SELECT pg_advisory_unlock_all()');
      return null;
    }
    // A process that reports goes on by itself.
    first ??= updated_at;
    if (updated_at > first || performance.now() > end) return null;
    await sleep(TAKE_OVER.every);
  }
}

/**
 * Drops the unused builds of a model, and of those that it replaces, with their consumer groups: retired ones, and those whose builder died, unless they
 * can be taken over. A build that readers still lock stays until the next call: the drop gives up rather than block new
 * readers.
 */
export async function dropUnusedBuilds(
  services: Pick<Services, 'database' | 'topics' | 'logger'>,
  model: Model,
): Promise<void> {
  const { database, topics } = services;
  const outdated = await database.query<{ name: string }>(
    `SELECT b.name FROM projector.builds b WHERE b.model = ANY($3) AND b.state <> 'live' AND NOT (${INTERRUPTED})`,
    [model.name, model.version, [model.name, ...(model.replaces ?? [])]],
  );
  for (const { name } of outdated.rows) {
    await transaction(database, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '1s'`);
      const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))';
      if (!(await queryValue(client, lock, [buildLock(name)], z.boolean()))) return;
      await client.query(`DELETE FROM projector.builds WHERE name = $1 AND state <> 'live'`, [name]);
      await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== '55P03') throw error;
    });
  }
  const [topic] = model.topics;
  if (topic !== undefined) await deleteOrphanedGroups(services, topics.topic(topic));
}
