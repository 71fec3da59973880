/**
 * Fits the weights of the matching model: `node eval/train-matching.ts [FILE.jsonl[@WEIGHT]...]`, JSON lines
 * `{key, a, b, same}`. Our own pairs (`eval/pairs.jsonl`) always take part, each as half a pair, because they are harder
 * than real news. The shipped weights were fitted with further labelled pairs of real headlines, which we may not
 * redistribute. Prints the F1 of each file with each week left out in turn.
 *
 * `node eval/train-matching.ts --stream DIR` fits instead how that score and the encoder's vectors combine, on the candidate
 * pairs of `DIR/events.jsonl`, each with the vectors and verdicts of models that did not see its week; see README.md for
 * the folder. It leaves the other weights as they are.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { featuresOfItem } from '../ingest/match/compare-pairs.ts';
import { COMPARISONS, type Comparison, compare, logOddsByWords } from '../ingest/match/comparison.ts';
import type { Features } from '../ingest/match/report-features.ts';
import { daysBetween, type Veto, vetoBetween } from '../ingest/match/vetoes.ts';
import { openUnderstander, type Understander } from '../ingest/understand/understander.ts';
import { readLabelled } from './labelled-items.ts';
import { readEvents } from './measure-labelled.ts';
import { loadPairCatalogue, type Pair, readPairs } from './measure-matching.ts';
import { readOwnTraining } from './train-understanding.ts';
import { leaveOutWeeks } from './weeks-left-out.ts';

// Logistic regression with L2, by full-batch gradient descent with momentum: deterministic, without a dependency.

interface Example {
  readonly numbers: readonly number[];
  readonly label: boolean;
  /** What rules the pair out, whatever the model says. */
  readonly veto?: Veto | null;
  /** Default 1. */
  readonly weight?: number;
}

interface Linear {
  readonly bias: number;
  readonly weights: readonly number[];
}

const probability = (model: Linear, numbers: readonly number[]): number =>
  1 / (1 + Math.exp(-numbers.reduce((sum, number, index) => sum + number * (model.weights[index] ?? 0), model.bias)));

/**
 * Fits a model.
 * @param regularisation strength of the L2 term per example; the bias has none
 * @param signs per number: 1 keeps its weight at or above 0, -1 at or below, 0 leaves it free
 */
function fitLogistic(
  examples: readonly Example[],
  regularisation: number,
  signs: readonly number[],
  rounds = 3_000,
): Linear {
  const size = examples[0]?.numbers.length ?? 0;
  let bias = 0;
  let weights = new Array<number>(size).fill(0);
  let speed = new Array<number>(size + 1).fill(0);
  const mass = examples.reduce((sum, example) => sum + (example.weight ?? 1), 0);
  for (let round = 0; round < rounds; round++) {
    const slope = new Array<number>(size + 1).fill(0);
    for (const { numbers, label, weight = 1 } of examples) {
      const miss = (weight * (probability({ bias, weights }, numbers) - (label ? 1 : 0))) / mass;
      for (let index = 0; index < size; index++) slope[index] = (slope[index] ?? 0) + miss * (numbers[index] ?? 0);
      slope[size] = (slope[size] ?? 0) + miss;
    }
    speed = speed.map((old, index) => {
      const pull = index < size ? (regularisation / mass) * (weights[index] ?? 0) : 0;
      return 0.9 * old - 0.3 * ((slope[index] ?? 0) + pull);
    });
    weights = weights.map((old, index) => {
      const next = old + (speed[index] ?? 0);
      return (signs[index] ?? 0) * next < 0 ? 0 : next;
    });
    bias += speed[size] ?? 0;
  }
  return { bias, weights };
}

/** The sign that a weight may have: evidence for a match must not become evidence against it by a few examples. */
const SIGNS: Partial<Record<Comparison, 1 | -1>> = {
  title_words: 1,
  title_found: 1,
  title_found_least: 1,
  rare_words: 1,
  rarest_word: 1,
  subject_found: 1,
  subject_lost: -1,
  figures_agree: 1,
  figures_conflict: -1,
  money_agrees: 1,
  name_and_act: 1,
  brand_and_act: 1,
  acts_conflict: -1,
  days_apart: -1,
  names_of_each: -1,
  direction_conflict: -1,
  further_later: -1,
  same_brand: 1,
  same_move: 1,
  other_move: -1,
  same_person: 1,
  other_city: -1,
  other_place: -1,
};

// The training.

/** The week of a pair, for leaving whole weeks out. */
const weekOf = (pair: Pair): number => Math.floor(Date.parse(pair.a.date) / (7 * 86_400_000));

/** The numbers that the model sees. */
const toExample = async (pair: Pair, understander: Understander): Promise<Example> => {
  const [a, b] = [await featuresOfItem(pair.a, understander), await featuresOfItem(pair.b, understander)];
  return { numbers: compare(a, b), label: pair.same, veto: vetoBetween(a, b) };
};

const OWN_WEIGHT = 0.5;
const REGULARISATION = 0.3;
/** The best threshold over all files with each week left out; the result is flat from 0.40 to 0.55. */
const THRESHOLD = 0.45;
const OWN = new URL('pairs.jsonl', import.meta.url).pathname;

const WEIGHTS = new URL('../ingest/match/model/weights.json', import.meta.url);
const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Replaces these weights in the shipped file, and leaves the others. */
const writeWeights = (changed: object): void =>
  writeFileSync(WEIGHTS, `${JSON.stringify({ ...JSON.parse(readFileSync(WEIGHTS, 'utf8')), ...changed }, null, 2)}\n`);

