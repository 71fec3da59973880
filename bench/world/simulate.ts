/** `npm run simulate`: a day of the world, polled by the scheduler of the service, with a sample of its news matched. */
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { pace, progressBar } from '../../bin/terminal.ts';
import { publishTick } from '../../demo/live/live-desk.ts';
import { loadCatalogue, prepareCatalogue } from '../../facts/text/catalogue.ts';
import { type StreamItem, streamItems } from '../../ingest/stream-items.ts';
import { openUnderstander, type Understander } from '../../ingest/understand/understander.ts';
import { type Figure, figureOf, tableOf } from '../bench.ts';
import { recordFigures } from '../recorded-figures.ts';
import { type FoundReport, simulateWorld, type World } from './world.ts';

interface Matched {
  /** Events of which at least one report became a signal. */
  readonly events: number;
  readonly reports: number;
  /** Reports and columns that understanding took for noise. */
  readonly noise: number;
  readonly signals: number;
  /** Signals beyond one for an event. */
  readonly duplicates: number;
  /** Signals with reports of more than one event. */
  readonly mixed: number;
}

/** The nth report of an event of the invented newsroom; null where fewer outlets report it. */
function textOf({ event, nth, found }: FoundReport): StreamItem | null {
  const occurrence = publishTick(event);
  const entry = occurrence.entries.filter(({ role }) => role === 'report' || role === 'noise')[nth];
  if (!entry) return null;
  return {
    key: `${event}-${nth}`,
    title: entry.headline,
    summary: entry.summary,
    outlet: entry.outlet,
    url: `https://${entry.outlet}.example${entry.path}`,
    // A poll found it: the order of arrival is that of polls.
    published_at: new Date(found).toISOString(),
    first_seen_at: new Date(found).toISOString(),
  };
}

/** Understands and matches the reports in the order in which polls found them. */
export async function matchReports(
  reports: readonly FoundReport[],
  understander: Understander,
  onProgress?: (done: number, total: number) => void,
): Promise<Matched> {
  const items = reports
    .toSorted((one, other) => one.found - other.found || one.event - other.event || one.nth - other.nth)
    .flatMap((report) => textOf(report) ?? []);
  const streamed = await streamItems(items, understander, onProgress ? { onProgress } : {});
  const signalsOf = new Map<string, Set<string>>();
  const eventsOf = new Map<string, Set<string>>();
  for (const { key, signal } of streamed) {
    if (!signal) continue;
    const event = key.split('-')[0] ?? key;
    signalsOf.set(event, (signalsOf.get(event) ?? new Set()).add(signal));
    eventsOf.set(signal, (eventsOf.get(signal) ?? new Set()).add(event));
  }
  return {
    events: signalsOf.size,
    reports: items.length,
    noise: streamed.filter(({ signal }) => signal === null).length,
    signals: eventsOf.size,
    duplicates: [...signalsOf.values()].reduce((total, { size }) => total + size - 1, 0),
    mixed: [...eventsOf.values()].filter(({ size }) => size > 1).length,
  };
}

/** The figures of a world; seconds of processor time are those of the simulation, in which the network costs nothing. */
function figuresOf(world: World, seconds: number, days: number): Figure[] {
  const { items, freshness, lateness, requests } = world;
  const most = (value: number) => ({ of: 'measured', at: 'most', value }) as const;
  const figure = (name: string, unit: string, measured: number, limit?: ReturnType<typeof most>) =>
    figureOf({ figure: name, unit, measured, ...(limit ? { limit } : {}) });
  return [
    figure('polls', 'polls', world.polls),
    figure('polls of a source and day', 'polls', world.polls / world.sources / days, most(60)),
    figure('items published', 'items', items.published),
    figure('items that left their feed before a poll', '%', (100 * items.missed) / Math.max(1, items.published)),
    figure('publication to poll, p50', 's', freshness.p50),
    figure('publication to poll, p90', 's', freshness.p90),
    figure('publication to poll, p99', 's', freshness.p99),
    figure('start of a poll after it was due, p99', 's', lateness.p99, most(60)),
    figure('start of a poll after it was due, longest', 's', lateness.maximum),
    figure('longest time without a poll of a source', 's', world.longestInterval),
    figure('requests, busiest second', '/s', requests.perSecond),
    figure('requests, busiest hour', '/s', requests.perSecondInBusiestHour),
    figure('requests at one host, at once', 'requests', requests.perHostAtOnce, most(1)),
    figure('requests at one host, busiest second', '/s', requests.perHostAndSecond, most(2)),
    figure('requests at one host, busiest hour', '/h', requests.perHostAndHour),
    figure('polls before their time', 'polls', world.early, most(0)),
    figure('sources of the busiest poller over the mean', 'x', world.imbalance),
    figure('processor time of scheduling a poll', 'µs', (seconds * 1e6) / Math.max(1, world.polls)),
  ];
}

