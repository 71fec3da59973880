/** The live rows of a model as they stand at one moment, held still while a rebuild catches up with that moment. */
import type { Client } from 'pg';
import { z } from 'zod';
import { type Database, query } from '../../log/postgres/database.ts';
import { type Build, liveBuild } from '../builds/registry.ts';
import { openSession } from '../builds/session.ts';
import type { Model } from '../model.ts';

export interface Snapshot {
  /** Sees the rows as they were, whatever is written since. */
  readonly session: Client;
  readonly build: Build;
  /** How far the rows go, by input: a page's rows and its checkpoint are committed together. */
  readonly checkpoints: ReadonlyMap<string, bigint>;
  close(): Promise<void>;
}

/** @returns null when no build of the model's own version is live */
export async function liveSnapshot(database: Database, model: Model): Promise<Snapshot | null> {
  const session = await openSession(database);
  const close = (): Promise<void> => session.end().catch(() => undefined);
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const build = await liveBuild(session, model.name);
    if (build?.version !== model.version) {
      await close();
      return null;
    }
    // Readers' locks, taken now: the tables are not dropped while they are compared.
    await session.query(`LOCK TABLE ${model.tables.map(({ name }) => `${build.name}.${name}`)} IN ACCESS SHARE MODE`);
    const found = await query(
      session,
      'SELECT input, position FROM projector.checkpoints WHERE build = $1',
      [build.name],
      z.object({ input: z.string(), position: z.bigint() }),
    );
    return { session, build, close, checkpoints: new Map(found.map(({ input, position }) => [input, position])) };
  } catch (error) {
    await close();
    throw error;
  }
}
