/** The server that the bench of MCP calls: the API and MCP on one port, over the same queries. */
import type { AddressInfo } from 'node:net';
import { openAccess } from '../access/access.ts';
import { migrateAccess } from '../access/access-tables.ts';
import { toolCalls } from '../access/quota/tool-calls.ts';
import { buildServer } from '../api/server.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { mcpSurface } from '../mcp/mcp-surface.ts';
import { createNameLookup } from '../mcp/tool.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { issueKeys } from './issue-keys.ts';
import type { McpServed } from './mcp-bench.ts';

const BASE_URL = 'http://localhost:8080';
const BRANDS = 50;
const SLUGS = 200;

const [url = ''] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench mcp', max: 16 });
const store = postgresEventStore(database);
await migrateAccess(database);
await prepareReadModels(database, readModels({ baseUrl: BASE_URL }));
const [key = ''] = await issueKeys(database, store, 1);

const { rows: brands } = await database.query<{ slug: string; name: string }>(
  `SELECT brand AS slug, max(name) AS name FROM read.brand_stories GROUP BY brand ORDER BY count(*) DESC LIMIT $1`,
  [BRANDS],
);
const { rows: signals } = await database.query<{ slug: string; newest: Date }>(
  `SELECT slug, max(published_at) OVER () AS newest FROM read.signals WHERE status = 'public'
   ORDER BY published_at DESC LIMIT $1`,
  [SLUGS],
);
// The history has a time of its own: the day of its newest signal is today.
const newest = signals[0]?.newest ?? new Date();
const now = (): Date => new Date(newest.getTime() + 60_000);
const known = createNameLookup({
  brands: brands.map(({ slug, name }) => ({
    ...{ slug, name, aliases: [], legal_names: [], category: 'other' as const, kind: 'brand' as const },
    ...{ common_word: false, context: [], not_context: [] },
  })),
  ...{ themes: [], groups: [], cities: [], malls: [] },
});
const configuration = { BASE_URL, TRUST_PROXY: undefined };
const access = openAccess({ database, configuration });
const surface = mcpSurface({
  context: { ...known, database, baseUrl: BASE_URL, now },
  identify: access.identify,
  calls: toolCalls(database, []),
  signIn: { kind: 'off', why: 'a bench' },
});
const { directory } = known;
const server = await buildServer({ database, store, directory, access, configuration, now, surfaces: [surface] });
await server.listen({ port: 0, host: '127.0.0.1' });
const served: McpServed = {
  port: (server.server.address() as AddressInfo).port,
  key,
  brands: brands.map(({ slug }) => slug),
  signals: signals.map(({ slug }) => slug),
};
process.once('SIGTERM', async () => {
  await Promise.all([server.close(), store.close()]);
  await database.end();
});
process.stdout.write(`${JSON.stringify(served)}\n`);
