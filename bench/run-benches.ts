/** `npm run bench`: measures how fast the service is, against baselines of the same run. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Database, migrateLog, openDatabase } from '../log/postgres/database.ts';
import { startEmbeddedPostgres } from '../log/postgres/embedded/embedded-postgres.ts';
import { api } from './api-bench.ts';
import { appends } from './appends-bench.ts';
import { asking } from './ask-bench.ts';
import { type Bench, type Context, endChildren, type Figure, type Given, tableOf } from './bench.ts';
import { cadence } from './cadence-bench.ts';
import { keptApart } from './events-bench.ts';
import { freshModels } from './fresh-models-bench.ts';
import { seedEvents, signalHistory } from './generated-history.ts';
import { matching } from './match-bench.ts';
import { mcp } from './mcp-bench.ts';
import { facets, pages } from './pages-bench.ts';
import { paint } from './paint-bench.ts';
import { reads } from './reads-bench.ts';
import { rebuild } from './rebuild-bench.ts';
import { understanding } from './understand-bench.ts';
import { visible } from './visible-bench.ts';

/** Starts PostgreSQL and hands it to `use`; stops it and removes its data whatever happens. */
async function withContext(
  options: Pick<Context, 'events' | 'rounds' | 'log'>,
  use: (context: Context) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clarity-bench-'));
  // As root PostgreSQL runs as another user, which has to get in.
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ dataDir: folder });
  const admin = openDatabase(server.url, { max: 1, name: 'bench' });
  const opened: Database[] = [admin];

  const empty = async (): Promise<Given> => {
    const name = `bench_${opened.length}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    const database = openDatabase(url, { name: 'bench' });
    opened.push(database);
    await migrateLog(database);
    return { url, database };
  };

  let seeded: Promise<Given> | undefined;
  const seed = async (): Promise<Given> => {
    const given = await empty();
    options.log(`writing ${options.events} events`);
    await seedEvents(given.database, signalHistory(options.events));
    return given;
  };

  try {
    await use({ ...options, empty, history: () => (seeded ??= seed()) });
  } finally {
    for (const database of opened) await database.end();
    await server.stop();
    for (const path of [folder, server.dataDir]) await rm(path, { recursive: true, force: true });
  }
}

const BENCHES: readonly Bench[] = [
  appends,
  visible,
  rebuild,
  freshModels,
  reads,
  matching,
  keptApart,
  api,
  pages,
  paint,
  facets,
  mcp,
  understanding,
  asking,
  cadence,
];
const names = BENCHES.map(({ name }) => name).join(', ');

const wholeNumber = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('it must be a whole number above 0');
  return value;
};

const options = new Command('bench')
  .description('measures the speed of the service; exit code 1 when a limit is missed')
  .argument('[names...]', `which benches, all when none is named: ${names}`)
  .option('--events <number>', 'events of the history that is rebuilt', wholeNumber, 1_000_000)
  .option('--rounds <number>', 'repetitions of each measurement, the median is reported', wholeNumber, 3)
  .option('--json', 'print JSON instead of a table')
  .parse();
const { events, rounds, json } = options.opts<{
  events: number;
  rounds: number;
  json?: boolean;
}>();
for (const name of options.args)
  if (!BENCHES.some((bench) => bench.name === name)) options.error(`there is no bench "${name}"; there are ${names}`);

const figures: (Figure & { bench: string })[] = [];
const log = (line: string): void => void process.stderr.write(`${line}\n`);
process.once('exit', endChildren);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
await withContext({ events, rounds, log }, async (context) => {
  for (const bench of BENCHES) {
    if (options.args.length > 0 && !options.args.includes(bench.name)) continue;
    log(`${bench.name} …`);
    const measured = await bench.run(context).finally(endChildren);
    for (const figure of measured) figures.push({ bench: bench.name, ...figure });
  }
});
process.stdout.write(json ? `${JSON.stringify({ events, rounds, figures }, null, 2)}\n` : `${tableOf(figures)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;
