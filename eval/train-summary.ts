/**
 * Trains which sentence of an outlet's text sums up its story, and writes the weights: `node eval/train-summary.ts FILE`, JSON
 * lines of `{date, title, summary, sentence, good}`: an item, a sentence of its summary, and whether a reader found that it sums
 * up the story. Prints, with the week of the sentence left out, what each threshold keeps.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { printTable } from '../bin/terminal.ts';
import { type ConfidenceModel, probabilityOf } from '../facts/confidence.ts';
import { loadCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { summaryTextOf } from '../facts/text/item-reading.ts';
import { sharedEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { judgeSentences } from '../ingest/understand/summary.ts';
import { createUnderstander } from '../ingest/understand/understander.ts';
import { trainSoftmax } from './train-understanding.ts';
import { isoWeekOf, logisticOf } from './weeks-left-out.ts';

const THRESHOLDS = [0, 0.5, 0.6, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.85, 0.9];

const Line = z.object({
  date: z.string(),
  title: z.string(),
  summary: z.string(),
  sentence: z.string(),
  good: z.boolean(),
});

interface Example {
  readonly week: string;
  readonly features: ReadonlyMap<string, number>;
  readonly label: 'good' | 'bad';
}

function train(examples: readonly Example[]): ConfidenceModel {
  return logisticOf(trainSoftmax(examples, ['bad', 'good'], { ridge: 1, steps: 600, atLeast: 1 }));
}

const { positionals } = parseArgs({ allowPositionals: true });
const [file] = positionals;
if (file === undefined) throw new Error('FILE is required: JSON lines of {date, title, summary, sentence, good}');
const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
const encode = await sharedEncoder();
const understander = createUnderstander(catalogue, encode);
const examples: Example[] = [];
let missing = 0;
for (const text of (await readFile(file, 'utf8')).split('\n').filter(Boolean)) {
  const line = Line.parse(JSON.parse(text));
  const item = { outlet: '', url: '', published_at: null, ...line };
  const { understanding } = await understander.understand(item);
  const judged = await judgeSentences(understanding.headline, summaryTextOf(item), await encode(item), encode);
  const own = judged.find((one) => one.text === line.sentence);
  if (own) examples.push({ week: isoWeekOf(line.date), features: own.signs, label: line.good ? 'good' : 'bad' });
  else missing++;
}
const model = train(examples);
const folder = new URL('../ingest/understand/model/', import.meta.url);
await writeFile(new URL('summary.json', folder), `${JSON.stringify(model, null, 2)}\n`);

const judged = [...Map.groupBy(examples, ({ week }) => week)].flatMap(([week, left]) => {
  const other = train(examples.filter((example) => example.week !== week));
  return left.map(({ features, label }) => ({ label, worth: probabilityOf(other, features) }));
});
console.log(`${examples.length} sentences, ${missing} that are no candidates`);
printTable(
  ['threshold', 'kept', 'of them good', 'good ones dropped'],
  THRESHOLDS.map((least) => {
    const kept = judged.filter(({ worth }) => worth >= least);
    const good = kept.filter(({ label }) => label === 'good').length;
    const all = judged.filter(({ label }) => label === 'good').length;
    return [String(least), String(kept.length), (good / kept.length).toFixed(3), String(all - good)];
  }),
);
process.exit(0);
