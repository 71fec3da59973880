/** The registry of builds: which sets of tables there are, which one of each model is live, and how far each is. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Database, type Queryable, query, transaction } from '../../log/postgres/database.ts';

/** A set of tables of one model in the schema of its name. */
export const Build = z.object({
  name: z.string(),
  model: z.string(),
  version: z.string(),
  state: z.enum(['building', 'live', 'retired']),
});
export type Build = z.infer<typeof Build>;

const SCHEMA = readFileSync(new URL('./registry.sql', import.meta.url), 'utf8');

/** Makes the registry's tables where they are missing; any number of processes may do so at once. */
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

/** How far a build has come in an input; 0n before its first event. */
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

/** Somebody else moved a checkpoint or retired the build: what was folded is thrown away. */
export class CheckpointConflict extends Error {
  override name = 'CheckpointConflict';
  constructor(build: string, input: string) {
    super(`the checkpoint of ${build} for ${input} was moved by another process, or the build was retired`);
  }
}

/**
 * Moves a checkpoint by compare-and-set; to be called in the transaction that writes the rows.
 * @throws CheckpointConflict when it does not stand at `from`
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
 * one build may touch one row, and a swap must see no page half done.
 * @throws CheckpointConflict when the build is no more
 */
export async function lockBuild(client: Queryable, build: string, input: string): Promise<void> {
  const result = await client.query(
    `SELECT 1 FROM projector.builds WHERE name = $1 AND state <> 'retired' FOR UPDATE`,
    [build],
  );
  if (result.rowCount !== 1) throw new CheckpointConflict(build, input);
}
