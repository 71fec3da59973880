/** Pages beside the API routes and tools that tell the same, read in turn. */
import type { Bench } from './bench.ts';
import { startChild } from './child.ts';
import { type Figure, figureOf, median, quantile } from './figure.ts';
import { type Pair, pairsOf, ServedPages } from './page-pairs.ts';
import { rebuildOnce } from './rebuild-once.ts';
import { isToolAnswer, toolRequest } from './tool-request.ts';

const CALLS = 400;
const WARM_CALLS = 60;
/** Read models that the pages below are made of. */
const MODELS = ['signals', 'brands', 'themes', 'search', 'openings', 'appointments', 'results'];

/** Milliseconds of each call, one after the other; what is asked beside a page is keyed and counted. */
async function timesOf({ port, keys }: ServedPages, calls: number, ask: Pair['beside']): Promise<number[]> {
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

/** Pictures that nobody has asked for before, one after the other. */
async function cardFigure(served: ServedPages): Promise<Figure> {
  const path = (call: number): string => `/card/signal/${served.signals[call % served.signals.length]}.png`;
  const first = await timesOf(served, Math.min(CALLS, served.signals.length), path);
  return figureOf({
    figure: 'picture of a signal, made anew, p95',
    unit: 'ms',
    measured: quantile(first, 0.95),
  });
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
    const figures: Figure[] = [];
    for (const { name, page, beside } of pairsOf(served)) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 1; round <= rounds; round++) {
        await database.query('DELETE FROM access.quota_window');
        await timesOf(served, WARM_CALLS, page);
        await timesOf(served, WARM_CALLS, beside);
        ours.push(quantile(await timesOf(served, CALLS, page), 0.95));
        theirs.push(quantile(await timesOf(served, CALLS, beside), 0.95));
      }
      const asked = beside(0);
      figures.push(
        figureOf({
          figure: `page ${name}, p95 beside what tells the same`,
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
