/**
 * Trains the models of understanding and writes their weights.
 *   node eval/train-understanding.ts [LABELLED.jsonl ...]
 * Reads eval/items.jsonl, the training half of the demo newsroom, and any further files given. The shipped weights were trained with further labelled headlines
 * that are not redistributed; with eval/items.jsonl alone the figures are lower.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../ingest/understand/catalogue.ts';
import type { Weights } from '../ingest/understand/model/linear-model.ts';
import { fold } from '../ingest/understand/tokens.ts';
import { inspectItem } from '../ingest/understand/understand-item.ts';
import { MOVES } from '../schemas/scalar.ts';
import { itemText, type LabelledItem, readLabelled } from './labelled.ts';
import { newsroomItems } from './newsroom.ts';
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

/** What a headline of the demo newsroom counts beside a real one: its outlets write of the same event many times. */
const NEWSROOM_WEIGHT = 0.5;

/** Trains both models on labelled items, those of the newsroom with less weight. */
export function trainModels(
  items: readonly LabelledItem[],
  newsroom: readonly LabelledItem[],
  catalogue: PreparedCatalogue,
): { relevance: Weights; move: Weights } {
  const relevance: Example[] = [];
  const move: Example[] = [];
  const add = (item: LabelledItem, weight: number): void => {
    const { features } = inspectItem(itemText(item), catalogue);
    relevance.push({ features, label: item.relevant ? 'relevant' : 'noise', weight });
    if (item.relevant && item.move) move.push({ features, label: item.move, weight });
  };
  for (const item of items) add(item, 1);
  for (const item of newsroom) add(item, NEWSROOM_WEIGHT);
  return {
    relevance: train(relevance, RELEVANCE_CLASSES, { ridge: 3, steps: 300, atLeast: 3 }),
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
  const newsroom = (await newsroomItems()).filter((item) => item.split === 'train');
  const words = commonWords(items);
  const folder = new URL('../ingest/understand/model/', import.meta.url);
  const before = await readFile(new URL('common.json', folder), 'utf8');
  const after = `${JSON.stringify({ words }).replaceAll('","', '",\n"')}\n`;
  await writeFile(new URL('common.json', folder), after);
  if (before !== after) console.log('the list of common words has changed: run this once more');
  const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
  const { relevance, move } = trainModels(items, newsroom, catalogue);
  await writeFile(new URL('relevance.json', folder), file(relevance));
  await writeFile(new URL('move.json', folder), file(move));
  console.log(
    `${items.length} items, ${newsroom.length} of the newsroom, ${Object.keys(relevance.features).length} + ${Object.keys(move.features).length} features`,
  );
}
