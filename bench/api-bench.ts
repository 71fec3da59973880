/** The API under 64 connections, keyed and counted, against a bare route that sends the same bytes. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { migrateAccess, openAccess } from '../access/access.ts';
import { buildServer } from '../api/server.ts';
import type { EventStore } from '../log/event-store.ts';
import { type Database, openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import {
  type Bench,
  type Context,
  type Figure,
  figureOf,
  type Given,
  issueKeys,
  median,
  quantile,
  startChild,
} from './bench.ts';
import { rebuildOnce } from './rebuild-bench.ts';

const CONNECTIONS = 64;
const SECONDS = 8;
const WARM_SECONDS = 2;

const Served = z.object({
  port: z.int(),
  bare_port: z.int(),
  keys: z.array(z.string()),
  /** Paths of single signals. */
  details: z.array(z.string()),
});
export type Served = z.infer<typeof Served>;

interface Run {
  readonly perSecond: number;
  readonly median: number;
  readonly p99: number;
}

/** Calls the paths with the keys in turn, every connection from another place of both lists. */
async function call(port: number, paths: readonly string[], keys: readonly string[], seconds: number): Promise<Run> {
  let connection = 0;
  // autocannon's own quantiles are whole milliseconds, of which a median has few.
  const times: number[] = [];
  const refused = new Map<number, { count: number; body: string }>();
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient(client) {
      const own = connection++;
      const requests = keys.flatMap((key, number) => {
        const path = paths[number % paths.length];
        return number % CONNECTIONS === own ? [{ path, headers: { 'x-api-key': key } }] : [];
      });
      client.setRequests(requests);
      let body = '';
      client.on('body', (bytes) => {
        body = String(bytes);
      });
      client.on('response', (status, _bytes, milliseconds) => {
        times.push(milliseconds);
        if (status >= 200 && status < 300) return;
        refused.set(status, { body, count: (refused.get(status)?.count ?? 0) + 1 });
      });
    },
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) {
    const answers = [...refused].map(
      ([status, { count, body: one }]) => `${count} answered ${status}: ${one.slice(0, 300)}`,
    );
    throw new Error(
      [
        `${failed} of ${result.requests.sent} calls failed`,
        ...answers,
        `${result.errors} connections failed, ${result.timeouts} calls timed out`,
      ].join('\n'),
    );
  }
  return { perSecond: result.requests.average, median: median(times), p99: quantile(times, 0.99) };
}

/** API processes that share a port and its connections. */
const PROCESSES = [1, 4] as const;

