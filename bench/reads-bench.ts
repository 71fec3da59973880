/** Readers of the feed while it is rebuilt next to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openDatabase } from '../log/postgres/database.ts';
import { findSignal, listSignals } from '../projector/models/signals-queries.ts';
import type { BrandSlug } from '../schemas/scalar.ts';
import { type Bench, figureOf, median, quantile, startChild } from './bench.ts';
import { chance } from './generated-history.ts';
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
    const reader = startChild('reads-bench.ts', [url], Read);
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

const EVERY_MILLISECONDS = 10;

/** A reader of the feed at a modest, fixed pace, in a process of its own. */
async function readUntilStopped([url = '']: readonly string[]): Promise<void> {
  const database = openDatabase(url, { max: 2, name: 'bench reads' });
  const draw = chance(7);
  const { rows } = await database.query<{ slug: string; brand: BrandSlug }>(
    `SELECT s.slug, b.brand FROM read.signals s JOIN read.signal_brands b ON b.key = s.key
   WHERE s.status = 'public' ORDER BY s.key LIMIT 2000`,
  );
  const [first, ...others] = rows;
  if (!first) throw new Error('there are no signals to read');

  const read = async (turn: number): Promise<void> => {
    const { slug, brand } = draw.one([first, ...others]);
    if (turn % 3 === 0) await findSignal(database, slug);
    else
      await listSignals(
        database,
        turn % 3 === 1 ? { limit: 20 } : { only: { brand: [brand] }, about: true, limit: 20 },
      );
  };

  let stopped = false;
  process.once('SIGTERM', () => {
    stopped = true;
  });
  const started = performance.now();
  for (let turn = 0; !stopped; turn++) {
    // By the clock, not after the read before: a slow read must not hide those that would have followed it.
    const due = started + turn * EVERY_MILLISECONDS;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    const from = performance.now();
    await read(turn);
    const line: Read = { at: Date.now(), milliseconds: performance.now() - from };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  await database.end();
}

if (import.meta.main) await readUntilStopped(process.argv.slice(2));