const matchedFigures = (matched: Matched): Figure[] =>
  [
    ['reports matched', 'reports', matched.reports],
    ['signals of them', 'signals', matched.signals],
    ['duplicate signals', '% of events', (100 * matched.duplicates) / Math.max(1, matched.events)],
    ['signals of several events', '% of signals', (100 * matched.mixed) / Math.max(1, matched.signals)],
  ].map(([figure, unit, measured]) =>
    figureOf({ figure: String(figure), unit: String(unit), measured: Number(measured) }),
  );

const wholeNumber = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('it must be a whole number');
  return value;
};
const positive = (text: string): number => {
  const value = Number(text.replaceAll('_', ''));
  if (!(value > 0)) throw new InvalidArgumentError('it must be a number above 0');
  return value;
};

async function main(): Promise<void> {
  const given = new Command('simulate')
    .description('polls a world of virtual sources by the scheduler of the service, on a virtual clock')
    .option('--sources <number>', 'sources of the world', wholeNumber, 10_000)
    .option('--days <number>', 'days from a Monday on, 0.5 for half a day', positive, 1)
    .option('--pollers <number>', 'poller processes that share the sources', wholeNumber, 4)
    .option('--items <number>', 'items of a source and day, the mean of a heavy tail', positive, 25)
    .option('--concurrency <number>', 'concurrent polls of a poller', wholeNumber, 16)
    .option('--stories <number>', 'events of the invented newsroom that are understood and matched', wholeNumber, 1_000)
    .option('--seed <number>', 'the same seed gives the same world', wholeNumber, 1)
    .option('--fresh', 'sources that nothing is known of yet, instead of four weeks')
    .option('--record', 'store the figures for `npm run scale-model`')
    .option('--json', 'print JSON instead of a table')
    .addHelpText(
      'after',
      `
The scheduler, the cadence, the sharing of hosts and the pause at a host are those of the poller; requests only take
time. Hours, weekdays, the spread of rates and the reports of an event are fitted to real outlets; how many sources
share a host and how many entries a feed lists are assumed (bench/world/virtual-sources.ts). One day of 100,000
sources with 100 items each takes ten minutes of processor time, and 3 GB. Exit code 1 when a limit is missed.`,
    )
    .parse()
    .opts<{
      sources: number;
      days: number;
      pollers: number;
      items: number;
      concurrency: number;
      stories: number;
      seed: number;
      fresh?: boolean;
      record?: boolean;
      json?: boolean;
    }>();
  const { sources, days, pollers, items, concurrency, stories, seed, fresh = false } = given;
  const options = { sources, hours: Math.ceil(days * 24), pollers, itemsPerDay: items, seed, fresh, events: stories };
  const bar = progressBar('simulate', 'units', given.json);
  /** Each phase has its own units: sources, minutes of the virtual clock, reports. */
  let current = { phase: '', advance: pace() };
  const onProgress = (done: number, total: number, phase: string): void => {
    if (phase !== current.phase) current = { phase, advance: pace() };
    bar.show({ ...current.advance(done, total), phase });
  };
  // Learning the rhythm of the sources is the input, not the work of a day.
  let polling: NodeJS.CpuUsage | undefined;
  const world = await simulateWorld({
    ...options,
    concurrency,
    onProgress: (done, total, phase) => {
      if (phase === 'polling') polling ??= process.cpuUsage();
      onProgress(done, total, phase);
    },
  });
  const { user, system } = process.cpuUsage(polling);
  const figures = figuresOf(world, (user + system) / 1e6, days);
  if (world.reports.length > 0) {
    const catalogue = prepareCatalogue(
      await loadCatalogue(fileURLToPath(new URL('../../deploy/catalogue', import.meta.url))),
    );
    const understander = await openUnderstander(catalogue, console.warn);
    const progress = (done: number, total: number): void => onProgress(done, total, 'matching');
    figures.push(...matchedFigures(await matchReports(world.reports, understander, progress)));
  }
  bar.end();
  if (given.record) await recordFigures('world', figures, { ...options, concurrency });
  const { reports: _, ...rest } = world;
  process.stdout.write(
    given.json
      ? `${JSON.stringify({ ...options, concurrency, world: rest, figures }, null, 2)}\n`
      : `${tableOf(figures)}\n`,
  );
  if (figures.some(({ ok }) => !ok)) process.exitCode = 1;
}

if (import.meta.main) await main();
