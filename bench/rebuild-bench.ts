/** Rebuilding the feed from its history: speed and memory, against COPY of the final rows. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import { keepHeapOfRebuildsSmall } from '../bin/supervise.ts';
import { type Database, openDatabase, query } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../log/postgres/topics/postgres-topics.ts';
import { createBuild, liveBuild, openSession, STEPS } from '../projector/model-builds.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import type { Model } from '../projector/read-model.ts';
import { replay } from '../projector/rebuild/replay-model.ts';
import { type Bench, figureOf, median, startChild } from './bench.ts';

const Sample = z.object({ resident_bytes: z.number() });
const Outcome = z.object({
  folding_seconds: z.number(),
  indexing_seconds: z.number(),
  peak_bytes: z.number(),
});
const Line = z.union([Sample, Outcome]);
export type RebuildLine = z.infer<typeof Line>;

interface Rebuilt {
  /** From the first event to the swap of the readers' views. */
  readonly seconds: number;
  readonly folding_seconds: number;
  readonly indexing_seconds: number;
  readonly peak_bytes: number;
  /** Resident memory every 100 ms. */
  readonly samples: readonly number[];
}

/** Rebuilds a model and swaps it in. */
export async function rebuildOnce(url: string, model: string): Promise<Rebuilt> {
  const child = startChild('rebuild-bench.ts', [url, model], Line);
  const samples: number[] = [];
  let outcome: z.infer<typeof Outcome> | undefined;
  for await (const line of child.lines)
    if ('resident_bytes' in line) samples.push(line.resident_bytes);
    else outcome = line;
  await child.ended();
  if (!outcome) throw new Error('the rebuild ended without an outcome');
  return { ...outcome, seconds: outcome.folding_seconds + outcome.indexing_seconds, samples };
}

const CHUNK = 256 * 1024;
const Statement = z.object({ statement: z.string() });

/**
 * Copies the live rows of a model, from files to tables of the same schema, which get the keys, indexes and statistics of a
 * rebuild.
 * @returns seconds, without those of writing the files
 */
async function copyRowsOnce(database: Database, model: Model): Promise<number> {
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
    const statements = await query(
      session,
      `SELECT statement FROM ${build.name}.${STEPS} ORDER BY number`,
      [],
      Statement,
    );
    const started = performance.now();
    await session.query('BEGIN');
    // Frozen, and with `wal_level = minimal` past the write-ahead log: what COPY can do at best.
    await session.query(`TRUNCATE ${model.tables.map(({ name }) => `${build.name}.${name}`)}`);
    await session.query(`SET LOCAL backend_flush_after = '2MB'`);
    await session.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    await session.query('SET LOCAL max_parallel_maintenance_workers = 0');
    for (const { name } of model.tables) {
      const target = session.query(copyFrom(`COPY ${build.name}.${name} FROM STDIN WITH (FORMAT binary, FREEZE)`));
      await pipeline(createReadStream(file(name), { highWaterMark: CHUNK }), target);
    }
    await session.query(`SET LOCAL search_path TO ${build.name}`);
    for (const { statement } of statements) await session.query(statement);
    for (const { name } of model.tables) await session.query(`ANALYZE ${name}`);
    await session.query('COMMIT');
    const seconds = (performance.now() - started) / 1_000;
    await session.query(`DELETE FROM projector.builds WHERE name = $1`, [build.name]);
    await session.query(`DROP SCHEMA ${build.name} CASCADE`);
    return seconds;
  } finally {
    await session.end();
    await rm(folder, { recursive: true, force: true });
  }
}

const MEGABYTE = 1_048_576;

/** How much memory grew: the median of the last quarter over that of the second one, when everything is warm. */
function growth({ samples }: Rebuilt): number {
  const quarter = Math.floor(samples.length / 4);
  return median(samples.slice(3 * quarter)) / median(samples.slice(quarter, 2 * quarter));
}

export const rebuild: Bench = {
  name: 'rebuild',
  async run({ events, rounds, history, log }) {
    const { url, database } = await history();
    const model = readModels({ baseUrl: 'http://localhost:8080' }).find(({ name }) => name === 'signals');
    if (!model) throw new Error('there is no model of signals');
    const rebuilt: Rebuilt[] = [];
    const copied: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      await database.query('CHECKPOINT');
      const one = await rebuildOnce(url, model.name);
      rebuilt.push(one);
      copied.push(await copyRowsOnce(database, model));
      log(
        `  rebuilt in ${one.folding_seconds.toFixed(1)} + ${one.indexing_seconds.toFixed(1)} s (folding + indexes), ` +
          `${(one.peak_bytes / MEGABYTE).toFixed(0)} MB, its rows copied in ${copied.at(-1)?.toFixed(1)} s`,
      );
    }
    const perSecond = (seconds: number): number => events / seconds;
    const speed = perSecond(median(rebuilt.map(({ seconds }) => seconds)));
    const copy = perSecond(median(copied));
    const peak = Math.max(...rebuilt.map(({ peak_bytes }) => peak_bytes)) / MEGABYTE;
    return [
      figureOf({
        figure: 'signal events rebuilt',
        unit: 'events/s',
        measured: speed,
        limit: { of: 'measured', at: 'least', value: 60_000 },
      }),
      figureOf({
        figure: 'the same, against COPY of the final rows',
        unit: 'events/s',
        measured: speed,
        baseline: { what: 'COPY, indexes at the end', measured: copy },
        limit: { of: 'ratio', at: 'least', value: 0.5 },
      }),
      figureOf({
        figure: 'memory of a rebuild, peak',
        unit: 'MB',
        measured: peak,
        limit: { of: 'measured', at: 'most', value: 300 },
      }),
      figureOf({
        figure: 'memory of a rebuild, end over beginning',
        unit: 'times',
        measured: median(rebuilt.map(growth)),
        limit: { of: 'measured', at: 'most', value: 1.1 },
      }),
    ];
  },
};

const SAMPLE_MILLISECONDS = 100;

/** The process that the bench of rebuilding watches: one read model replayed and swapped in, as `clarity replay` does. */
async function replayOnce([url = '', name = '']: readonly string[]): Promise<void> {
  keepHeapOfRebuildsSmall();
  const database = openDatabase(url, { name: 'bench rebuild' });
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  const models = readModels({ baseUrl: 'http://localhost:8080' });
  const model = models.find((one) => one.name === name);
  if (!model) throw new Error(`no read model is called ${name}`);
  await prepareReadModels(database, models);

  const write = (line: RebuildLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const sample = setInterval(() => write({ resident_bytes: process.memoryUsage.rss() }), SAMPLE_MILLISECONDS);
  const quiet = (): undefined => undefined;
  const logger = { info: quiet, warn: quiet, error: quiet };
  const started = performance.now();
  let folded = started;
  await replay({
    model,
    database,
    store,
    topics,
    logger,
    clock: () => new Date(),
    signal: new AbortController().signal,
    onProgress: ({ phase }) => {
      if (phase === 'indexing') folded = performance.now();
    },
  });
  const ended = performance.now();
  clearInterval(sample);
  write({
    folding_seconds: (folded - started) / 1_000,
    indexing_seconds: (ended - folded) / 1_000,
    peak_bytes: process.resourceUsage().maxRSS * 1_024,
  });
  await Promise.all([store.close(), topics.close()]);
  await database.end();
}

if (import.meta.main) await replayOnce(process.argv.slice(2));
