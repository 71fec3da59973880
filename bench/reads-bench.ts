/** Readers of the feed while it is rebuilt next to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Bench, figureOf, median, quantile, startChild } from './bench.ts';
import { rebuildOnce } from './rebuild-bench.ts';

const QUIET_MILLISECONDS = 10_000;

const Read = z.object({ at: z.number(), milliseconds: z.number() });
export type Read = z.infer<typeof Read>;

interface Span {
  readonly from: number;
  readonly to: number;
}

async function spanOf(work: () => Promise<unknown>): Promise<Span> {
  const from = Date.now();
  await work();
  return { from, to: Date.now() };
}

export const reads: Bench = {
  name: 'reads',
  async run({ history, rounds, log }) {
    const { url } = await history();
    log('  a rebuild first, so that there is something to read');
    await rebuildOnce(url, 'signals');
    const reader = startChild('reads-process.ts', [url], Read);
    const taken: Read[] = [];
    const reading = (async () => {
      for await (const read of reader.lines) taken.push(read);
    })();
    // The first reads open connections and load the tables.
    await sleep(QUIET_MILLISECONDS / 2);
    const [quiet, busy]: [Span[], Span[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      quiet.push(await spanOf(() => sleep(QUIET_MILLISECONDS)));
      busy.push(await spanOf(() => rebuildOnce(url, 'signals')));
    }
    reader.process.kill('SIGTERM');
    await reading;
    await reader.ended();
    const p99 = ({ from, to }: Span): number =>
      quantile(
        taken.filter(({ at }) => at >= from && at <= to).map(({ milliseconds }) => milliseconds),
        0.99,
      );
    return [
      figureOf({
        figure: 'reads during a rebuild, p99',
        unit: 'ms',
        measured: median(busy.map(p99)),
        baseline: { what: 'without one', measured: median(quiet.map(p99)) },
        limit: { of: 'ratio', at: 'most', value: 1.5 },
      }),
    ];
  },
};
