/** Searches, filtered lists and counts on PostgreSQL and on OpenSearch, over the same 100,000 signals. */
import { z } from 'zod';
import { query } from '../log/postgres/database.ts';
import { postgresEventStore } from '../log/postgres/postgres-event-store.ts';
import { runSearchIndex } from '../projector/index-signals.ts';
import { liveBuild } from '../projector/model-builds.ts';
import { SEARCH_INDEX } from '../projector/model-progress.ts';
import { openSearchServer, openSearchSignals } from '../projector/models/opensearch-queries.ts';
import { postgresSearch, type SignalSearch } from '../projector/models/search-queries.ts';
import { startOpenSearch } from '../test/harness/opensearch.ts';
import { COUNTED } from '../web/facets.ts';
import { type Bench, type Figure, figureOf, type Given, median, quantile } from './bench.ts';
import { type Chance, chance, seedEvents, signalHistory } from './generated-history.ts';
import { FACET_EVENTS, filtersOf, NAMES } from './pages-bench.ts';
import { rebuildOnce } from './rebuild-bench.ts';

const CALLS = 300;
const LIMIT = 20;

/** What is timed, by name. Each is asked of both in turn, with the same values. */
const askedOf = (
  brands: readonly string[],
  until: Date,
): Record<string, (draw: Chance) => (search: SignalSearch) => Promise<unknown>> => {
  const filters = filtersOf(brands, until);
  // The first three are lists of one kind or brand, which PostgreSQL reads off one index in both.
  const filterOf = (draw: Chance) => draw.one([filters[3] ?? (() => ({})), ...filters.slice(4)])(draw);
  const words = (draw: Chance): string => {
    const brand = draw.one([brands[0] ?? '', ...brands]).replaceAll('-', ' ');
    return draw.one([brand, `${brand} stores`, 'festive demand', `stores ${draw.one(['Pune', 'Jaipur'])}`]);
  };
  return {
    'search by words, the best 20': (draw) => {
      const text = words(draw);
      return (search) => search.search({ text, limit: LIMIT });
    },
    'list by several filters, 20': (draw) => {
      const filter = filterOf(draw);
      return (search) => search.list({ ...filter, limit: LIMIT });
    },
    'list by salience, 20': (draw) => {
      const filter = filterOf(draw);
      return (search) => search.list({ ...filter, sort: 'salience', limit: LIMIT });
    },
    'counts next to the filters': (draw) => {
      const filter = filterOf(draw);
      return (search) => search.facets(filter, { ...COUNTED, now: until });
    },
  };
};

/** Fills the index as a projector does. @returns seconds, and bytes of the index */
async function fill(url: string, { database }: Given): Promise<{ seconds: number; bytes: number }> {
  const controller = new AbortController();
  const store = postgresEventStore(database);
  const quiet = { info: () => undefined, warn: () => undefined, error: console.error };
  const began = performance.now();
  const running = runSearchIndex({
    settings: { SEARCH_URL: url },
    store,
    database,
    logger: quiet,
    signal: controller.signal,
  });
  while (!(await liveBuild(database, SEARCH_INDEX))) await new Promise((resolve) => setTimeout(resolve, 50));
  const seconds = (performance.now() - began) / 1_000;
  controller.abort();
  await running;
  await store.close();
  const { client, alias } = openSearchServer({ SEARCH_URL: url }, 60_000);
  await client.indices.flush({ index: alias });
  const { body } = await client.indices.stats({ index: alias, metric: ['store'] });
  await client.close();
  const Stats = z.object({
    _all: z.object({ primaries: z.object({ store: z.object({ size_in_bytes: z.number() }) }) }),
  });
  return { seconds, bytes: Stats.parse(body)._all.primaries.store.size_in_bytes };
}

/** Bytes that PostgreSQL has for the same: the tables of search and facets with their indexes. */
const bytesInPostgres = async ({ database }: Given): Promise<number> =>
  (
    await query(
      database,
      `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM projector.builds b
       JOIN pg_namespace n ON n.nspname = b.name JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
       WHERE b.model IN ('search', 'facets') AND b.state = 'live'`,
      [],
      z.object({ bytes: z.number() }),
    )
  )[0]?.bytes ?? Number.NaN;

export const searching: Bench = {
  name: 'search',
  async run({ empty, log }) {
    const server = await startOpenSearch(log);
    if ('missing' in server) {
      log(`  not measured: ${server.missing}`);
      return [];
    }
    try {
      const given = await empty();
      const { database, url } = given;
      log('  writing 100,000 signals and their read models');
      await seedEvents(database, signalHistory(FACET_EVENTS));
      for (const model of ['signals', 'facets', 'search']) await rebuildOnce(url, model);
      await database.query('VACUUM ANALYZE');
      const [known] = await query(
        database,
        `SELECT count(*)::int AS signals, max(published_at) AS until, (SELECT array_agg(brand) FROM (SELECT brand
           FROM read.signal_brands GROUP BY brand ORDER BY count(*) DESC LIMIT ${NAMES}) AS most) AS brands
         FROM read.signal_facets`,
        [],
        z.object({ signals: z.int(), until: z.date(), brands: z.array(z.string()) }),
      );
      if (!known) throw new Error('no signals were written');
      const { signals, until, brands } = known;
      const { seconds, bytes } = await fill(server.url, given);
      log(`  ${signals} public signals, indexed in ${seconds.toFixed(1)} s`);
      const one = openSearchSignals({ SEARCH_URL: server.url }, database, () => until);
      const figures: Figure[] = [
        figureOf({ figure: 'signals indexed by OpenSearch', unit: 'per second', measured: signals / seconds }),
        figureOf({
          figure: 'index of OpenSearch',
          unit: 'bytes per signal',
          measured: bytes / signals,
          baseline: { what: 'tables and indexes of PostgreSQL', measured: (await bytesInPostgres(given)) / signals },
        }),
      ];
      for (const [name, ask] of Object.entries(askedOf(brands, until))) {
        const draw = chance(5);
        const times = { postgres: [] as number[], opensearch: [] as number[] };
        for (let call = 0; call < 2 * CALLS; call++) {
          const asked = ask(draw);
          for (const [own, search] of [
            [times.postgres, postgresSearch(database)],
            [times.opensearch, one],
          ] as const) {
            const began = performance.now();
            await asked(search);
            // The first half warms the Java machine.
            if (call >= CALLS) own.push(performance.now() - began);
          }
        }
        log(`  ${name}: medians ${median(times.opensearch).toFixed(1)} and ${median(times.postgres).toFixed(1)} ms`);
        figures.push(
          figureOf({
            figure: `${name}, p95`,
            unit: 'ms',
            measured: quantile(times.opensearch, 0.95),
            baseline: { what: 'PostgreSQL', measured: quantile(times.postgres, 0.95) },
          }),
        );
      }
      await one.close();
      return figures;
    } finally {
      await server.stop();
    }
  },
};
