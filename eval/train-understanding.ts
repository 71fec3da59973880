/**
 * Trains the models of understanding and writes their weights: `node eval/train-understanding.ts [--data DIR]`. Reads
 * eval/items.jsonl, the training half of the demo newsroom, and `items.jsonl` of a folder of labelled data. The shipped
 * weights were trained with labelled headlines that we may not redistribute; with eval/items.jsonl alone the figures are lower.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import type { Models, Weights } from '../ingest/understand/model/linear-model.ts';
import { inspectItem } from '../ingest/understand/understand-item.ts';
import { fold } from '../language/tokens.ts';
import { MOVES } from '../schemas/scalar.ts';
import { type LabelledItem, OWN_ITEMS, readLabelled, readNewsroomItems, toItemText } from './labelled-items.ts';

// Multinomial logistic regression, trained by full-batch gradient steps with momentum. Without randomness: the same data
// give the same weights.

interface Example {
  readonly features: ReadonlyMap<string, number>;
  readonly label: string;
  /** Default 1. */
  readonly weight?: number;
}

interface TrainingOptions {
  /** Strength of the L2 term, per example. */
  readonly ridge: number;
  readonly steps: number;
  /** A feature of fewer examples is dropped: the model would learn it by heart. */
  readonly atLeast: number;
}

/** Weights smaller than this in every class are left out of the file. */
const SMALLEST = 0.02;

/** The names of features that enough examples have, sorted. */
function namesOf(examples: readonly Example[], atLeast: number): string[] {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const name of features.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= atLeast)
    .map(([name]) => name)
    .sort();
}

/** The examples as one sparse matrix: row `r` has the cells from `starts[r]` to `starts[r + 1]`. */
function matrixOf(examples: readonly Example[], names: readonly string[]) {
  const index = new Map(names.map((name, place) => [name, place + 1]));
  const starts = [0];
  const places: number[] = [];
  const strengths: number[] = [];
  for (const { features } of examples) {
    for (const [name, strength] of features) {
      const place = index.get(name);
      if (place === undefined) continue;
      places.push(place);
      strengths.push(strength);
    }
    starts.push(places.length);
  }
  return { starts: Int32Array.from(starts), places: Int32Array.from(places), strengths: Float64Array.from(strengths) };
}

/** Trains on examples. Deterministic. */
export function trainSoftmax(
  examples: readonly Example[],
  classes: readonly string[],
  options: TrainingOptions,
): Weights {
  const names = namesOf(examples, options.atLeast);
  const { starts, places, strengths } = matrixOf(examples, names);
  const targets = examples.map(({ label }) => classes.indexOf(label));
  const counts = examples.map(({ weight }) => weight ?? 1);
  const mass = counts.reduce((sum, count) => sum + count, 0);
  const size = classes.length;
  const weights = new Float64Array((names.length + 1) * size);
  const velocity = new Float64Array(weights.length);
  const gradient = new Float64Array(weights.length);
  const scores = new Float64Array(size);
  for (let step = 0; step < options.steps; step++) {
    gradient.fill(0);
    for (let row = 0; row < examples.length; row++) {
      const from = starts[row] ?? 0;
      const to = starts[row + 1] ?? 0;
      for (let c = 0; c < size; c++) scores[c] = weights[c] ?? 0;
      for (let cell = from; cell < to; cell++) {
        const at = (places[cell] ?? 0) * size;
        const strength = strengths[cell] ?? 0;
        for (let c = 0; c < size; c++) scores[c] = (scores[c] ?? 0) + strength * (weights[at + c] ?? 0);
      }
      let top = Number.NEGATIVE_INFINITY;
      for (let c = 0; c < size; c++) top = Math.max(top, scores[c] ?? 0);
      let total = 0;
      for (let c = 0; c < size; c++) total += scores[c] = Math.exp((scores[c] ?? 0) - top);
      for (let c = 0; c < size; c++) {
        const error = (counts[row] ?? 1) * ((scores[c] ?? 0) / total - (c === targets[row] ? 1 : 0));
        scores[c] = error;
        gradient[c] = (gradient[c] ?? 0) + error;
      }
      for (let cell = from; cell < to; cell++) {
        const at = (places[cell] ?? 0) * size;
        const strength = strengths[cell] ?? 0;
        for (let c = 0; c < size; c++) gradient[at + c] = (gradient[at + c] ?? 0) + strength * (scores[c] ?? 0);
      }
    }
    for (let at = 0; at < weights.length; at++) {
      const pull = at < size ? 0 : options.ridge * (weights[at] ?? 0);
      velocity[at] = 0.9 * (velocity[at] ?? 0) - (0.5 / mass) * ((gradient[at] ?? 0) + pull);
      weights[at] = (weights[at] ?? 0) + (velocity[at] ?? 0);
    }
  }
  const row = (place: number): number[] =>
    classes.map((_, c) => Math.round((weights[place * size + c] ?? 0) * 1000) / 1000);
  const rows = names.map((name, place) => [name, row(place + 1)] as const);
  return {
    classes: [...classes],
    bias: row(0),
    features: Object.fromEntries(rows.filter(([, values]) => values.some((value) => Math.abs(value) >= SMALLEST))),
  };
}

