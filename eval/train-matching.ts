/**
 * Fits the weights of the matching model: `node eval/train-matching.ts [FILE.jsonl...]`, JSON lines `{key, a, b, same}`.
 * Our own pairs (`eval/pairs.jsonl`) are always among them. The shipped weights were fitted with further labelled
 * pairs of real headlines, which are not ours to redistribute. Prints the F1 that leaving each week out in turn gives.
 */
import { writeFileSync } from 'node:fs';
import { COMPARISONS } from '../ingest/match/compare.ts';
import { isRuledOut } from '../ingest/match/score.ts';
import { fitLogistic, probability } from './logistic.ts';
import { catalogueOfPairs, exampleOf, type Pair, readPairs, weekOf } from './pairs.ts';
import { SIGNS } from './train-signs.ts';

const THRESHOLD = 0.5;
const REGULARISATION = 0.3;

const signs = COMPARISONS.map((name) => SIGNS[name] ?? 0);

const own = new URL('pairs.jsonl', import.meta.url);
const pairs = [...readPairs(own), ...process.argv.slice(2).flatMap((file) => readPairs(file))];
const catalogue = await catalogueOfPairs();
const examples = pairs.map((pair) => exampleOf(pair, catalogue));
const train = (keep: (pair: Pair) => boolean) =>
  fitLogistic(
    examples.filter((_, index) => keep(pairs[index] as Pair)),
    REGULARISATION,
    signs,
  );

const count = { right: 0, wrong: 0, missed: 0 };
for (const week of new Set(pairs.map(weekOf))) {
  const model = train((pair) => weekOf(pair) !== week);
  for (const [index, pair] of pairs.entries()) {
    if (weekOf(pair) !== week) continue;
    const numbers = examples[index]?.numbers ?? [];
    const said = !isRuledOut(numbers) && probability(model, numbers) >= THRESHOLD;
    if (said && pair.same) count.right++;
    else if (said) count.wrong++;
    else if (pair.same) count.missed++;
  }
}
const f1 = (2 * count.right) / (2 * count.right + count.wrong + count.missed);

const model = train(() => true);
const round = (value: number): number => Math.round(value * 1000) / 1000;
const weights = Object.fromEntries(COMPARISONS.map((name, index) => [name, round(model.weights[index] ?? 0)]));
writeFileSync(
  new URL('../ingest/match/model/weights.json', import.meta.url),
  `${JSON.stringify({ bias: round(model.bias), weights, threshold: THRESHOLD }, null, 2)}\n`,
);
console.log(JSON.stringify({ pairs: pairs.length, left_out_f1: round(f1), ...count }));
