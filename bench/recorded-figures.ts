/**
 * The figures of past runs in a form that a program reads: `RESULTS.json`, written by `npm run bench -- --record` and
 * `npm run simulate -- --record`, read by `npm run scale-model`. What was learnt from them is in `RESULTS.md`.
 */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { z } from 'zod';
import type { Figure } from './bench.ts';

const Recorded = z.object({
  /** The day of the run. */
  measured: z.iso.date(),
  /** Processor and cores. */
  machine: z.string(),
  /** Load of the last five minutes when it ended: figures of wall-clock time suffer from it, processor time hardly. */
  load: z.number(),
  /** What the run was started with. */
  options: z.record(z.string(), z.unknown()),
  figures: z.array(
    z.object({ figure: z.string(), unit: z.string(), measured: z.number(), ratio: z.number().nullable() }),
  ),
});
export type Recorded = z.infer<typeof Recorded>;
const Results = z.record(z.string(), Recorded);

const FILE = fileURLToPath(new URL('RESULTS.json', import.meta.url));

/** The last recorded run of each bench, by its name. @throws when the file is broken */
export const readRecorded = (file = FILE): Readonly<Record<string, Recorded>> =>
  Results.parse(JSON.parse(readFileSync(file, 'utf8')));

const rounded = (value: number): number => Number(value.toPrecision(4));

