/** `npm run bench`: measures how fast the service is, against baselines of the same run. */
import { Command, InvalidArgumentError } from 'commander';
import { api } from './api.ts';
import { appends } from './appends.ts';
import { asking } from './ask.ts';
import type { Bench } from './bench.ts';
import { cadence } from './cadence.ts';
import { withContext } from './context.ts';
import type { Figure } from './figure.ts';
import { freshModels } from './fresh-models.ts';
import { matching } from './match.ts';
import { mcp } from './mcp.ts';
import { pages } from './pages.ts';
import { reading } from './reading.ts';
import { reads } from './reads.ts';
import { rebuild } from './rebuild.ts';
import { scaling } from './scale.ts';
import { tableOf } from './table.ts';
import { tracing } from './tracing.ts';
import { understanding } from './understand.ts';
import { visible } from './visible.ts';

const BENCHES: readonly Bench[] = [
  appends,
  visible,
  rebuild,
  freshModels,
  reads,
  matching,
  scaling,
  api,
  pages,
  mcp,
  reading,
  understanding,
  asking,
  tracing,
  cadence,
];
const names = BENCHES.map(({ name }) => name).join(', ');

const wholeNumber = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('it must be a whole number above 0');
  return value;
};

const options = new Command('bench')
  .description('measures the speed of the service; exit code 1 when a limit is missed')
  .argument('[names...]', `which benches, all when none is named: ${names}`)
  .option('--events <number>', 'events of the history that is rebuilt', wholeNumber, 1_000_000)
  .option('--rounds <number>', 'repetitions of each measurement, the median is told', wholeNumber, 3)
  .option('--arrivals <file>', 'for cadence: real arrival times, JSON lines of {"source", "at"}')
  .option('--json', 'print JSON instead of a table')
  .parse();
const { events, rounds, arrivals, json } = options.opts<{
  events: number;
  rounds: number;
  arrivals?: string;
  json?: boolean;
}>();
for (const name of options.args)
  if (!BENCHES.some((bench) => bench.name === name)) options.error(`there is no bench "${name}"; there are ${names}`);

const figures: (Figure & { bench: string })[] = [];
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
await withContext({ events, rounds, arrivals, tell }, async (context) => {
  for (const bench of BENCHES) {
    if (options.args.length > 0 && !options.args.includes(bench.name)) continue;
    tell(`${bench.name} …`);
    for (const figure of await bench.run(context)) figures.push({ bench: bench.name, ...figure });
  }
});
process.stdout.write(json ? `${JSON.stringify({ events, rounds, figures }, null, 2)}\n` : `${tableOf(figures)}\n`);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;