/** Measures both routes against the bare one. @param processes that answer */
async function measure(
  { rounds }: Pick<Context, 'rounds'>,
  { url, database }: Given,
  processes: (typeof PROCESSES)[number],
): Promise<Figure[]> {
  const child = startChild('api-bench.ts', [url, String(processes)], Served);
  const { value: served } = await child.lines[Symbol.asyncIterator]().next();
  if (!served) throw new Error('the server did not start');
  const { port, bare_port, keys, details } = served as Served;
  const figures: Figure[] = [];
  const by = processes === 1 ? '' : `, ${processes} processes`;
  for (const [name, paths] of [
    ['/signals?limit=20', ['/api/v1/signals?limit=20']],
    ['/signals/{slug}', details],
  ] as const) {
    const [ours, bare]: [Run[], Run[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      // So many calls of one key would fill its minute, were they not forgotten.
      await database.query('DELETE FROM access.quota_window');
      // The first calls warm up compilers and caches, and begin the windows.
      for (const one of [bare_port, port]) await call(one, paths, keys, WARM_SECONDS);
      bare.push(await call(bare_port, paths, keys, SECONDS));
      ours.push(await call(port, paths, keys, SECONDS));
    }
    const middle = (runs: readonly Run[], of: keyof Run): number => median(runs.map((run) => run[of]));
    figures.push(
      figureOf({
        figure: `${name}, keyed and counted${by}`,
        unit: '/s',
        measured: middle(ours, 'perSecond'),
        baseline: { what: 'bare route, one SELECT', measured: middle(bare, 'perSecond') },
        limit: { of: 'ratio', at: 'least', value: 0.75 },
      }),
      figureOf({
        figure: `bare route for ${name}, p99 against its median${by}`,
        unit: 'ms',
        measured: middle(bare, 'p99'),
        baseline: { what: 'its median', measured: middle(bare, 'median') },
      }),
      figureOf({
        figure: `${name}, p99 against its median${by}`,
        unit: 'ms',
        measured: middle(ours, 'p99'),
        baseline: { what: 'its median', measured: middle(ours, 'median') },
        limit: { of: 'ratio', at: 'most', value: 2.5 },
      }),
    );
  }
  child.process.kill('SIGTERM');
  await child.ended();
  return figures;
}

export const api: Bench = {
  name: 'api',
  async run(context) {
    const given = await context.history();
    context.log('  a rebuild first, so that there is something to read');
    await rebuildOnce(given.url, 'signals');
    const figures: Figure[] = [];
    for (const processes of PROCESSES) {
      context.log(`  accounts, keys and ${processes} API processes`);
      figures.push(...(await measure(context, given, processes)));
    }
    return figures;
  },
};

const ACCOUNTS = 3_000;
const SLUGS = 1_000;
const BASE_URL = 'http://localhost:8080';
const LIST = '/api/v1/signals?limit=20';

const Ports = z.object({ port: z.int(), bare_port: z.int() });

/** One API process, and next to it a bare route that sends the same bytes from one SELECT on the same pool. */
async function serve(url: string): Promise<void> {
  const database = openDatabase(url, { name: 'bench api', max: 16 });
  const store = postgresEventStore(database);
  const access = openAccess({ database, configuration: { BASE_URL } });
  const server = await buildServer({ database, store, access, configuration: { BASE_URL, TRUST_PROXY: undefined } });
  const bare = Fastify();
  const select = { name: 'bench_answer', text: 'SELECT body FROM bench_answer WHERE path = $1' };
  bare.get('/*', async (request, reply) => {
    const { rows } = await database.query<{ body: string }>({ ...select, values: [request.url] });
    return reply.type('application/json; charset=utf-8').send(rows[0]?.body);
  });
  const portOf = async (one: FastifyInstance): Promise<number> => {
    // Processes of a cluster that listen on port 0 share the port that the first of them was given.
    await one.listen({ port: 0, host: '127.0.0.1' });
    return (one.server.address() as AddressInfo).port;
  };
  process.once('SIGTERM', async () => {
    await Promise.all([server.close(), bare.close(), store.close()]);
    await database.end();
    process.exit();
  });
  process.send?.({ port: await portOf(server), bare_port: await portOf(bare) });
}

/** Keeps answers of the service as they are, for the bare route. @returns the paths of single signals */
async function keepAnswers(database: Database, store: EventStore, key: string): Promise<string[]> {
  const access = openAccess({ database, configuration: { BASE_URL } });
  const server = await buildServer({ database, store, access, configuration: { BASE_URL, TRUST_PROXY: undefined } });
  const { rows } = await database.query<{ slug: string }>(
    `SELECT slug FROM read.signals WHERE status = 'public' ORDER BY key LIMIT $1`,
    [SLUGS],
  );
  const details = rows.map(({ slug }) => `/api/v1/signals/${slug}`);
  await database.query('CREATE TABLE IF NOT EXISTS bench_answer (path text PRIMARY KEY, body text NOT NULL)');
  for (const path of [LIST, ...details]) {
    const answer = await server.inject({ url: path, headers: { 'x-api-key': key } });
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${answer.body}`);
    await database.query('INSERT INTO bench_answer VALUES ($1, $2) ON CONFLICT DO NOTHING', [path, answer.body]);
    await database.query('DELETE FROM access.quota_window');
  }
  await server.close();
  return details;
}

/** Prepares the database, starts the processes, and prints where they are called and by whom. */
async function serveAll([url = '', processes = '1']: readonly string[]): Promise<void> {
  const database = openDatabase(url, { name: 'bench api' });
  const store = postgresEventStore(database);
  await migrateAccess(database);
  await prepareReadModels(database, readModels({ baseUrl: BASE_URL }));
  const keys = await issueKeys(database, store, ACCOUNTS);
  const details = await keepAnswers(database, store, keys[0] ?? '');
  await store.close();
  await database.end();
  const workers = Array.from({ length: Number(processes) }, () => cluster.fork());
  process.once('SIGTERM', () => {
    for (const worker of workers) worker.process.kill('SIGTERM');
  });
  const [ports] = await Promise.all(workers.map(async (worker) => Ports.parse((await once(worker, 'message'))[0])));
  if (!ports) throw new Error('no process was asked for');
  process.stdout.write(`${JSON.stringify({ ...ports, keys, details } satisfies Served)}\n`);
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  if (cluster.isPrimary) await serveAll(words);
  else await serve(words[0] ?? '');
}
