/** `npm run scale`: processes, cores and storage for given numbers, from the table of costs in deploy/SCALING.md. */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';

const SECONDS_OF_DAY = 86_400;
/** How busy a core may be at the peak; the rest is room for what comes at once. */
const BUSY_SHARE = 0.6;

/** What one unit costs, by a row of the table. */
const Cost = z.object({
  unit: z.enum(['source', 'item', 'story', 'event', 'read']),
  process: z.string(),
  /** Milliseconds of the processor: of the process, and of PostgreSQL. */
  milliseconds: z.coerce.number(),
  postgres: z.coerce.number(),
  bytes: z.coerce.number(),
});
type Cost = z.infer<typeof Cost>;

/** What is asked for. */
export interface Load {
  readonly sources: number;
  /** Items a day of all sources together. */
  readonly items: number;
  /** Reads a second. */
  readonly reads: number;
  /** Share of the items that are moves, and become stories. */
  readonly moves: number;
  /** The busiest moment over the mean of the day. */
  readonly peak: number;
  /** Days that topics are kept. */
  readonly retention: number;
}

/** A poll occupies one of the places of a poller while it requests, and while it waits for its turn at the host. */
const POLLS_OF_DAY = 58;
const POLL_SECONDS = 0.55;
const PLACES = 16;

/** What the plans of deploy/SCALING.md assume. */
export const DEFAULTS = { reads: 10, moves: 0.2, peak: 10, retention: 90 };
const EVENTS_OF_STORY = 1.6;
/** Polls are spread over the day better than items: the busiest hour of a simulated day over its mean. */
const PEAK_OF_POLLS = 1.6;

/** The rows of the table of costs. @throws ZodError when the table is not as expected */
export function readCosts(text = readFileSync(new URL('../deploy/SCALING.md', import.meta.url), 'utf8')): Cost[] {
  const rows = [...text.matchAll(/^\| an? (\w+)[^|]*\| `(\w+)` \| ([\d.,]+) \| ([\d.,]+) \| ([\d.,]+) \|/gm)];
  return z
    .array(Cost)
    .length(5)
    .parse(
      rows.map(([, unit, process, ...numbers]) => {
        const [milliseconds, postgres, bytes] = numbers.map((number) => number.replaceAll(',', ''));
        return { unit, process, milliseconds, postgres, bytes };
      }),
    );
}

export interface Plan {
  readonly processes: Readonly<Record<string, number>>;
  /** Cores that all processes and PostgreSQL need, with room. */
  readonly cores: { readonly processes: number; readonly postgres: number };
  /** Gigabytes of one copy: of the topics, and what a year adds to events and read models. */
  readonly storage: { readonly topics: number; readonly year: number };
}

/**
 * Computes what a service needs.
 * @param costs the rows of the table, one for each unit
 */
export function planOf(load: Load, costs: readonly Cost[]): Plan {
  const { sources, items, reads, moves, peak, retention } = load;
  const stories = items * moves;
  const events = stories * EVENTS_OF_STORY;
  /** Units a second at the busiest moment. */
  const rates: Record<Cost['unit'], number> = {
    source: (sources * PEAK_OF_POLLS) / SECONDS_OF_DAY,
    item: (items * peak) / SECONDS_OF_DAY,
    story: (stories * peak) / SECONDS_OF_DAY,
    event: (events * peak) / SECONDS_OF_DAY,
    read: reads,
  };
  const cores = costs.map((cost) => (rates[cost.unit] * cost.milliseconds) / 1_000 / BUSY_SHARE);
  const postgres = costs.map((cost) => (rates[cost.unit] * cost.postgres) / 1_000 / BUSY_SHARE);
  /** Processes needed at the least, whatever their cores. */
  const least: Record<string, number> = { poll: (rates.source * POLLS_OF_DAY * POLL_SECONDS) / PLACES, api: 2 };
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const bytesOf = (unit: Cost['unit']): number => costs.find((cost) => cost.unit === unit)?.bytes ?? 0;
  return {
    processes: Object.fromEntries(
      costs.map(({ process }, index) => [process, Math.ceil(Math.max(1, least[process] ?? 0, cores[index] ?? 0))]),
    ),
    cores: { processes: sum(cores), postgres: sum(postgres) },
    storage: {
      topics: (items * retention * bytesOf('item')) / 1e9,
      year: (events * 365 * bytesOf('event')) / 1e9,
    },
  };
}

/** A number with three digits. */
const short = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en-GB');

/** A plan as lines of text. */
export function planText({ processes, cores, storage }: Plan): string {
  return [
    ...Object.entries(processes).map(([name, count]) => `${name} ${count}`),
    `cores of the processes ${short(cores.processes)}`,
    `cores of PostgreSQL ${short(cores.postgres)}`,
    `topics ${short(storage.topics)} GB`,
    `events and read models ${short(storage.year)} GB a year`,
  ].join('\n');
}

const positive = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!(value > 0)) throw new InvalidArgumentError('it must be a number above 0');
  return value;
};

function main(): void {
  const options = new Command('scale')
    .description('prints processes, cores and storage for given numbers, from the costs in deploy/SCALING.md')
    .requiredOption('--sources <number>', 'sources that are polled', positive)
    .requiredOption('--items <number>', 'items a day of all sources together', positive)
    .option('--reads <number>', 'reads of pages, API and tools a second', positive, DEFAULTS.reads)
    .option('--moves <share>', 'share of the items that are moves', positive, DEFAULTS.moves)
    .option('--peak <factor>', 'the busiest moment over the mean of the day', positive, DEFAULTS.peak)
    .option('--retention <days>', 'days that topics are kept', positive, DEFAULTS.retention)
    .option('--json', 'print JSON')
    .parse();
  const { json, ...load } = options.opts<Load & { json?: boolean }>();
  const plan = planOf(load, readCosts());
  process.stdout.write(`${json ? JSON.stringify(plan, null, 2) : planText(plan)}\n`);
}

if (import.meta.main) main();