// The training.

const RELEVANCE_CLASSES = ['noise', 'relevant'] as const;

/** Lists the words that the texts write in lower case, sorted: ordinary words rather than names. */
function commonWords(items: readonly LabelledItem[]): string[] {
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

/** The weight of a headline of the demo newsroom, where a real one has 1: its outlets repeat the same event many times. */
const NEWSROOM_WEIGHT = 0.5;

/** Trains both models on labelled items, those of the newsroom with less weight. */
export function trainModels(
  items: readonly LabelledItem[],
  newsroom: readonly LabelledItem[],
  catalogue: PreparedCatalogue,
): Models {
  const relevance: Example[] = [];
  const move: Example[] = [];
  const add = (item: LabelledItem, weight: number): void => {
    const { features } = inspectItem(toItemText(item), catalogue);
    relevance.push({ features, label: item.relevant ? 'relevant' : 'noise', weight });
    if (item.relevant && item.move) move.push({ features, label: item.move, weight });
  };
  for (const item of items) add(item, 1);
  for (const item of newsroom) add(item, NEWSROOM_WEIGHT);
  return {
    relevance: trainSoftmax(relevance, RELEVANCE_CLASSES, { ridge: 3, steps: 300, atLeast: 3 }),
    move: trainSoftmax(move, MOVES, { ridge: 2, steps: 300, atLeast: 2 }),
  };
}

const file = (weights: Weights): string =>
  `{\n"classes": ${JSON.stringify(weights.classes)},\n"bias": ${JSON.stringify(weights.bias)},\n"features": {\n${Object.entries(
    weights.features,
  )
    .map(([name, row]) => `${JSON.stringify(name)}: ${JSON.stringify(row)}`)
    .join(',\n')}\n}\n}\n`;

/** What trains every model, whatever further data there are: the project's own items and those of the newsroom. */
export interface OwnTraining {
  readonly own: readonly LabelledItem[];
  readonly newsroom: readonly LabelledItem[];
}

/** Reads what trains every model. */
export async function readOwnTraining(): Promise<OwnTraining> {
  const [own, newsroom] = await Promise.all([readLabelled(OWN_ITEMS.pathname), readNewsroomItems()]);
  const trains = ({ split }: LabelledItem): boolean => split === 'train';
  return { own: own.filter(trains), newsroom: newsroom.filter(trains) };
}

if (import.meta.main) {
  const { data } = parseArgs({ options: { data: { type: 'string' } } }).values;
  const { own, newsroom } = await readOwnTraining();
  const items = [...own, ...(data === undefined ? [] : await readLabelled(join(data, 'items.jsonl')))];
  const words = commonWords(items);
  const folder = new URL('../ingest/understand/model/', import.meta.url);
  const common = new URL('../language/common.json', import.meta.url);
  if (JSON.stringify(JSON.parse(await readFile(common, 'utf8')).words) !== JSON.stringify(words))
    console.log('the list of common words has changed: run this again');
  await writeFile(common, `${JSON.stringify({ words }).replaceAll('","', '",\n"')}\n`);
  const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
  const { relevance, move } = trainModels(items, newsroom, catalogue);
  await writeFile(new URL('relevance.json', folder), file(relevance));
  await writeFile(new URL('move.json', folder), file(move));
  console.log(
    `${items.length} items, ${newsroom.length} of the newsroom, ${Object.keys(relevance.features).length} + ${Object.keys(move.features).length} features`,
  );
}
