/**
 * Trains the reading of questions: `node eval/ask/train-reading.ts [--left-out]` writes `answer/question/learned-reading.json`.
 * `wordings.jsonl` has questions of many authors with what each wants. With `--left-out` it writes nothing, and prints how many of
 * the questions of each author a model reads right that was trained on those of the others.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  COLUMNS,
  EACH,
  featuresOf,
  GROUPS,
  type Group,
  inWords,
  numbersOf,
  strengthOf,
  withSorts,
} from '../../answer/question/learned-reading.ts';
import { marked } from '../../answer/question/marked-question.ts';
import { openCatalogue } from '../../bin/services.ts';
import { meaningsByEncoder } from '../../ingest/understand/encoder/item-encoder.ts';
import { MEANING_LENGTH } from '../../signal/meaning.ts';
import { adam, seeded, shuffle } from './training-steps.ts';

const oneOf = (group: Group) => z.enum(GROUPS[group] as readonly string[] as [string, ...string[]]);

/** A question, its author, and what it wants; fields that do not apply are left out. */
export const Wording = z.strictObject({
  by: z.string(),
  q: z.string(),
  intent: oneOf('intent'),
  kind: z.array(oneOf('kind')).default([]),
  store_status: oneOf('store_status').default(''),
  deal: z.array(oneOf('deal')).default([]),
  deal_role: oneOf('deal_role').default(''),
  deal_status: oneOf('deal_status').default(''),
  person_move: oneOf('person_move').default(''),
  person_asks: oneOf('person_asks').default(''),
  metric: oneOf('metric').default(''),
  action: oneOf('action').default(''),
  condition: oneOf('condition').default(''),
  condition_of: oneOf('condition_of').default(''),
  measure: oneOf('measure').default(''),
  by_group: oneOf('by').default(''),
  order: oneOf('order').default(''),
  /** What the question asks for that no field says. */
  rest: z.string().default(''),
});
export type Wording = z.infer<typeof Wording>;

export const readWordings = (): Wording[] =>
  readFileSync(new URL('wordings.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => Wording.parse(JSON.parse(line)));

const NAMES = Object.keys(GROUPS) as Group[];
/** The classes of a group that hold of a question. */
const classesOf = (wording: Wording, group: Group): readonly string[] => {
  const value = group === 'by' ? wording.by_group : group === 'rest' ? (wording.rest ? ['rest'] : []) : wording[group];
  return typeof value === 'string' ? [value] : value;
};

/** A question as features, and the columns that hold. */
interface Example {
  readonly wording: Wording;
  readonly features: ReadonlyMap<string, unknown>;
  readonly numbers: readonly number[];
  readonly target: Uint8Array;
}

async function examplesOf(wordings: readonly Wording[]): Promise<Example[]> {
  const catalogue = await openCatalogue();
  const meaningOf = meaningsByEncoder(console.warn);
  const now = new Date('2026-07-31T12:00:00Z');
  const examples: Example[] = [];
  for (const wording of wordings) {
    const sorted = withSorts(marked(wording.q, catalogue, now, []));
    const target = Uint8Array.from(
      NAMES.flatMap((group) => GROUPS[group].map((name) => Number(classesOf(wording, group).includes(name)))),
    );
    const numbers = numbersOf(await meaningOf(inWords(sorted)));
    examples.push({ wording, features: featuresOf(sorted), numbers, target });
  }
  return examples;
}

/** A feature of fewer questions is left out: it would be learned by heart. */
const AT_LEAST = 4;
const EPOCHS = 30;
const BATCH = 16;
const RATE = 0.003;
const RIDGE = 1e-4;
/** Share of questions that are trained on without their meaning: the encoder may be unavailable, and words learn more. */
const WITHOUT_MEANING = 0.5;

interface Model {
  readonly features: readonly string[];
  /** A row for each feature, then for each number of a meaning, then what every question has. */
  readonly weights: Float64Array;
}

/** The place of each row that a question has, and what it weighs there. */
function cellsOf({ features, numbers }: Pick<Example, 'features' | 'numbers'>, rows: ReadonlyMap<string, number>) {
  const strength = strengthOf(features, (feature) => rows.has(feature));
  const cells: [row: number, times: number][] = [];
  for (const feature of features.keys()) {
    const row = rows.get(feature);
    if (row !== undefined) cells.push([row, strength]);
  }
  for (const [index, value] of numbers.entries()) cells.push([rows.size + index, value]);
  return [...cells, [rows.size + MEANING_LENGTH, 1] as [number, number]];
}

function scoresOf(cells: readonly (readonly [number, number])[], weights: Float64Array): Float64Array {
  const scores = new Float64Array(COLUMNS);
  for (const [row, times] of cells)
    for (let column = 0, at = row * COLUMNS; column < COLUMNS; column++, at++)
      scores[column] = (scores[column] as number) + times * (weights[at] as number);
  return scores;
}

/** Turns scores into probabilities, in place. */
function toProbabilities(scores: Float64Array): void {
  let start = 0;
  for (const group of NAMES) {
    const part = scores.subarray(start, start + GROUPS[group].length);
    start += part.length;
    const top = Math.max(...part);
    const powers = part.map((score) => Math.exp(score - top));
    const total = powers.reduce((sum, power) => sum + power, 0);
    part.set(EACH.has(group) ? part.map((score) => 1 / (1 + Math.exp(-score))) : powers.map((power) => power / total));
  }
}

/** Trains by Adam on shuffled batches. The same questions give the same weights. */
function train(examples: readonly Example[]): Model {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const feature of features.keys()) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const features = [...counts].flatMap(([feature, count]) => (count >= AT_LEAST ? [feature] : [])).sort();
  const rows = new Map(features.map((feature, index) => [feature, index]));
  const size = (features.length + MEANING_LENGTH + 1) * COLUMNS;
  const [weights, gradient] = [new Float64Array(size), new Float64Array(size)];
  const makeStep = adam(weights, RIDGE);
  const random = seeded();
  const order = examples.map((_, index) => index);
  const steps = EPOCHS * Math.ceil(order.length / BATCH);
  let step = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    for (let from = 0; from < order.length; from += BATCH, step++) {
      const batch = order.slice(from, from + BATCH);
      const touched = new Set<number>();
      for (const index of batch) {
        const example = examples[index] as Example;
        const isBare = random() < WITHOUT_MEANING;
        const cells = cellsOf(isBare ? { ...example, numbers: [] } : example, rows);
        const error = scoresOf(cells, weights);
        toProbabilities(error);
        for (const [column, holds] of example.target.entries())
          error[column] = ((error[column] as number) - holds) / batch.length;
        for (const [row, times] of cells) {
          touched.add(row);
          for (let column = 0, at = row * COLUMNS; column < COLUMNS; column++, at++)
            gradient[at] = (gradient[at] as number) + times * (error[column] as number);
        }
      }
      const places = [...touched].flatMap((row) =>
        Array.from({ length: COLUMNS }, (_, column) => row * COLUMNS + column),
      );
      makeStep(gradient, RATE * (1 - step / steps), places);
      for (const at of places) gradient[at] = 0;
    }
  }
  return { features, weights };
}

