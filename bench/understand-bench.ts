/** Understanding items: how many a second one core reads, decides on and takes apart. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readLabelled, toItemText } from '../eval/labelled-items.ts';
import { loadCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { findEncoderProblem, openItemEncoder, startEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { understandItem } from '../ingest/understand/understand-item.ts';
import { createUnderstander } from '../ingest/understand/understander.ts';
import { tokenise } from '../language/tokens.ts';
import { type Bench, figureOf, median, startChild } from './bench.ts';

const LEAST = 5_000;
const TIMES = 8;
/** Items per second and core that understanding has to reach with the encoder. */
const LEAST_ENCODED = 120;
/** Items that one round encodes: each takes milliseconds. */
const ENCODED = 100;

/** Items per second of this thread's processor time, over all items several times. */
function perSecond<Item>(items: readonly Item[], read: (item: Item) => unknown): number {
  const before = process.threadCpuUsage();
  for (let time = 0; time < TIMES; time++) for (const item of items) read(item);
  const { user, system } = process.threadCpuUsage(before);
  return (items.length * TIMES * 1e6) / (user + system);
}

/** The same for work that ends later, on this thread all the same: the encoder is loaded into this process. */
async function perSecondEncoded<Item>(items: readonly Item[], read: (item: Item) => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  for (const item of items) await read(item);
  const { user, system } = process.threadCpuUsage(before);
  return (items.length * 1e6) / (user + system);
}

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const Memory = z.object({ megabytes: z.number() });

/** The maximum memory of a process that understands all items, as `clarity understand` does, and that of its encoder. */
async function memoryOfUnderstanding(): Promise<number> {
  const child = startChild('understand-bench.ts', [], Memory);
  let maximum = 0;
  for await (const { megabytes } of child.lines) maximum = Math.max(maximum, megabytes);
  await child.ended();
  return maximum;
}

/** What that child does. */
async function understandAll(): Promise<void> {
  const catalogue = prepareCatalogue(await loadCatalogue(path('../deploy/catalogue')));
  let pid: number | undefined;
  const { encode, close } = await startEncoder({
    onReady: (started) => {
      pid = started;
    },
  });
  const { understand } = createUnderstander(catalogue, encode);
  for (const item of await readLabelled(path('../eval/items.jsonl'))) await understand(toItemText(item));
  // What the encoder has for itself, without the program that both share. Linux alone says it of another process.
  const maps = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const encoder = [...maps.matchAll(/Private_\w+:\s+(\d+)/g)].reduce(
    (sum, [, kilobytes]) => sum + Number(kilobytes),
    0,
  );
  process.stdout.write(
    `${JSON.stringify({ megabytes: Math.round((process.resourceUsage().maxRSS + encoder) / 1000) })}\n`,
  );
  await close();
}

export const understanding: Bench = {
  name: 'understand',
  async run({ rounds }) {
    const catalogue = prepareCatalogue(await loadCatalogue(path('../deploy/catalogue')));
    const items = (await readLabelled(path('../eval/items.jsonl'))).map(toItemText);
    // As long as what feeds send below a headline, about 150 characters.
    const long = items.map((item, index) => ({
      ...item,
      summary: [1, 2].map((next) => items[(index + next) % items.length]?.title).join('. '),
    }));
    const problem = await findEncoderProblem();
    if (problem) console.warn(problem);
    const understander = createUnderstander(catalogue, problem ? null : await openItemEncoder());
    const [ours, whole, plain, encoded]: [number[], number[], number[], number[]] = [[], [], [], []];
    // The first round warms both up and does not count.
    for (let round = 0; round <= rounds; round++) {
      const understood = perSecond(items, (item) => understandItem(item, catalogue));
      const read = perSecond(long, (item) => understandItem(item, catalogue));
      const split = perSecond(items, (item) => tokenise(`${item.title} ${item.summary ?? ''}`));
      const withEncoder = understander.isEncoded
        ? await perSecondEncoded(long.slice(0, ENCODED), (item) => understander.understand(item))
        : null;
      if (round === 0) continue;
      if (withEncoder !== null) encoded.push(withEncoder);
      ours.push(understood);
      whole.push(read);
      plain.push(split);
    }
    return [
      figureOf({
        figure: 'items understood by one core',
        unit: 'items/s',
        measured: median(ours),
        baseline: { what: 'splitting into words alone', measured: median(plain) },
        limit: { of: 'measured', at: 'least', value: LEAST },
      }),
      figureOf({ figure: 'the same with summaries of two sentences', unit: 'items/s', measured: median(whole) }),
      ...(encoded.length > 0
        ? [
            figureOf({
              figure: 'items encoded and understood by one core',
              unit: 'items/s',
              measured: median(encoded),
              baseline: { what: 'understanding them without the encoder', measured: median(whole) },
              limit: { of: 'measured', at: 'least', value: LEAST_ENCODED },
            }),
            figureOf({
              figure: 'memory of a process that understands with the encoder, at most',
              unit: 'MB',
              measured: await memoryOfUnderstanding(),
              limit: { of: 'measured', at: 'most', value: 450 },
            }),
          ]
        : []),
    ];
  },
};

if (import.meta.main) await understandAll();