/** Replaces what is recorded of one bench. */
export async function recordFigures(
  bench: string,
  figures: readonly Pick<Figure, 'figure' | 'unit' | 'measured' | 'ratio'>[],
  options: Readonly<Record<string, unknown>>,
  file = FILE,
): Promise<void> {
  const [model = 'unknown'] = cpus().map((cpu) => cpu.model);
  const recorded: Recorded = {
    measured: new Date().toISOString().slice(0, 10),
    machine: `${model}, ${cpus().length} cores, Node ${process.versions.node}`,
    load: rounded(loadavg()[1] ?? 0),
    options: { ...options },
    figures: figures.map(({ figure, unit, measured, ratio }) => ({
      figure,
      unit,
      measured: rounded(measured),
      ratio: ratio === null ? null : rounded(ratio),
    })),
  };
  const all = { ...readRecorded(file), [bench]: recorded };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => one.localeCompare(other)));
  // Written to a temporary file first, so that an interrupted run keeps the earlier figures.
  await writeFile(`${file}.new`, `${JSON.stringify(sorted, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

// The costs that the model computes from.

/** Where a cost is recorded: the bench, and the beginning of its figure, of which the last counts. */
const INPUTS = {
  pollsOfDay: ['world', 'polls of a source and day', 'polls'],
  polls: ['world', 'polls', 'polls'],
  busiestHour: ['world', 'requests, busiest hour', '/s'],
  busiestHost: ['world', 'requests at one host, busiest hour', '/h'],
  scheduling: ['world', 'processor time of scheduling a poll', 'µs'],
  reading: ['reading', "the poller's own processor time of a feed", 'ms'],
  encoded: ['understand', 'items encoded and understood by one core', 'items/s'],
  understandMemory: ['understand', 'memory of a process that understands', 'MB'],
  story: ['scale', 'processor time of a story, 1 matcher', 'µs'],
  storyOfFour: ['scale', 'processor time of a story, 4 matchers', 'µs'],
  itemOfService: ['growth', 'processor time of an item, service', 'ms'],
  itemOfPostgres: ['growth', 'processor time of an item, PostgreSQL', 'ms'],
  storiesOfItem: ['growth', 'stories of an item', 'stories'],
  storiesOfSignal: ['growth', 'stories of a signal', 'stories'],
  eventsOfSignal: ['growth', 'events of a signal', 'events'],
  topicBytes: ['growth', 'topics on disk', 'bytes/item'],
  eventBytes: ['growth', 'events on disk', 'bytes/signal'],
  modelBytes: ['growth', 'read models on disk', 'bytes/signal'],
  indexBytes: ['growth', 'index of matching on disk', 'bytes/signal'],
  accountBytes: ['growth', 'an account with a key on disk', 'bytes/account'],
  pageBytes: ['growth', 'front page', 'bytes'],
  appends: ['appends', 'appends in batches of 100', 'events/s'],
  rebuilt: ['rebuild', 'signal events rebuilt', 'events/s'],
  copied: ['rebuild', 'the same, against COPY of the final rows', 'events/s'],
  lists: ['api', '/signals?limit=20, keyed and counted', '/s'],
  details: ['api', '/signals/{slug}, keyed and counted', '/s'],
  sourceMemory: ['processes', 'memory of a source in a poller', 'bytes'],
  pollMemory: ['processes', 'resident memory, poll', 'MB'],
  matchMemory: ['processes', 'resident memory, match', 'MB'],
  projectMemory: ['processes', 'resident memory, project', 'MB'],
  apiMemory: ['processes', 'resident memory, api', 'MB'],
} as const;
export type Input = keyof typeof INPUTS;

export interface Cost {
  readonly value: number;
  readonly unit: string;
  /** Measured over the baseline of the run; null without one. */
  readonly ratio: number | null;
  /** Which bench measured it when. */
  readonly from: string;
}
export type Costs = Readonly<Record<Input, Cost>>;

/** @throws Error that names the bench to be run when a cost is not recorded, or has another unit */
export function costsOf(recorded: Readonly<Record<string, Recorded>>): Costs {
  const cost = ([bench, figure, unit]: readonly [string, string, string]): Cost => {
    const run = recorded[bench];
    const named = run?.figures.filter((one) => one.figure === figure) ?? [];
    const found = (named.length > 0 ? named : (run?.figures.filter((one) => one.figure.startsWith(figure)) ?? [])).at(
      -1,
    );
    if (!run || !found || found.unit !== unit)
      throw new Error(`"${figure}" in ${unit} is not recorded; run the bench "${bench}" with --record`);
    return { value: found.measured, unit, ratio: found.ratio, from: `${bench}, ${run.measured}` };
  };
  return Object.fromEntries(Object.entries(INPUTS).map(([name, where]) => [name, cost(where)])) as Costs;
}

/** The growth of some quantities over 1 x as lines, on logarithmic axes. */
export function growthChart(
  series: readonly { name: string; values: readonly number[] }[],
  items: readonly number[],
): string {
  const [width, height, left, right, top, bottom] = [760, 320, 48, 250, 24, 40];
  const ratios = series.map(({ values }) => values.map((value) => value / (values[0] || 1)));
  const highest = Math.max(2, ...ratios.flat());
  const lowest = Math.min(0.5, ...ratios.flat());
  const x = scaleLog([items[0] ?? 1, items.at(-1) ?? 10], [left, width - right]);
  const y = scaleLog([lowest, highest], [height - bottom, top]);
  const colours = ['#1b6ca8', '#b3541e', '#3f7d3a', '#7a3b8f', '#8a6d00', '#555555'];
  // Labels of lines that end close to each other are moved apart.
  const ends = ratios.map((own, place) => ({ place, at: y(own.at(-1) ?? 1) })).sort((one, other) => one.at - other.at);
  const labels = scaleLinear([0, Math.max(1, ends.length - 1)], [top + 8, height - bottom]);
  const labelAt = new Map(ends.map(({ place }, rank) => [place, labels(rank)]));
  const draw = line<number>(
    (_value, at) => Math.round(x(items[at] ?? 1)),
    (value) => Math.round(y(value)),
  );
  const grid = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
    .filter((tick) => tick >= lowest && tick <= highest)
    .map(
      (tick) =>
        `<line x1="${left}" x2="${width - right}" y1="${Math.round(y(tick))}" y2="${Math.round(y(tick))}" stroke="#ddd"/>` +
        `<text x="${left - 6}" y="${Math.round(y(tick)) + 4}" text-anchor="end">${tick} ×</text>`,
    );
  const ticks = items.map(
    (count) =>
      `<text x="${Math.round(x(count))}" y="${height - bottom + 18}" text-anchor="middle">${count.toLocaleString('en-GB')}</text>`,
  );
  const lines = series.map(({ name }, place) => {
    const colour = colours[place % colours.length];
    const end = ratios[place]?.at(-1) ?? 1;
    const label = Math.round(labelAt.get(place) ?? 0);
    return (
      `<path d="${draw(ratios[place] ?? [])}" fill="none" stroke="${colour}" stroke-width="2"/>` +
      `<line x1="${width - right}" y1="${Math.round(y(end))}" x2="${width - right + 14}" y2="${label - 4}" stroke="${colour}"/>` +
      `<text x="${width - right + 18}" y="${label}" fill="${colour}">${name}: ${end.toFixed(2)} ×</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Growth with the number of items, over a day of ${items[0]} items" font-family="sans-serif" font-size="12"><rect width="${width}" height="${height}" fill="#fff"/>${grid.join('')}${ticks.join('')}<text x="${(left + width - right) / 2}" y="${height - 4}" text-anchor="middle">items handled</text>${lines.join('')}</svg>\n`;
}
