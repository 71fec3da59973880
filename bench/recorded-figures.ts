/**
 * The figures of past runs in a form that a program reads: `RESULTS.json`, written by `npm run bench -- --record` and
 * `npm run simulate -- --record`, read by `npm run scale-model`. What was learnt from them is in `RESULTS.md`.
 */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
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
      ...{ figure, unit, measured: rounded(measured), ratio: ratio === null ? null : rounded(ratio) },
    })),
  };
  const all = { ...readRecorded(file), [bench]: recorded };
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => one.localeCompare(other)));
  // Written beside it first: a run that is stopped leaves the earlier figures.
  await writeFile(`${file}.new`, `${JSON.stringify(sorted, null, 2)}\n`);
  await rename(`${file}.new`, file);
}
