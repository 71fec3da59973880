/** The server that the bench of the API calls, and next to it a bare route that sends the same bytes from one SELECT. */
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { openAccess } from '../access/access.ts';
import { migrateAccess } from '../access/access-tables.ts';
import { buildServer } from '../api/server.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import type { Served } from './api-bench.ts';
import { issueKeys } from './issue-keys.ts';

const ACCOUNTS = 3_000;
const SLUGS = 1_000;
const BASE_URL = 'http://localhost:8080';

const [url = ''] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench api', max: 16 });
const store = postgresEventStore(database);
await migrateAccess(database);
await prepareReadModels(database, readModels({ baseUrl: BASE_URL }));

/** Answers of the service as they are, kept for the bare route. */
async function keepAnswers(server: FastifyInstance, paths: readonly string[], key: string): Promise<void> {
  await database.query('CREATE TABLE IF NOT EXISTS bench_answer (path text PRIMARY KEY, body text NOT NULL)');
  for (const path of paths) {
    const answer = await server.inject({ url: path, headers: { 'x-api-key': key } });
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${answer.body}`);
    await database.query('INSERT INTO bench_answer VALUES ($1, $2) ON CONFLICT DO NOTHING', [path, answer.body]);
    await database.query('DELETE FROM access.quota_window');
  }
}

function bareServer(): FastifyInstance {
  const server = Fastify();
  const select = { name: 'bench_answer', text: 'SELECT body FROM bench_answer WHERE path = $1' };
  server.get('/*', async (request, reply) => {
    const { rows } = await database.query<{ body: string }>({ ...select, values: [request.url] });
    return reply.type('application/json; charset=utf-8').send(rows[0]?.body);
  });
  return server;
}

const portOf = async (server: FastifyInstance): Promise<number> => {
  await server.listen({ port: 0, host: '127.0.0.1' });
  return (server.server.address() as AddressInfo).port;
};

const keys = await issueKeys(database, store, ACCOUNTS);
const { rows } = await database.query<{ slug: string }>(
  `SELECT slug FROM read.signals WHERE status = 'public' ORDER BY key LIMIT $1`,
  [SLUGS],
);
const details = rows.map(({ slug }) => `/api/v1/signals/${slug}`);
const access = openAccess({ database, configuration: { BASE_URL } });
const server = await buildServer({ database, store, access, configuration: { BASE_URL, TRUST_PROXY: undefined } });
const bare = bareServer();
await keepAnswers(server, ['/api/v1/signals?limit=20', ...details], keys[0] ?? '');
const served: Served = { port: await portOf(server), bare_port: await portOf(bare), keys, details };
process.once('SIGTERM', async () => {
  await Promise.all([server.close(), bare.close(), store.close()]);
  await database.end();
});
process.stdout.write(`${JSON.stringify(served)}\n`);
