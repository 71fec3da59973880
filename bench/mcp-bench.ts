import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { migrateAccess, openAccess } from '../access/access.ts';
import { toolCalls } from '../access/quota/tool-calls.ts';
import { buildServer } from '../api/server.ts';
import { type Database, openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { mcpSurface } from '../mcp/mcp-surface.ts';
import { createNameLookup } from '../mcp/tool.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { BrandSlug } from '../schemas/scalar.ts';
import { type Bench, figureOf, issueKeys, median, quantile, startChild } from './bench.ts';
import { rebuildOnce } from './rebuild-bench.ts';

/** A tool call as a client of the present protocol sends it. */
const REVISION = '2026-07-28';

export interface ToolCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

const CLIENT = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What `fetch` takes to make it at `/mcp`. @param id of the call, among those of the client */
export const toolRequest = ({ tool, args }: ToolCall, id: number, key: string) => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': tool,
    'x-api-key': key,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: tool, arguments: args, _meta: CLIENT },
  }),
});

/** True for an answer that holds what was asked for. */
export const isToolAnswer = (text: string): boolean =>
  text.includes('"structuredContent"') && !text.includes('"isError":true');

const CALLS = 400;
const WARM_CALLS = 40;
/** A key's minute is full after 60 calls: they are forgotten before. */
const FORGET_EVERY = 25;

const McpServed = z.object({
  port: z.int(),
  key: z.string(),
  brands: z.array(z.string()),
  signals: z.array(z.string()),
});
export type McpServed = z.infer<typeof McpServed>;

interface Pair {
  readonly tool: string;
  /** Arguments of the n-th call, and the path that answers the same. */
  readonly args: (number: number) => Record<string, unknown>;
  readonly path: (number: number) => string;
}

function pairsOf({ brands, signals }: McpServed): readonly Pair[] {
  const brand = (number: number): string => brands[number % brands.length] ?? '';
  const signal = (number: number): string => signals[number % signals.length] ?? '';
  return [
    { tool: 'latest_moves', args: () => ({ limit: 10 }), path: () => '/api/v1/signals?limit=10' },
    {
      tool: 'get_signal',
      args: (number) => ({ id_or_slug: signal(number) }),
      path: (number) => `/api/v1/signals/${signal(number)}`,
    },
    {
      tool: 'brand_profile',
      args: (number) => ({ brand: brand(number) }),
      path: (number) => `/api/v1/brands/${brand(number)}`,
    },
    {
      tool: 'compare_brands',
      args: (number) => ({ brands: [brand(number), brand(number + 1)], days: 30 }),
      path: (number) => `/api/v1/watch?b=${brand(number)},${brand(number + 1)}&days=30`,
    },
    { tool: 'daily_brief', args: () => ({ hours: 24 }), path: () => '/api/v1/brief?hours=24' },
  ];
}

/** Milliseconds until the answer is there, whole. */
async function timed(ask: () => Promise<Response>, good: (text: string) => boolean): Promise<number> {
  const begun = performance.now();
  const answer = await ask();
  const text = await answer.text();
  const taken = performance.now() - begun;
  if (!answer.ok || !good(text)) throw new Error(`answered ${answer.status}: ${text.slice(0, 500)}`);
  return taken;
}

/** The 95th percentile of each side; the sides take turns, so that what disturbs one disturbs the other. */
async function measure(served: McpServed, pair: Pair, database: Database): Promise<{ tool: number; rest: number }> {
  const { port, key } = served;
  const address = `http://127.0.0.1:${port}`;
  const [tool, rest]: [number[], number[]] = [[], []];
  for (let number = 0; number < WARM_CALLS + CALLS; number++) {
    if (number % FORGET_EVERY === 0) await database.query('DELETE FROM access.quota_window');
    const request = toolRequest({ tool: pair.tool, args: pair.args(number) }, number, key);
    const asTool = await timed(() => fetch(`${address}/mcp`, request), isToolAnswer);
    const asRest = await timed(
      () => fetch(`${address}${pair.path(number)}`, { headers: { 'x-api-key': key } }),
      () => true,
    );
    if (number < WARM_CALLS) continue;
    tool.push(asTool);
    rest.push(asRest);
  }
  return { tool: quantile(tool, 0.95), rest: quantile(rest, 0.95) };
}

export const mcp: Bench = {
  name: 'mcp',
  async run({ history, rounds, log }) {
    const { url, database } = await history();
    log('  rebuilds first, so that there is something to read');
    for (const model of ['signals', 'brands']) await rebuildOnce(url, model);
    const child = startChild('mcp-bench.ts', [url], McpServed);
    const { value: served } = await child.lines[Symbol.asyncIterator]().next();
    if (!served) throw new Error('the server did not start');
    const figures = [];
    for (const pair of pairsOf(served as McpServed)) {
      const runs = [];
      for (let round = 1; round <= rounds; round++) runs.push(await measure(served as McpServed, pair, database));
      figures.push(
        figureOf({
          figure: `tool call ${pair.tool}, p95`,
          unit: 'ms',
          measured: median(runs.map((run) => run.tool)),
          baseline: { what: 'its REST call', measured: median(runs.map((run) => run.rest)) },
          limit: { of: 'ratio', at: 'most', value: 2 },
        }),
      );
    }
    child.process.kill('SIGTERM');
    await child.ended();
    return figures;
  },
};

const BASE_URL = 'http://localhost:8080';
const BRANDS = 50;
const SLUGS = 200;

/** The server that the bench of MCP calls: the API and MCP on one port, over the same queries. */
async function serve([url = '']: readonly string[]): Promise<void> {
  const database = openDatabase(url, { name: 'bench mcp', max: 16 });
  const store = postgresEventStore(database);
  await migrateAccess(database);
  await prepareReadModels(database, readModels({ baseUrl: BASE_URL }));
  const [key = ''] = await issueKeys(database, store, 1);

  const { rows: brands } = await database.query<{ slug: string; name: string }>(
    `SELECT brand AS slug, max(name) AS name FROM read.signal_brands GROUP BY brand ORDER BY count(*) DESC LIMIT $1`,
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
      slug: BrandSlug.parse(slug),
      name,
      aliases: [],
      legal_names: [],
      category: 'other' as const,
      kind: 'brand' as const,
      common_word: false,
      context: [],
      not_context: [],
    })),
    themes: [],
    groups: [],
    cities: [],
    malls: [],
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
}

if (import.meta.main) await serve(process.argv.slice(2));
