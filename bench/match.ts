/** Matching: stories a second after a short and a long history, and how long a matcher takes to start on a long one. */
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { startChild } from './child.ts';
import { figureOf, median } from './figure.ts';

const SHORT = 10_000;
const LONG = 1_000_000;

const Matched = z.object({ perSecond: z.number(), megabytes: z.number(), held: z.int() });
const Started = z.object({ seconds: z.number(), held: z.int() });

async function lineOf<Line>(file: string, words: readonly string[], line: z.ZodType<Line>): Promise<Line> {
  const child = startChild(file, words, line);
  const lines: Line[] = [];
  for await (const told of child.lines) lines.push(told);
  await child.ended();
  const [last] = lines.slice(-1);
  if (!last) throw new Error(`${file} said nothing`);
  return last;
}

export const matching: Bench = {
  name: 'match',
  async run({ history, rounds, tell }) {
    const [short, long]: [z.infer<typeof Matched>[], z.infer<typeof Matched>[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      tell(`matching after ${SHORT} and after ${LONG} signals, round ${round}`);
      short.push(await lineOf('match-process.ts', [String(SHORT)], Matched));
      long.push(await lineOf('match-process.ts', [String(LONG)], Matched));
    }
    const perSecond = (all: typeof short): number => median(all.map((one) => one.perSecond));
    const { url } = await history();
    const start = await lineOf('match-start-process.ts', [url], Started);
    return [
      figureOf({
        figure: 'stories matched, a long history',
        unit: 'stories/s',
        measured: perSecond(long),
        baseline: { what: `after ${SHORT} signals`, measured: perSecond(short) },
        limit: { of: 'measured', at: 'least', value: 3_000 },
      }),
      figureOf({
        figure: 'cost of a story, a long history',
        unit: 'µs',
        measured: 1e6 / perSecond(long),
        baseline: { what: `after ${SHORT} signals`, measured: 1e6 / perSecond(short) },
        limit: { of: 'ratio', at: 'most', value: 1.2 },
      }),
      figureOf({
        figure: 'memory of a matcher, a long history',
        unit: 'MB',
        measured: median(long.map(({ megabytes }) => megabytes)),
      }),
      figureOf({ figure: `start of a matcher (${start.held} signals held)`, unit: 's', measured: start.seconds }),
    ];
  },
};
