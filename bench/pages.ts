/** Pages beside the API routes that tell the same, read in turn. */
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { startChild } from './child.ts';
import { type Figure, figureOf, median, quantile } from './figure.ts';
import { rebuildOnce } from './rebuild-once.ts';

const CALLS = 400;
const WARM_CALLS = 60;
/** Read models that the pages below are made of. */
const MODELS = ['signals', 'brands', 'themes'];

const ServedPages = z.object({
  port: z.int(),
  keys: z.array(z.string()),
  /** Slugs. */
  signals: z.array(z.string()),
  brands: z.array(z.string()),
});
export type ServedPages = z.infer<typeof ServedPages>;

interface Pair {
  readonly name: string;
  readonly page: (call: number) => string;
  readonly route: (call: number) => string;
}

const pairsOf = ({ signals, brands }: ServedPages): Pair[] => {
  const signal = (call: number): string => signals[call % signals.length] ?? '';
  const brand = (call: number): string => brands[call % brands.length] ?? '';
  const five = (call: number): string => Array.from({ length: 5 }, (_, n) => brand(call * 5 + n)).join(',');
  return [
    { name: '/', page: () => '/', route: () => '/api/v1/signals?limit=20' },
    {
      name: '/signal/{slug}',
      page: (call) => `/signal/${signal(call)}`,
      route: (call) => `/api/v1/signals/${signal(call)}`,
    },
    {
      name: '/brand/{slug}',
      page: (call) => `/brand/${brand(call)}`,
      route: (call) => `/api/v1/brands/${brand(call)}`,
    },
    { name: '/watch', page: (call) => `/watch?b=${five(call)}`, route: (call) => `/api/v1/watch?b=${five(call)}` },
    { name: '/brief', page: () => '/brief', route: () => '/api/v1/brief' },
  ];
};

/** Milliseconds of each call, one after the other. */
async function timesOf(
  served: ServedPages,
  calls: number,
  path: (call: number) => string,
  headers: (call: number) => Record<string, string>,
): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${served.port}${path(call)}`, { headers: headers(call) });
    await answer.text();
    times.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${path(call)} answered ${answer.status}`);
  }
  return times;
}

export const pages: Bench = {
  name: 'pages',
  async run({ history, rounds, tell }) {
    const { url, database } = await history();
    tell(`  rebuilds first: ${MODELS.join(', ')}`);
    for (const model of MODELS) await rebuildOnce(url, model);
    const child = startChild('pages-process.ts', [url], ServedPages);
    const { value } = await child.lines[Symbol.asyncIterator]().next();
    if (!value) throw new Error('the server did not start');
    const served = value as ServedPages;
    const reader = (): Record<string, string> => ({ accept: 'text/html' });
    const caller = (call: number): Record<string, string> => ({
      'x-api-key': served.keys[call % served.keys.length] ?? '',
    });
    const figures: Figure[] = [];
    for (const { name, page, route } of pairsOf(served)) {
      const [ours, beside]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        await database.query('DELETE FROM access.quota_window');
        await timesOf(served, WARM_CALLS, page, reader);
        await timesOf(served, WARM_CALLS, route, caller);
        ours.push(quantile(await timesOf(served, CALLS, page, reader), 0.95));
        beside.push(quantile(await timesOf(served, CALLS, route, caller), 0.95));
      }
      figures.push(
        figureOf({
          figure: `page ${name}, p95 beside its API route`,
          unit: 'ms',
          measured: median(ours),
          baseline: { what: 'the route, keyed and counted', measured: median(beside) },
          limit: { of: 'ratio', at: 'most', value: 3 },
        }),
      );
    }
    child.process.kill('SIGTERM');
    await child.ended();
    return figures;
  },
};
