/** `npm run soak`: the whole service under steady calls for half an hour; exit code 1 when its memory grows. */
import { Command, InvalidArgumentError } from 'commander';
import { pause } from '../../log/backoff.ts';
import { figureOf, tableOf } from '../bench.ts';
import { startCallers } from './soak-callers.ts';
import { judge, type Sample, startService } from './soak-service.ts';

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('it must be a number above 0');
  return value;
};

const { minutes, calls, every, json } = new Command('soak')
  .description('runs `clarity up` on the demo newsroom under steady calls and judges whether memory is flat (Linux)')
  .option('--minutes <number>', 'how long', positive, 30)
  .option('--calls <number>', 'calls a second to API, pages, MCP and questions together', positive, 4)
  .option('--every <seconds>', 'time between two samples of memory', positive, 5)
  .option('--json', 'print JSON with every sample instead of a table')
  .parse()
  .opts<{ minutes: number; calls: number; every: number; json?: boolean }>();

/** Of the calls seven in fifteen carry a key, and the minute of an account has room for 60. */
const accountsFor = (perSecond: number): number => Math.ceil((perSecond * 60 * 7) / 15 / 40);
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0).padStart(4);

const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
const service = await startService();
const samples: Sample[] = [];
const callers = startCallers(service.url, await service.keys(accountsFor(calls)), calls);
const begun = performance.now();
let logged = 0;
for (let sample = 1; performance.now() - begun < minutes * 60_000 && !stopping.signal.aborted; sample++) {
  await pause(Math.max(0, begun + sample * every * 1_000 - performance.now()), stopping.signal);
  if (service.process.exitCode !== null || service.process.signalCode !== null) {
    log('the service ended by itself');
    break;
  }
  const memory = await service.memory().catch((error: unknown) => log(`no sample: ${error}`));
  if (!memory) continue;
  const at = performance.now() - begun;
  samples.push({ at, ...memory });
  if (at / 60_000 < logged) continue;
  logged = Math.floor(at / 60_000) + 1;
  const { resident, heap, postgres, shared, backends } = memory;
  log(
    `${String(logged - 1).padStart(3)} min: resident ${megabytes(resident)} MB, heap ${megabytes(heap)} MB, PostgreSQL ` +
      `${megabytes(postgres)} MB in ${backends} processes and ${megabytes(shared)} MB shared`,
  );
}
await callers.stop();
const code = await service.stop();
const figures = [
  ...judge(samples),
  figureOf({
    figure: 'calls that failed or got no answer',
    unit: '',
    measured: callers.wrong.length,
    limit: { of: 'measured', at: 'most', value: 0 },
  }),
  figureOf({
    figure: 'exit code after SIGTERM',
    unit: '',
    measured: code ?? Number.NaN,
    limit: { of: 'measured', at: 'most', value: 0 },
  }),
];
const answers = Object.fromEntries([...callers.answers].toSorted());
log(
  Object.entries(answers)
    .map(([name, many]) => `${many} ${name}`)
    .join(', '),
);
for (const line of callers.wrong) log(line);
process.stdout.write(
  json
    ? `${JSON.stringify({ minutes, calls, answers, wrong: callers.wrong, figures, samples }, null, 2)}\n`
    : `${tableOf(figures)}\n`,
);
if (figures.some(({ ok }) => !ok)) process.exitCode = 1;
