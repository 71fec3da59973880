/** Pages next to the API routes and tools that answer the same, read in turn. */
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { migrateAccess, openAccess } from '../access/access.ts';
import { toolCalls } from '../access/quota/tool-calls.ts';
import { describeApi } from '../api/description/document.ts';
import { buildServer } from '../api/server.ts';
import { openDatabase } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { mcpSurface } from '../mcp/mcp-surface.ts';
import { createNameLookup } from '../mcp/tool.ts';
import { readModels } from '../projector/models/all-read-models.ts';
import { countFacets } from '../projector/models/signal-filter-queries.ts';
import { prepareReadModels } from '../projector/promote-build.ts';
import { CatalogueFile } from '../schemas/catalogue.ts';
import type { BoundFilter } from '../schemas/signal-filter.ts';
import { COUNTED } from '../web/facets.ts';
import { sitePages } from '../web/pages.ts';
import { type Bench, type Figure, figureOf, issueKeys, median, quantile, startChild } from './bench.ts';
import { type Chance, CITIES, chance, QUARTER, seedEvents, signalHistory } from './generated-history.ts';
import { isToolAnswer, type ToolCall, toolRequest } from './mcp-bench.ts';
import { rebuildOnce } from './rebuild-bench.ts';

export const ServedPages = z.object({
  port: z.int(),
  keys: z.array(z.string()),
  /** Slugs. */
  signals: z.array(z.string()),
  brands: z.array(z.string()),
  groups: z.array(z.string()),
  cities: z.array(z.object({ slug: z.string(), name: z.string() })),
});
export type ServedPages = z.infer<typeof ServedPages>;

interface Pair {
  readonly name: string;
  readonly page: (call: number) => string;
  /** The path of the route, or the call of the tool. */
  readonly baseline: (call: number) => string | ToolCall;
}

const nth =
  <One>(list: readonly One[], otherwise: One) =>
  (call: number): One =>
    list[call % list.length] ?? otherwise;

/** Each asks for another name at every call. */
function pairsOf({ signals, brands, groups, cities }: ServedPages): Pair[] {
  const [signal, brand, group] = [nth(signals, ''), nth(brands, ''), nth(groups, '')];
  const city = nth(cities, { slug: '', name: '' });
  const five = (call: number): string => Array.from({ length: 5 }, (_, n) => brand(call * 5 + n)).join(',');
  const quarter = QUARTER.replace(' ', '+');
  return [
    { name: '/', page: () => '/', baseline: () => '/api/v1/signals?limit=20' },
    {
      name: '/signal/{slug}',
      page: (call) => `/signal/${signal(call)}`,
      baseline: (call) => `/api/v1/signals/${signal(call)}`,
    },
    {
      name: '/brand/{slug}',
      page: (call) => `/brand/${brand(call)}`,
      baseline: (call) => `/api/v1/brands/${brand(call)}`,
    },
    { name: '/watch', page: (call) => `/watch?b=${five(call)}`, baseline: (call) => `/api/v1/watch?b=${five(call)}` },
    { name: '/brief', page: () => '/brief', baseline: () => '/api/v1/brief' },
    {
      name: '/city/{slug}',
      page: (call) => `/city/${city(call).slug}`,
      baseline: (call) => ({ tool: 'get_expansion_map', args: { city: city(call).name, days: 90, limit: 15 } }),
    },
    {
      name: '/map',
      page: () => '/map',
      baseline: () => ({ tool: 'get_expansion_map', args: { days: 90, limit: 15 } }),
    },
    { name: '/people', page: () => '/people', baseline: () => ({ tool: 'get_leadership_moves', args: { days: 90 } }) },
    {
      name: '/group/{slug}',
      page: (call) => `/group/${group(call)}?quarter=${quarter}`,
      baseline: (call) => ({ tool: 'get_group', args: { group: group(call), quarter: QUARTER } }),
    },
  ];
}

const CALLS = 400;
const WARM_CALLS = 60;
/** Read models that the pages below are made of. */
const MODELS = ['signals', 'brands', 'search', 'openings', 'appointments', 'results'];

