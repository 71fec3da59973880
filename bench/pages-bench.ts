/** Pages next to the API routes and tools that answer the same, read in turn. */
import { z } from 'zod';
import { type Bench, type Figure, figureOf, median, quantile, startChild } from './bench.ts';
import { QUARTER } from './generated-history.ts';
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
const MODELS = ['signals', 'brands', 'themes', 'search', 'openings', 'appointments', 'results'];

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
    const child = startChild('pages-process.ts', [url], ServedPages);
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
