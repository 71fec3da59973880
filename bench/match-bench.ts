/** Matching: stories a second after a short and a long history, and how long a matcher takes to start on a long one. */
import { z } from 'zod';
import { type Bench, figureOf, median, startChild } from './bench.ts';

const SHORT = 10_000;
const LONG = 1_000_000;
/** Signals in memory when the index is searched: few of the history, so that nearly every story asks the index. */
const HELD = 5_000;

const Matched = z.object({ perSecond: z.number(), megabytes: z.number(), held: z.int() });
const Started = z.object({
  indexing: z.number(),
  seconds: z.number(),
  held: z.int(),
  indexed: z.int(),
  bytes: z.number(),
  perSecond: z.number(),
  microseconds: z.number(),
});

async function lineOf<Line>(file: string, words: readonly string[], line: z.ZodType<Line>): Promise<Line> {
  const child = startChild(file, words, line);
  const lines: Line[] = [];
  for await (const line of child.lines) lines.push(line);
  await child.ended();
  const [last] = lines.slice(-1);
  if (!last) throw new Error(`${file} said nothing`);
  return last;
}

export const matching: Bench = {
  name: 'match',
  async run({ history, events, rounds, log }) {
    const [short, long]: [z.infer<typeof Matched>[], z.infer<typeof Matched>[]] = [[], []];
    for (let round = 1; round <= rounds; round++) {
      log(`matching after ${SHORT} and after ${LONG} signals, round ${round}`);
      short.push(await lineOf('match-process.ts', [String(SHORT)], Matched));
      long.push(await lineOf('match-process.ts', [String(LONG)], Matched));
    }
    const perSecond = (all: typeof short): number => median(all.map((one) => one.perSecond));
    const { url } = await history();
    log(`indexing the signals of ${events} events, and searching the index`);
    const start = await lineOf('match-start-process.ts', [url, String(events), String(HELD)], Started);
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
      figureOf({
        figure: `stories matched, ${start.held} of ${start.indexed} signals in memory (${Math.round(start.microseconds)} µs of the matcher each)`,
        unit: 'stories/s',
        measured: start.perSecond,
      }),
      figureOf({ figure: 'size of the index', unit: 'bytes/signal', measured: start.bytes / start.indexed }),
      figureOf({ figure: 'making the index from the event store', unit: 's', measured: start.indexing }),
      figureOf({ figure: `start of a matcher (${start.held} signals held)`, unit: 's', measured: start.seconds }),
    ];
  },
};