/** A model in the form of `learned-reading.json`: whole numbers from -127 to 127, and the size of one for each column. */
function packed({ features, weights }: Model) {
  const scales = Array.from({ length: COLUMNS }, (_, column) => {
    let most = 0;
    for (let at = column; at < weights.length; at += COLUMNS) most = Math.max(most, Math.abs(weights[at] as number));
    return Number((most / 127).toPrecision(5)) || 1;
  });
  const values = Int8Array.from(weights, (value, at) => Math.round(value / (scales[at % COLUMNS] as number)));
  return { features, scales, rows: Buffer.from(values.buffer).toString('base64') };
}

/** Shares of questions that a model reads right, by group. */
function measure({ features, weights }: Model, examples: readonly Example[]): Record<string, number> {
  const rows = new Map(features.map((feature, index) => [feature, index]));
  const right = Object.fromEntries(NAMES.map((group) => [group, 0])) as Record<Group, number>;
  for (const example of examples) {
    const scores = scoresOf(cellsOf(example, rows), weights);
    let start = 0;
    for (const group of NAMES) {
      const part = [...scores.subarray(start, start + GROUPS[group].length)];
      start += part.length;
      const best = part.indexOf(Math.max(...part));
      const read = GROUPS[group].filter((_, index) => (EACH.has(group) ? (part[index] as number) > 0 : index === best));
      const said = GROUPS[group].filter((name) => classesOf(example.wording, group).includes(name));
      if (read.join() === said.join()) right[group]++;
    }
  }
  return Object.fromEntries(NAMES.map((group) => [group, Number((right[group] / examples.length).toFixed(3))]));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'left-out': { type: 'boolean', default: false } } });
  const examples = await examplesOf(readWordings());
  if (values['left-out']) {
    const authors = [...new Set(examples.map(({ wording }) => wording.by))];
    const figures = authors.map((author) => {
      const [own, others] = [true, false].map((isOwn) =>
        examples.filter(({ wording }) => (wording.by === author) === isOwn),
      ) as [Example[], Example[]];
      return [author, { questions: own.length, ...measure(train(others), own) }] as const;
    });
    console.table(Object.fromEntries(figures));
  } else {
    const file = new URL('../../answer/question/learned-reading.json', import.meta.url);
    writeFileSync(file, `${JSON.stringify(packed(train(examples)))}\n`);
    console.log(`${examples.length} questions`);
  }
  process.exit(0);
}
