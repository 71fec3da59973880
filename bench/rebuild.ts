/** Rebuilding the feed from its history: how fast, and in how much memory. */
import { readModels } from '../projector/models/index.ts';
import type { Bench } from './bench.ts';
import { copyRowsOnce } from './copy-rows.ts';
import { figureOf, median } from './figure.ts';
import { type Rebuilt, rebuildOnce } from './rebuild-once.ts';

const MEGABYTE = 1_048_576;

/** How much memory grew: the median of the last quarter over that of the second one, when everything is warm. */
function growth({ samples }: Rebuilt): number {
  const quarter = Math.floor(samples.length / 4);
  return median(samples.slice(3 * quarter)) / median(samples.slice(quarter, 2 * quarter));
}

export const rebuild: Bench = {
  name: 'rebuild',
  async run({ events, rounds, history, tell }) {
    const { url, database } = await history();
    const model = readModels({ baseUrl: 'http://localhost:8080' }).find(({ name }) => name === 'signals');
    if (!model) throw new Error('there is no model of signals');
    const rebuilt: Rebuilt[] = [];
    const copied: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      await database.query('CHECKPOINT');
      const one = await rebuildOnce(url, model.name);
      rebuilt.push(one);
      copied.push(await copyRowsOnce(database, model));
      tell(
        `  rebuilt in ${one.folding_seconds.toFixed(1)} + ${one.indexing_seconds.toFixed(1)} s (folding + indexes),`,
      );
      tell(`  its rows copied in ${copied.at(-1)?.toFixed(1)} s`);
    }
    const perSecond = (seconds: number): number => events / seconds;
    const speed = perSecond(median(rebuilt.map(({ seconds }) => seconds)));
    const copy = perSecond(median(copied));
    const peak = Math.max(...rebuilt.map(({ peak_bytes }) => peak_bytes)) / MEGABYTE;
    return [
      figureOf({
        figure: 'signal events rebuilt',
        unit: 'events/s',
        measured: speed,
        limit: { of: 'measured', at: 'least', value: 60_000 },
      }),
      figureOf({
        figure: 'the same, beside COPY of the final rows',
        unit: 'events/s',
        measured: speed,
        baseline: { what: 'COPY, indexes at the end', measured: copy },
        limit: { of: 'ratio', at: 'least', value: 0.4 },
      }),
      figureOf({
        figure: 'memory of a rebuild, peak',
        unit: 'MB',
        measured: peak,
        limit: { of: 'measured', at: 'most', value: 300 },
      }),
      figureOf({
        figure: 'memory of a rebuild, end over beginning',
        unit: 'times',
        measured: median(rebuilt.map(growth)),
        limit: { of: 'measured', at: 'most', value: 1.1 },
      }),
    ];
  },
};
