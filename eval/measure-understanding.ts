/**
 * How well items are understood: `node eval/measure-understanding.ts [FILE.jsonl] [--commit]`, our own items that no
 * training sees when no file is given. Prints a table and JSON; exits with 1 when a figure fell by more than 0.02 below
 * the committed one. `--commit` writes the figures of our own items instead.
 */

import { loadCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { openItemEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { createUnderstander, formatVerdict, type Understander } from '../ingest/understand/understander.ts';
import { commitFigures, listFallen, readCommitted, type Section } from './evaluate.ts';
import { type LabelledItem, Labels, OWN_ITEMS, readLabelled, toItemText } from './labelled-items.ts';
import { addUp, type Counts, compareItem, countItem, itemFigures } from './scoring.ts';

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Measures a reading of labelled items. */
export async function measureUnderstanding(
  items: readonly LabelledItem[],
  understander: Pick<Understander, 'understand'>,
): Promise<Section> {
  const counted: Counts[] = [];
  for (const item of items) {
    const said = Labels.parse(formatVerdict(item.key, await understander.understand(toItemText(item)), false));
    counted.push(countItem(compareItem(item, said)));
  }
  return Object.fromEntries(Object.entries(itemFigures(addUp(counted))).map(([name, value]) => [name, round(value)]));
}

async function main(given: readonly string[]): Promise<number> {
  const file = given.find((argument) => !argument.startsWith('--'));
  const read = await readLabelled(file ?? OWN_ITEMS.pathname);
  const items = file ? read : read.filter((item) => item.split === 'test');
  const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
  const figures = await measureUnderstanding(items, createUnderstander(catalogue, await openItemEncoder()));
  console.table(figures);
  console.log(JSON.stringify({ items: items.length, ...figures }));
  if (file) return 0;
  if (given.includes('--commit')) commitFigures('understanding', figures);
  const falls = listFallen(readCommitted('understanding'), figures);
  for (const fall of falls) console.error(`understanding: ${fall}`);
  return falls.length ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
