/** The API under 64 connections, keyed and counted, against a bare route that sends the same bytes. */
import autocannon from 'autocannon';
import { z } from 'zod';
import { type Bench, type Figure, figureOf, median, startChild } from './bench.ts';
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
    },
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} calls failed`);
  return { perSecond: result.requests.average, median: result.latency.p50, p99: result.latency.p99 };
}

export const api: Bench = {
  name: 'api',
  async run({ history, rounds, log }) {
    const { url, database } = await history();
    log('  a rebuild first, so that there is something to read');
    await rebuildOnce(url, 'signals');
    log('  accounts and keys');
    const child = startChild('api-process.ts', [url], Served);
    const { value: served } = await child.lines[Symbol.asyncIterator]().next();
    if (!served) throw new Error('the server did not start');
    const { port, bare_port, keys, details } = served as Served;
    const figures: Figure[] = [];
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
          figure: `${name}, keyed and counted`,
          unit: '/s',
          measured: middle(ours, 'perSecond'),
          baseline: { what: 'bare route, one SELECT', measured: middle(bare, 'perSecond') },
          limit: { of: 'ratio', at: 'least', value: 0.6 },
        }),
        figureOf({
          figure: `bare route for ${name}, p99 against its median`,
          unit: 'ms',
          measured: middle(bare, 'p99'),
          baseline: { what: 'its median', measured: middle(bare, 'median') },
        }),
        figureOf({
          figure: `${name}, p99 against its median`,
          unit: 'ms',
          measured: middle(ours, 'p99'),
          baseline: { what: 'its median', measured: middle(ours, 'median') },
          limit: { of: 'ratio', at: 'most', value: 3 },
        }),
      );
    }
    child.process.kill('SIGTERM');
    await child.ended();
    return figures;
  },
};
