/**
 * Trains the confidence of facts and writes its weights: `node eval/train-confidence.ts --data DIR [--encoder FILE.onnx]`, a
 * folder of labelled data (README.md). Its headlines must be new to all readers: those who wrote the rules have not read them,
 * and the encoder has not learned from them, else agreement seems to say more than it does. Prints, for every kind of fact and
 * threshold, what would be published with the week of the fact left out.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printTable } from '../bin/terminal.ts';
import { FACTS } from '../facts/all-facts.ts';
import { confidenceIn } from '../facts/confidence.ts';
import { loadCatalogue, prepareCatalogue } from '../facts/text/catalogue.ts';
import { openItemEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import { createUnderstander } from '../ingest/understand/understander.ts';
import { readLabelled, toItemText } from './labelled-items.ts';
import { type FactExample, factExamples, isoWeekOf, trainConfidence } from './weeks-left-out.ts';

const THRESHOLDS = [0, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85];

/** The confidence of each example by a model that did not see its week. */
function judgeLeftOut(examples: readonly FactExample[]): { example: FactExample; confidence: number }[] {
  const weeks = Map.groupBy(examples, ({ day }) => isoWeekOf(day));
  return [...weeks].flatMap(([week, left]) => {
    const model = trainConfidence(examples.filter(({ day }) => isoWeekOf(day) !== week));
    return left.map((example) => ({
      example,
      confidence: model ? confidenceIn(model, example.kind, example.signs) : 1,
    }));
  });
}

const { data, encoder } = parseArgs({ options: { data: { type: 'string' }, encoder: { type: 'string' } } }).values;
if (data === undefined) throw new Error("--data DIR is required: the project's own items have no labels of facts");
const catalogue = prepareCatalogue(await loadCatalogue(process.env.CATALOGUE ?? 'deploy/catalogue'));
const understander = createUnderstander(catalogue, await openItemEncoder(encoder), undefined, null);
const examples: FactExample[] = [];
for (const item of await readLabelled(join(data, 'items.jsonl')))
  examples.push(...factExamples(item, await understander.understand(toItemText(item))));
const model = trainConfidence(examples);
if (!model) throw new Error(`${examples.length} facts are too few to train on`);
const file = new URL('../facts/confidence.json', import.meta.url);
await writeFile(file, `${JSON.stringify(model, null, 2)}\n`);

const judged = judgeLeftOut(examples);
printTable(
  ['fact', 'threshold', 'published', 'of them right', 'right ones dropped'],
  FACTS.filter(({ read }) => read.leastConfidence).flatMap(({ kind }) =>
    THRESHOLDS.map((least) => {
      const own = judged.filter(({ example }) => example.kind === kind);
      const kept = own.filter(({ confidence }) => confidence >= least);
      const right = kept.filter(({ example }) => example.isRight).length;
      const dropped = own.filter(({ example }) => example.isRight).length - right;
      return [kind, String(least), String(kept.length), (right / kept.length).toFixed(3), String(dropped)];
    }),
  ),
);
