/** `npm run scale-model`: prints what a service of some size needs, and the plans of deploy/SCALING.md. */
import { Command, InvalidArgumentError } from 'commander';
import { type Costs, costsOf, readRecorded } from './recorded-figures.ts';
import { AIM, type Assumptions, type Model, scaleModel, short } from './scale-formulas.ts';

/** A model as text: a line each with its formula and measurements, then the limits. */
export function modelText({ lines, limits }: Model): string {
  const rows = lines.map(({ part, name, value, unit, formula, measured }) =>
    [
      `${part}: ${name}`.padEnd(46),
      `${short(value)} ${unit}`.padEnd(24),
      `${formula}${measured.length > 0 ? `; ${measured.join('; ')}` : ''}`,
    ].join(''),
  );
  const first = limits.map(({ name, factor, formula, remedy }) =>
    [
      name.padEnd(46),
      `at ${short(factor)} x${factor < 1 ? ', NOW' : ''}`.padEnd(24),
      `${formula}; then: ${remedy}`,
    ].join(''),
  );
  return [...rows, '', 'What breaks first, when everything grows by so much:', ...first].join('\n');
}

/** The plans of deploy/SCALING.md. */
export const PLANS: readonly { readonly name: string; readonly given: Assumptions }[] = [
  {
    name: '1,000 sources',
    given: { ...AIM, sources: 1_000, items: 25_000, reads: 10, accounts: 1_000, signals: 1_000_000, cores: 2 },
  },
  {
    name: '10,000 sources',
    given: { ...AIM, sources: 10_000, items: 250_000, reads: 100, accounts: 10_000, signals: 10_000_000, cores: 4 },
  },
  { name: '100,000 sources', given: { ...AIM, items: 2_500_000, reads: 1_000, accounts: 100_000 } },
  { name: 'the aim', given: AIM },
];

/** Rows of the table of plans; `|` between the columns. */
export function planTable(costs: Costs): string {
  const models = PLANS.map(({ given }) => scaleModel(given, costs));
  const of =
    (part: string, name: string) =>
    (model: Model): string =>
      short(model.lines.find((one) => one.part === part && one.name === name)?.value ?? Number.NaN);
  const limit =
    (nth: number) =>
    ({ limits }: Model): string =>
      `${limits[nth]?.name} (${short(limits[nth]?.factor ?? 0)} x)`;
  const rows: [string, (model: Model) => string][] = [
    ['polls per second, busiest hour', of('load', 'polls, busiest hour')],
    ['items per second, peak', of('load', 'items, peak')],
    ['stories per second, peak', of('load', 'stories, peak')],
    ...(['poll', 'understand', 'match', 'project', 'api'] as const).map((name): [string, (model: Model) => string] => [
      `\`${name}\`, processes`,
      of('processes', name),
    ]),
    ['cores of PostgreSQL', of('cores', 'PostgreSQL')],
    ['cores, all, with room', of('cores', 'all, with room')],
    ['machines', of('machines', 'of this many cores')],
    ['memory of processes, GB', of('memory', 'processes')],
    ['memory of PostgreSQL, GB', of('memory', 'PostgreSQL')],
    ['disk, signals of a year, GB', of('disk', 'signals, a year more')],
    ['disk, topics of 90 days, one copy, GB', of('disk', 'topics')],
    ['connections to PostgreSQL', of('PostgreSQL', 'connections')],
    ['partitions of a topic', of('Kafka', 'partitions of a topic')],
    ['rebuild of a read model, hours', of('rebuild', 'the whole history, one read model')],
    ['**breaks first**', limit(0)],
    ['then', limit(1)],
  ];
  const assumed: [string, (given: Assumptions) => string][] = [
    ['items a day', ({ items }) => short(items)],
    ['reads per second', ({ reads }) => short(reads)],
    ['accounts', (one) => short(one.accounts)],
    ['signals', ({ signals }) => short(signals)],
    ['cores of a machine', ({ cores }) => short(cores)],
  ];
  return [
    ['', ...PLANS.map(({ name }) => name)],
    ['---', ...PLANS.map(() => '---')],
    ...assumed.map(([name, value]) => [name, ...PLANS.map(({ given }) => value(given))]),
    ...rows.map(([name, value]) => [name, ...models.map(value)]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

const positive = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!(value > 0)) throw new InvalidArgumentError('it must be a number above 0');
  return value;
};
const share = (text: string): number => {
  const value = positive(text);
  if (value > 1) throw new InvalidArgumentError('it must be a share, above 0 and at most 1');
  return value;
};

function main(): void {
  const command = new Command('scale-model')
    .description('computes what a service of some size needs from the costs that the benches measured')
    .option('--sources <number>', 'sources that are polled', positive, AIM.sources)
    .option('--items <number>', 'items a day of all sources together', positive, AIM.items)
    .option('--moves <share>', 'share of the items that are moves', share, AIM.moves)
    .option('--peak <factor>', 'the busiest moment over the mean of the day', positive, AIM.peak)
    .option('--reads <number>', 'calls of the API a second', positive, AIM.reads)
    .option('--accounts <number>', 'accounts with a key', positive, AIM.accounts)
    .option('--retention <days>', 'days that topics are kept', positive, AIM.retention)
    .option('--cores <number>', 'cores of a machine', positive, AIM.cores)
    .option('--connections <number>', 'connections that PostgreSQL accepts', positive, AIM.connections)
    .option('--signals <number>', 'signals of the whole history', positive, AIM.signals)
    .option('--brand <share>', 'share of the stories of the most reported brand', share, AIM.brand)
    .option('--hot <number>', 'stories of a family in a minute of one understand that divide it', positive, AIM.hot)
    .option('--kind <share>', 'share of the commonest kind among the stories of such a family', share, AIM.kind)
    .option('--utilisation <share>', 'how busy a core may be at the peak', share, AIM.utilisation)
    .option('--plans', 'print the table of plans of deploy/SCALING.md instead')
    .option('--json', 'print JSON with formulas and measurements')
    .addHelpText(
      'after',
      `
Without arguments it computes the aim: 100,000 sources, ten million items a day, 10,000 reads a second.
  npm run scale-model -- --sources 10000 --items 250000 --reads 100 --cores 4
  npm run scale-model -- --moves 0.4                  what if twice as many items are moves?
  npm run scale-model -- --json | jq '.limits[0]'     what breaks first, and at what growth?

How to read it: each line has its value, its formula in words, and the measurements in it with the bench and the day.
Costs come from bench/RESULTS.json. To compute for your machine, measure them there, while nothing else runs:
  npm run bench -- appends rebuild scale api understand reading growth --record && npm run simulate -- --record`,
    )
    .parse();
  const { json, plans, ...given } = command.opts<Assumptions & { json?: boolean; plans?: boolean }>();
  const costs = costsOf(readRecorded());
  const model = scaleModel(given, costs);
  const text = plans ? planTable(costs) : modelText(model);
  process.stdout.write(`${json ? JSON.stringify({ given, ...model, costs }, null, 2) : text}\n`);
}

if (import.meta.main) main();