/** Milliseconds of each call, one after the other; the baseline of a page is keyed and counted. */
async function timesOf({ port, keys }: ServedPages, calls: number, ask: Pair['baseline']): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const asked = ask(call);
    const key = keys[call % keys.length] ?? '';
    const [path, request] =
      typeof asked === 'string'
        ? [asked, { headers: asked.startsWith('/api/') ? { 'x-api-key': key } : { accept: 'text/html' } }]
        : ['/mcp', toolRequest(asked, call, key)];
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
    const text = await answer.text();
    times.push(performance.now() - began);
    if (answer.status !== 200 || (typeof asked !== 'string' && !isToolAnswer(text)))
      throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 300)}`);
  }
  return times;
}

/** Pictures that were never requested before, one after the other. */
async function cardFigure(served: ServedPages): Promise<Figure> {
  const path = (call: number): string => `/card/signal/${served.signals[call % served.signals.length]}.png`;
  const first = await timesOf(served, Math.min(CALLS, served.signals.length), path);
  return figureOf({
    figure: 'picture of a signal, not cached, p95',
    unit: 'ms',
    measured: quantile(first, 0.95),
  });
}

export const pages: Bench = {
  name: 'pages',
  async run({ history, rounds, log }) {
    const { url, database } = await history();
    log(`  rebuilds first: ${MODELS.join(', ')}`);
    for (const model of MODELS) await rebuildOnce(url, model);
    const child = startChild('pages-bench.ts', [url], ServedPages);
    const { value } = await child.lines[Symbol.asyncIterator]().next();
    if (!value) throw new Error('the server did not start');
    const served = value as ServedPages;
    const figures: Figure[] = [];
    for (const { name, page, baseline } of pairsOf(served)) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        await database.query('DELETE FROM access.quota_window');
        await timesOf(served, WARM_CALLS, page);
        await timesOf(served, WARM_CALLS, baseline);
        ours.push(quantile(await timesOf(served, CALLS, page), 0.95));
        theirs.push(quantile(await timesOf(served, CALLS, baseline), 0.95));
      }
      const asked = baseline(0);
      figures.push(
        figureOf({
          figure: `page ${name}, p95 against the API or tool`,
          unit: 'ms',
          measured: median(ours),
          baseline: {
            what:
              typeof asked === 'string' ? 'the route, keyed and counted' : `the tool ${asked.tool}, keyed and counted`,
            measured: median(theirs),
          },
          limit: { of: 'ratio', at: 'most', value: 3 },
        }),
      );
    }
    figures.push(await cardFigure(served));
    child.process.kill('SIGTERM');
    await child.ended();
    return figures;
  },
};

/** So many events make 100,000 public signals. */
const FACET_EVENTS = 265_000;
const FACET_CALLS = 300;
const FACET_MILLISECONDS = 150;

/** Filters as readers set them, none of them twice in a row. */
const filtersOf = (brands: readonly string[], until: Date): ((draw: Chance) => BoundFilter)[] => {
  const [first = '', ...others] = brands;
  const brand = (draw: Chance): string => draw.one([first, ...others]);
  const city = (draw: Chance): string => draw.one(['Pune', 'Mumbai', 'Bengaluru', 'Jaipur']);
  const kind = (draw: Chance): string => draw.one(['stores', 'deals', 'results', 'people']);
  const since = (days: number): string => new Date(until.getTime() - days * 86_400_000).toISOString();
  return [
    () => ({}),
    (draw) => ({ only: { kind: [kind(draw)] } }),
    (draw) => ({ only: { brand: [brand(draw)] } }),
    (draw) => ({ only: { kind: [kind(draw)], city: [city(draw)] }, since: since(30) }),
    (draw) => ({ only: { city: [city(draw)], outlet: ['Daily Trade'] }, without: { brand: [brand(draw)] } }),
    (draw) => ({ without: { outlet: ['Retail Post'], kind: [kind(draw)] }, since: since(365) }),
    (draw) => ({ only: { theme: ['funding'], brand: [brand(draw), brand(draw)] }, outlets: 2 }),
    (draw) => ({ words: 'festive demand', only: { kind: [kind(draw)] } }),
    (draw) => ({ words: `stores ${city(draw)}`, since: since(90) }),
  ];
};

/** The counts next to the filters of a page. */
export const facets: Bench = {
  name: 'facets',
  async run({ empty, log }) {
    const { url, database } = await empty();
    log('  writing 100,000 signals and their facets');
    await seedEvents(database, signalHistory(FACET_EVENTS));
    for (const model of ['signals', 'search']) await rebuildOnce(url, model);
    await database.query('VACUUM ANALYZE');
    const { rows } = await database.query<{ signals: number; until: Date }>(
      'SELECT count(*)::int AS signals, max(published_at) AS until FROM read.signal_facets',
    );
    const [{ signals, until } = { signals: 0, until: new Date(0) }] = rows;
    log(`  ${signals} public signals`);
    const { rows: named } = await database.query<{ brand: string }>(
      'SELECT brand FROM read.signal_brands GROUP BY brand ORDER BY count(*) DESC LIMIT $1',
      [NAMES],
    );
    const filters = filtersOf(
      named.map(({ brand }) => brand),
      until,
    );
    const draw = chance(11);
    const times: number[] = [];
    const byFilter = filters.map((): number[] => []);
    for (let call = 0; call < FACET_CALLS + filters.length; call++) {
      const nth = call % filters.length;
      const filter = filters[nth]?.(draw) ?? {};
      const began = performance.now();
      await countFacets(database, filter, { ...COUNTED, now: until });
      if (call < filters.length) continue;
      times.push(performance.now() - began);
      byFilter[nth]?.push(performance.now() - began);
    }
    log(`  medians by filter: ${byFilter.map((own) => `${median(own).toFixed(0)} ms`).join(', ')}`);
    return [
      figureOf({
        figure: `counts next to the filters, ${signals} signals, p95`,
        unit: 'ms',
        measured: quantile(times, 0.95),
        limit: { of: 'measured', at: 'most', value: FACET_MILLISECONDS },
      }),
    ];
  },
};

/** A key each for so many calls that no minute is full. */
const ACCOUNTS = 400;
const NAMES = 100;
/** Companies of a group. */
const MEMBERS = 20;
const BASE_URL = 'http://localhost:8080';

/** The server that the bench of the pages reads: pages and API in one process, as of the end of the history. */
async function serve([url = '']: readonly string[]): Promise<void> {
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
    'SELECT brand, max(name) AS name FROM read.signal_brands GROUP BY brand ORDER BY count(*) DESC LIMIT $1',
    [NAMES],
  );
  /** The most reported brands in groups, and the cities of the history in places of their own. */
  const catalogue = CatalogueFile.parse({
    sources: ['made up'],
    brands: reported.map(({ brand, name }) => ({ slug: brand, name, category: 'other' })),
    groups: Array.from({ length: NAMES / MEMBERS }, (_, n) => ({
      slug: `group-${n}`,
      name: `Group ${n}`,
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
}

if (import.meta.main) await serve(process.argv.slice(2));
