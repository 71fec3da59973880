/**
 * Trains the models of understanding and writes their weights.
 *   node eval/train-understanding.ts [LABELLED.jsonl ...]
 * Reads eval/items.jsonl and any further files given. The shipped weights were trained with further labelled headlines
 * that are not redistributed; with eval/items.jsonl alone the figures are lower.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { Weights } from '../ingest/understand/model/linear.ts';
import { fold } from '../ingest/understand/tokens.ts';
import { inspect } from '../ingest/understand/understand.ts';
import { MOVES } from '../schemas/scalar.ts';
import { itemText, type LabelledItem, readLabelled } from './labelled.ts';
import { type Example, train } from './softmax.ts';

export const RELEVANCE_CLASSES = ['noise', 'relevant'] as const;

/** Words that the texts write in lower case, sorted: ordinary words rather than names. */
export function commonWords(items: readonly LabelledItem[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const words = new Set(
      `${item.title} ${item.summary ?? ''}`.match(/(?<![\w'’.-])\p{Ll}{2,}(?![\w.-]*\.\w)/gu) ?? [],
    );
    for (const word of words) counts.set(fold(word), (counts.get(fold(word)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= 1)
    .map(([word]) => word)
    .sort();
}

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
    move: train(move, MOVES, { ridge: 2, steps: 300, atLeast: 2 }),
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
  const items = (await Promise.all(files.map(readLabelled))).flat().filter((item) => item.split === 'train');
  const words = commonWords(items);
  const folder = new URL('../ingest/understand/model/', import.meta.url);
  const before = await readFile(new URL('common.json', folder), 'utf8');
  const after = `${JSON.stringify({ words }).replaceAll('","', '",\n"')}\n`;
  await writeFile(new URL('common.json', folder), after);
  if (before !== after) console.log('the list of common words has changed: run this once more');
  const catalogue = prepareCatalogue(await loadCatalogue(process.env['CATALOGUE'] ?? 'deploy/catalogue'));
  const { relevance, move } = trainModels(items, catalogue);
  await writeFile(new URL('relevance.json', folder), file(relevance));
  await writeFile(new URL('move.json', folder), file(move));
  console.log(
    `${items.length} items, ${Object.keys(relevance.features).length} + ${Object.keys(move.features).length} features`,
  );
}
