/** The baseline of a rebuild: the rows that it ends with, copied into empty tables, with the indexes at the end. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Database } from '../log/postgres/database.ts';
import { Filling } from '../projector/builds/filling.ts';
import { liveBuild } from '../projector/builds/registry.ts';
import { openSession, ownTransaction } from '../projector/builds/session.ts';
import { createBuild } from '../projector/builds/tables.ts';
import type { Model } from '../projector/model.ts';

const CHUNK = 256 * 1024;

/**
 * Copies the live rows of a model, from files to tables of the same schema, in one transaction as a rebuild does.
 * @returns seconds, without those of writing the files
 */
export async function copyRowsOnce(database: Database, model: Model): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-bench-rows-'));
  const session = await openSession(database);
  try {
    const live = await liveBuild(session, model.name);
    if (!live) throw new Error(`no build of ${model.name} is live`);
    const file = (table: string): string => join(folder, table);
    for (const { name } of model.tables)
      await pipeline(
        session.query(copyTo(`COPY ${live.name}.${name} TO STDOUT WITH (FORMAT binary)`)),
        createWriteStream(file(name)),
      );
    await session.query('CHECKPOINT');
    const build = await createBuild(session, model);
    const started = performance.now();
    await ownTransaction(database, async (client) => {
      const filling = await Filling.begin(client, model, build);
      for (const { name } of model.tables) {
        const target = client.query(copyFrom(`COPY ${build.name}.${name} FROM STDIN WITH (FORMAT binary, FREEZE)`));
        await pipeline(createReadStream(file(name), { highWaterMark: CHUNK }), target);
      }
      await filling.createIndexes();
    });
    const seconds = (performance.now() - started) / 1_000;
    await session.query(`DELETE FROM projector.builds WHERE name = $1`, [build.name]);
    await session.query(`DROP SCHEMA ${build.name} CASCADE`);
    return seconds;
  } finally {
    await session.end();
    await rm(folder, { recursive: true, force: true });
  }
}
