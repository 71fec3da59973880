/** Promotes a build to the live one: the readers' views are swapped in one transaction. */
import { z } from 'zod';
import { type Database, type Queryable, queryColumn, transaction } from '../log/postgres/database.ts';
import {
  type Build,
  checkpoint,
  createRegistry,
  liveBuild,
  liveBuilds,
  newName,
  STORE,
  versionPrefix,
} from './model-builds.ts';
import { forgetParkedBefore } from './parked-events.ts';
import type { Model } from './read-model.ts';

/** The version of a live build that no projector has filled yet, so that readers find nothing instead of an error. */
export const EMPTY = 'empty';

/** `busy`: a reader blocked the swap; `behind`: the live build is ahead. Catch up and retry. */
export type Promotion = 'promoted' | 'behind' | 'busy';

/**
 * Swaps the views of a model to a build, unless the live one is ahead of it in the event store. The swap waits at most
 * 200 ms for a reader's lock: less than the server's deadlock timeout, so that in a deadlock the swap gives up and never a
 * reader.
 * @param evenIfBehind for a live build that has read what the event store no longer contains
 */
export async function promote(
  database: Database,
  model: Model,
  build: Build,
  evenIfBehind = false,
): Promise<Promotion> {
  try {
    return await transaction(database, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '200ms'`);
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('projector builds of ' || $1, 0))`, [
        model.name,
      ]);
      const live = await liveBuild(client, model.name);
      if (live) {
        await client.query('SELECT 1 FROM projector.builds WHERE name = $1 FOR UPDATE', [live.name]);
        const [ahead, here] = [await checkpoint(client, live.name, STORE), await checkpoint(client, build.name, STORE)];
        if (ahead > here && !evenIfBehind) return 'behind';
        await client.query(`UPDATE projector.builds SET state = 'retired' WHERE name = $1`, [live.name]);
      }
      await client.query(`UPDATE projector.builds SET state = 'retired' WHERE model = ANY($1)`, [model.replaces ?? []]);
      await client.query(`UPDATE projector.builds SET state = 'live', live_at = now() WHERE name = $1`, [build.name]);
      await forgetParkedBefore(client, model.name, build.name);
      await pointViews(client, model, build.name);
      return 'promoted';
    });
  } catch (error) {
    if ((error as { code?: string }).code === '55P03') return 'busy';
    throw error;
  }
}

const UNBUILT = `SELECT m.model FROM unnest($1::text[], $2::text[]) m(model, version)
  WHERE NOT EXISTS (SELECT FROM projector.builds b WHERE b.model = m.model
    AND b.version IN (m.version, $3) AND b.state = 'live')
  ORDER BY m.model`;

/** The models of which the build of this release is not live: readers of this release may miss columns. */
export function unbuiltModels(
  database: Database,
  models: readonly Pick<Model, 'name' | 'version'>[],
): Promise<string[]> {
  const values = [models.map(({ name }) => name), models.map(({ version }) => version), EMPTY];
  return queryColumn(database, UNBUILT, values, z.string());
}

/** No projector has filled the tables of a read model yet, which readers find empty. */
export class ReadModelUnbuilt extends Error {
  override name = 'ReadModelUnbuilt';
  readonly isTransient = true;
  constructor(model: string) {
    super(`the read model ${model} has not been built yet`);
  }
}

/** @throws ReadModelUnbuilt */
export async function assertBuilt(database: Queryable, model: string): Promise<void> {
  const live = await liveBuild(database, model);
  if (!live || live.version === EMPTY) throw new ReadModelUnbuilt(model);
}

async function pointViews(client: Queryable, model: Model, schema: string): Promise<void> {
  // Dropped and created again: CREATE OR REPLACE cannot remove or reorder columns.
  const statements = model.tables.map(
    ({ name }) => `DROP VIEW IF EXISTS read.${name}; CREATE VIEW read.${name} AS SELECT * FROM ${schema}.${name};`,
  );
  await client.query(statements.join('\n'));
}

/**
 * Creates the views of every model that has none yet, over empty tables. Readers call it too, so that their queries find
 * the views whichever process starts first.
 */
export async function prepareReadModels(database: Database, models: readonly Model[]): Promise<void> {
  await createRegistry(database);
  const live = await liveBuilds(database);
  const missing = models.filter(({ name }) => !live.has(name));
  if (missing.length === 0) return;
  await transaction(database, async (client) => {
    for (const model of missing) {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('projector builds of ' || $1, 0))`, [
        model.name,
      ]);
      if (await liveBuild(client, model.name)) continue;
      const name = newName(model);
      await client.query(`CREATE SCHEMA ${name}`);
      await client.query(`SET LOCAL search_path TO ${name}`);
      await client.query([model.schema, ...model.indexes].join(';\n'));
      await client.query(
        `INSERT INTO projector.builds (name, model, version, state, live_at) VALUES ($1, $2, '${EMPTY}', 'live', now())`,
        [name, model.name],
      );
      await pointViews(client, model, name);
    }
  });
}

/**
 * Gives the empty tables of a model its version, where they were created by the same version: a projector continues with
 * them. To be called only while the model has nothing to read.
 * @returns false when there are none: the model has to be rebuilt
 */
export async function promoteEmpty(database: Database, model: Model): Promise<boolean> {
  const promoted = await database.query(
    `UPDATE projector.builds SET version = $2, live_at = now()
     WHERE model = $1 AND version = '${EMPTY}' AND state = 'live' AND starts_with(name, $3)`,
    [model.name, model.version, versionPrefix(model)],
  );
  return promoted.rowCount === 1;
}