/** Pairs further apart are compared by other rules. */
const MAX_DAYS = 7;
/** Share of the pairs at or above the threshold that are right, with noise among them: about 0.9 of those of moves. */
const PRECISION = 0.85;
const numberOf = (numbers: readonly number[], name: Comparison): number => numbers[COMPARISONS.indexOf(name)] ?? 0;

/** True for a pair that the search for candidates finds: it shares a name, a figure or the meaning. */
const isCandidate = (numbers: readonly number[]): boolean =>
  numberOf(numbers, 'rarest_word') >= 0.6 ||
  numberOf(numbers, 'same_brand') > 0 ||
  numberOf(numbers, 'figures_agree') > 0 ||
  numberOf(numbers, 'meaning') > 0.8;

/** Fits `with_meaning` on the stream of a folder of labelled data, by weeks left out. */
async function fitMeaning(folder: string): Promise<void> {
  const [items, events] = [
    await readLabelled(join(folder, 'items.jsonl')),
    await readEvents(join(folder, 'events.jsonl')),
  ];
  const folds = await leaveOutWeeks(folder, items, await readOwnTraining(), await loadPairCatalogue());
  const examples: Example[] = [];
  for (const { understander, holds } of folds) {
    const features: Features[] = [];
    for (const event of events) features.push(await featuresOfItem(event, understander));
    for (const [later, one] of features.entries()) {
      const own = events[later];
      if (!own || !holds(own.date)) continue;
      for (const [earlier, other] of features.slice(0, later).entries()) {
        if (daysBetween(other, one) > MAX_DAYS) continue;
        const numbers = compare(other, one);
        const label = own.event !== null && own.event === events[earlier]?.event;
        if (vetoBetween(other, one) || (!label && !isCandidate(numbers))) continue;
        const meaning = numberOf(numbers, 'meaning');
        if (meaning > 0)
          // Scaled to about 1, so that all three are learned alike.
          examples.push({ numbers: [logOddsByWords(numbers) / 9, meaning, numberOf(numbers, 'same_outlet')], label });
      }
    }
  }
  const { bias, weights } = fitLogistic(examples, REGULARISATION, [1, 1, -1]);
  const logOdds = ({ numbers }: Example): number =>
    numbers.reduce((sum, number, index) => sum + number * (weights[index] ?? 0), bias);
  const sorted = examples.map((one) => ({ at: logOdds(one), label: one.label })).sort((a, b) => b.at - a.at);
  let [right, lowest] = [0, sorted[0]?.at ?? 0];
  for (const [index, { at, label }] of sorted.entries()) {
    if (label) right++;
    if (right / (index + 1) >= PRECISION) lowest = at;
  }
  const [score = 0, meaning = 0, same_outlet = 0] = weights;
  const shifted = bias + Math.log(THRESHOLD / (1 - THRESHOLD)) - lowest;
  const with_meaning = {
    bias: round(shifted),
    score: round(score / 9),
    meaning: round(meaning),
    same_outlet: round(same_outlet),
  };
  writeWeights({ with_meaning });
  console.log(
    JSON.stringify({ pairs: examples.length, same: examples.filter(({ label }) => label).length, with_meaning }),
  );
}

/** Fits the weights of words, figures and names on labelled pairs. */
async function fitWords(positionals: readonly string[]): Promise<void> {
  const signs = COMPARISONS.map((name) => SIGNS[name] ?? 0);
  const files = [
    { file: OWN, weight: OWN_WEIGHT },
    ...positionals.map((argument) => {
      const [file = '', weight = '1'] = argument.split('@');
      return { file, weight: Number(weight) };
    }),
  ];
  const understander = await openUnderstander(await loadPairCatalogue(), console.warn);
  const pairs: { file: string; week: number; pair: Pair; example: Example }[] = [];
  for (const { file, weight } of files)
    for (const pair of readPairs(file)) {
      const example = { ...(await toExample(pair, understander)), weight };
      pairs.push({ file, week: weekOf(pair), pair, example });
    }
  const fitted = (among: typeof pairs): Linear =>
    fitLogistic(
      among.map(({ example }) => example),
      REGULARISATION,
      signs,
    );
  const says = (model: Linear, { numbers, veto }: Example): boolean =>
    !veto && probability(model, numbers) >= THRESHOLD;

  const counts = new Map(files.map(({ file }) => [file, { right: 0, wrong: 0, missed: 0 }]));
  for (const week of new Set(pairs.map((one) => one.week))) {
    const model = fitted(pairs.filter((one) => one.week !== week));
    for (const { file, pair, example } of pairs.filter((one) => one.week === week)) {
      const count = counts.get(file);
      const said = says(model, example);
      if (!count || said === pair.same) {
        if (count && said) count.right++;
      } else if (said) count.wrong++;
      else count.missed++;
    }
  }

  const model = fitted(pairs);
  const weights = Object.fromEntries(COMPARISONS.map((name, index) => [name, round(model.weights[index] ?? 0)]));
  writeWeights({ bias: round(model.bias), weights, threshold: THRESHOLD });
  for (const [file, { right, wrong, missed }] of counts) {
    const left_out_f1 = round((2 * right) / (2 * right + wrong + missed));
    console.log(JSON.stringify({ file: file === OWN ? 'own' : file, left_out_f1, right, wrong, missed }));
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { stream: { type: 'string' } } });
if (values.stream === undefined) await fitWords(positionals);
else await fitMeaning(values.stream);
