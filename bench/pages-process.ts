/** The server that the bench of the pages reads: pages and API in one process, as of the end of the history. */
import type { AddressInfo } from 'node:net';
import { openAccess } from '../access/access.ts';
import { migrateAccess } from '../access/access-tables.ts';
import { toolCalls } from '../access/quota/tool-calls.ts';
import { describeApi } from '../api/description/document.ts';
import { buildServer } from '../api/server.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { mcpSurface } from '../mcp/mcp-surface.ts';
import { createNameLookup } from '../mcp/tool.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { CatalogueFile } from '../schemas/catalogue.ts';
import { sitePages } from '../web/pages.ts';
import { CITIES } from './generated-history.ts';
import { issueKeys } from './issue-keys.ts';
import type { ServedPages } from './pages-bench.ts';

/** A key each for so many calls that no minute is full. */
const ACCOUNTS = 400;
const NAMES = 100;
/** Companies of a group. */
const MEMBERS = 20;
const BASE_URL = 'http://localhost:8080';

const [url = ''] = process.argv.slice(2);
const database = openDatabase(url, { name: 'bench pages', max: 16 });
const store = postgresEventStore(database);
await migrateAccess(database);
await prepareReadModels(database, readModels({ baseUrl: BASE_URL }));
const keys = await issueKeys(database, store, ACCOUNTS);

const { rows: newest } = await database.query<{ slug: string; published_at: Date }>(
  `SELECT slug, published_at FROM read.signals WHERE status = 'public' ORDER BY published_at DESC LIMIT $1`,
  [NAMES],
);
const { rows: reported } = await database.query<{ brand: string; name: string }>(
  'SELECT brand, max(name) AS name FROM read.brand_stories GROUP BY brand ORDER BY count(*) DESC LIMIT $1',
  [NAMES],
);
/** The most reported brands in groups, and the cities of the history in places of their own. */
const catalogue = CatalogueFile.parse({
  sources: ['made up'],
  brands: reported.map(({ brand, name }) => ({ slug: brand, name, category: 'other' })),
  groups: Array.from({ length: NAMES / MEMBERS }, (_, n) => ({
    ...{ slug: `group-${n}`, name: `Group ${n}` },
    members: reported.slice(n * MEMBERS, (n + 1) * MEMBERS).map(({ brand }) => brand),
  })),
  cities: CITIES.map((name, n) => ({ name, state: 'A state', latitude: 12 + n, longitude: 74 + n })),
});
const known = createNameLookup(catalogue);
// The history lies in the past: readers look at it as of its end.
const end = new Date((newest[0]?.published_at.getTime() ?? 0) + 60_000);
const now = (): Date => end;
/** Pages are counted as in service; the limit is one that a bench does not reach. */
const configuration = { BASE_URL, HOST: '127.0.0.1', TRUST_PROXY: undefined, PAGE_LIMIT: 1_000_000 };
const access = openAccess({ database, configuration });
const { directory, gazetteer } = known;
const shown = sitePages({
  database,
  store,
  access,
  configuration,
  directory,
  gazetteer,
  demo: false,
  now,
  describeApi,
});
const tools = mcpSurface({
  context: { ...known, database, baseUrl: BASE_URL, now },
  identify: access.identify,
  calls: toolCalls(database, []),
  signIn: { kind: 'off', why: 'a bench' },
});
const surfaces = [...shown.surfaces, tools];
const server = await buildServer({ database, store, directory, access, configuration, now, ...shown, surfaces });
await server.listen({ port: 0, host: '127.0.0.1' });
const { port } = server.server.address() as AddressInfo;
const served: ServedPages = {
  port,
  keys,
  signals: newest.map(({ slug }) => slug),
  brands: reported.map(({ brand }) => brand),
  groups: catalogue.groups.map(({ slug }) => slug),
  cities: directory.cities.map(({ slug, name }) => ({ slug, name })),
};
process.once('SIGTERM', async () => {
  await Promise.all([server.close(), store.close()]);
  await database.end();
});
process.stdout.write(`${JSON.stringify(served)}\n`);
