/**
 * How well items are understood: `node eval/measure-understanding.ts [FILE.jsonl] [--commit]`, our own items that no
 * training sees when no file is given. Prints a table and JSON; exits with 1 when a figure fell by more than 0.02 below
 * the committed one. `--commit` writes the figures of our own items instead.
 */

import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { understandItem } from '../ingest/understand/understand-item.ts';
import { formatVerdict } from '../ingest/understand/understander.ts';
import { commitFigures, listFallen, readCommitted, type Section } from './evaluate.ts';
import { type LabelledItem, Labels, OWN_ITEMS, readLabelled, toItemText } from './labelled-items.ts';
import { addUp, compareItem, countItem, itemFigures } from './scoring.ts';

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Measures the shipped rules and weights on labelled items. */
export function measureUnderstanding(items: readonly LabelledItem[], catalogue: PreparedCatalogue): Section {
  const counted = items.map((item) => {
    const said = Labels.parse(formatVerdict(item.key, understandItem(toItemText(item), catalogue), false));
    return countItem(compareItem(item, said));
  });
  return Object.fromEntries(Object.entries(itemFigures(addUp(counted))).map(([name, value]) => [name, round(value)]));
}

async function main(given: readonly string[]): Promise<number> {
  const file = given.find((argument) => !argument.startsWith('--'));
  const read = await readLabelled(file ?? OWN_ITEMS.pathname);
  const items = file ? read : read.filter((item) => item.split === 'test');
  const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
  const figures = measureUnderstanding(items, catalogue);
  console.table(figures);
  console.log(JSON.stringify({ items: items.length, ...figures }));
  if (file) return 0;
  if (given.includes('--commit')) commitFigures('understanding', figures);
  const falls = listFallen(readCommitted('understanding'), figures);
  for (const fall of falls) console.error(`understanding: ${fall}`);
  return falls.length ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
