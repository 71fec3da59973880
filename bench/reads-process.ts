/** A reader of the feed at a modest, fixed pace, in a process of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../log/postgres/database.ts';
import { findSignal, listSignals } from '../projector/models/signals-queries.ts';
import { chance } from './generated-history.ts';
import type { Read } from './reads-bench.ts';

const EVERY_MILLISECONDS = 10;

const [url = ''] = process.argv.slice(2);
const database = openDatabase(url, { max: 2, name: 'bench reads' });
const draw = chance(7);
const { rows } = await database.query<{ slug: string; brand: string }>(
  `SELECT s.slug, b.brand FROM read.signals s JOIN read.signal_brands b ON b.key = s.key
   WHERE s.status = 'public' ORDER BY s.key LIMIT 2000`,
);
const [first, ...others] = rows;
if (!first) throw new Error('there are no signals to read');

const read = async (turn: number): Promise<void> => {
  const { slug, brand } = draw.one([first, ...others]);
  if (turn % 3 === 0) await findSignal(database, slug);
  else await listSignals(database, turn % 3 === 1 ? { limit: 20 } : { brand, limit: 20 });
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
