/**
 * Trains the models of understanding and writes their weights.
 *   node eval/train-understanding.ts [LABELLED.jsonl ...]
 * Reads eval/items.jsonl and any further files given. The shipped weights were trained with further labelled headlines
 * that are not redistributed; with eval/items.jsonl alone the figures are lower.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { Weights } from '../ingest/understand/model/linear.ts';
import { inspect } from '../ingest/understand/understand.ts';
import { MOVES } from '../schemas/scalar.ts';
import { itemText, type LabelledItem, readLabelled } from './labelled.ts';
import { type Example, train } from './softmax.ts';

export const RELEVANCE_CLASSES = ['noise', 'relevant'] as const;

/** Trains both models on labelled items. */
export function trainModels(
  items: readonly LabelledItem[],
  catalogue: PreparedCatalogue,
): { relevance: Weights; move: Weights } {
  const relevance: Example[] = [];
  const move: Example[] = [];
  for (const item of items) {
    const { features } = inspect(itemText(item), catalogue);
    relevance.push({ features, label: item.relevant ? 'relevant' : 'noise' });
    if (item.relevant && item.move) move.push({ features, label: item.move });
  }
  return {
    relevance: train(relevance, RELEVANCE_CLASSES, { ridge: 2, steps: 300, atLeast: 3 }),
    move: train(move, MOVES, { ridge: 1, steps: 300, atLeast: 2 }),
  };
}

const file = (weights: Weights): string =>
  `{\n"classes": ${JSON.stringify(weights.classes)},\n"bias": ${JSON.stringify(weights.bias)},\n"features": {\n${Object.entries(
    weights.features,
  )
    .map(([name, row]) => `${JSON.stringify(name)}: ${JSON.stringify(row)}`)
    .join(',\n')}\n}\n}\n`;

if (import.meta.main) {
  const own = new URL('items.jsonl', import.meta.url).pathname;
  const files = [...(existsSync(own) ? [own] : []), ...process.argv.slice(2)];
  const items = (await Promise.all(files.map(readLabelled))).flat();
  const catalogue = prepareCatalogue(await loadCatalogue(process.env['CATALOGUE'] ?? 'deploy/catalogue'));
  const { relevance, move } = trainModels(items, catalogue);
  const folder = new URL('../ingest/understand/model/', import.meta.url);
  await writeFile(new URL('relevance.json', folder), file(relevance));
  await writeFile(new URL('move.json', folder), file(move));
  console.log(
    `${items.length} items, ${Object.keys(relevance.features).length} + ${Object.keys(move.features).length} features`,
  );
}
