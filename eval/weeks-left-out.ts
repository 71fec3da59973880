/**
 * Models by weeks left out: labelled items are put into folds by whole ISO weeks, and the models of a fold are trained
 * on the items of all other folds, the confidence of facts on what the other folds' models proposed there. So no
 * headline is judged by models that saw its week: outlets repeat each other within one. Facts of labelled items are
 * the examples for the model of confidence (`facts/confidence.ts`).
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type ConfidenceModel, type FactSigns, weighedSigns } from '../facts/confidence.ts';
import type { PreparedCatalogue } from '../facts/text/catalogue.ts';
import { type EncodedItem, type ItemEncoder, openItemEncoder } from '../ingest/understand/encoder/item-encoder.ts';
import type { Models, Weights } from '../ingest/understand/model/linear-model.ts';
import type { Verdict } from '../ingest/understand/understand-item.ts';
import { createUnderstander, formatVerdict, type Understander } from '../ingest/understand/understander.ts';
import { type FactKindName, fieldsWith, noFacts } from '../schemas/facts.ts';
import { type LabelledItem, Labels, toItemText } from './labelled-items.ts';
import { compareItem } from './scoring.ts';
import { type OwnTraining, trainModels, trainSoftmax } from './train-understanding.ts';

/** A fact that the rules proposed for a labelled item, and whether it is right. */
export interface FactExample {
  readonly day: string;
  readonly kind: FactKindName;
  readonly signs: FactSigns;
  readonly isRight: boolean;
}

/**
 * Compares the facts that the rules proposed for an item with its labels. Facts of an item that is noise are wrong; of an
 * item taken for noise nothing is published, so it has no examples. Of several results only the first is labelled.
 * @param verdict by models that did not see the item, without a model of confidence
 */
export function factExamples(item: LabelledItem, verdict: Verdict): FactExample[] {
  if (!verdict.relevant) return [];
  const first = verdict.facts.find(({ kind }) => kind === 'results');
  return verdict.facts
    .filter((judged) => judged.kind !== 'results' || judged === first)
    .flatMap((judged) => {
      const alone = {
        ...verdict,
        facts: [judged],
        understanding: { ...verdict.understanding, ...noFacts(), ...fieldsWith(judged.kind, [judged.fact]) },
      };
      const said = Labels.parse(formatVerdict(item.key, alone, false));
      const compared = compareItem(item, said).find(({ figure }) => figure === `published_${judged.kind}`);
      const [key] = compared?.said ?? [];
      if (key === undefined) return [];
      const isRight = item.relevant && compared?.wanted.includes(key) === true;
      return { day: item.date ?? '', kind: judged.kind, signs: judged.signs, isRight };
    });
}

/** With fewer examples a model would be worse than none. */
const MIN_EXAMPLES = 100;
/** A sign of fewer examples is dropped. */
const AT_LEAST = 6;
/** Chosen by the likelihood of weeks left out. */
const RIDGE = 1;

/** The example as the rules alone would propose it, where no second reader reads. */
const asOneReader = (example: FactExample): FactExample => {
  const own = Object.fromEntries(Object.entries(example.signs.own).filter(([name]) => !name.startsWith('agreed')));
  return { ...example, signs: { ...example.signs, own: { ...own, 'one reader': 1 } } };
};

/** Trains the model of confidence. Deterministic. @returns null when there are too few examples */
export function trainConfidence(examples: readonly FactExample[]): ConfidenceModel | null {
  if (examples.length < MIN_EXAMPLES) return null;
  const { bias, weights } = logisticOf(
    trainSoftmax(
      [...examples, ...examples.map(asOneReader)].map(({ kind, signs, isRight }) => ({
        features: weighedSigns(kind, signs),
        label: isRight ? 'right' : 'wrong',
      })),
      ['wrong', 'right'],
      { ridge: RIDGE, steps: 600, atLeast: AT_LEAST },
    ),
  );
  // Agreement of two readers never speaks against a fact: where its weight is negative, the examples were too few.
  const weightOf = (name: string, weight: number): number => (name.includes(': agreed') ? Math.max(0, weight) : weight);
  return {
    bias,
    weights: Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, weightOf(name, weight)])),
  };
}

/** Weights of two classes as those of the second against the first. */
export function logisticOf({ bias, features }: Weights): ConfidenceModel {
  const difference = ([first = 0, second = 0]: readonly number[]): number => Math.round((second - first) * 1000) / 1000;
  return {
    bias: difference(bias),
    weights: Object.fromEntries(Object.entries(features).map(([name, row]) => [name, difference(row)])),
  };
}

const FOLDS = 3;
const DAY = 86_400_000;

/** The ISO 8601 week of a date, such as `2026-W24`. @throws RangeError when it is no date */
export function isoWeekOf(date: string): string {
  const day = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  // The week belongs to the year of its Thursday.
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * DAY);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY)) + 1;
  if (Number.isNaN(week)) throw new RangeError(`${JSON.stringify(date)} is no date`);
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Puts weeks into folds: in order of time, each into the smallest fold that does not have the week before. */
export function chooseFolds(dates: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const date of dates) counts.set(isoWeekOf(date), (counts.get(isoWeekOf(date)) ?? 0) + 1);
  const sizes = Array.from({ length: FOLDS }, () => 0);
  const folds = new Map<string, number>();
  let last = -1;
  for (const week of [...counts.keys()].sort()) {
    const free = sizes.flatMap((size, fold) => (fold === last ? [] : { size, fold }));
    last = free.reduce((least, one) => (one.size < least.size ? one : least)).fold;
    sizes[last] = (sizes[last] ?? 0) + (counts.get(week) ?? 0);
    folds.set(week, last);
  }
  return folds;
}

/** Reads `folds.json` of a folder of labelled data (`{isoWeek: fold}`), else chooses folds by the dates. */
export function readFolds(folder: string, dates: readonly string[]): ReadonlyMap<string, number> {
  const file = join(folder, 'folds.json');
  if (!existsSync(file)) return chooseFolds(dates);
  return new Map(Object.entries(z.record(z.string(), z.int()).parse(JSON.parse(readFileSync(file, 'utf8')))));
}

/** Understands items of the weeks of one fold, without having seen these weeks. */
export interface LeftOut {
  readonly understander: Understander;
  /** The facts that the rules propose for its items, as examples for the confidence of other folds. */
  readonly examples: readonly FactExample[];
  /** True for a date in the weeks that it has not seen. */
  holds(date: string | null): boolean;
}

/** Each item is encoded and understood once: a measurement asks several times. Always gives the reasons. */
function remembering(understander: Understander): Understander {
  const known = new Map<string, ReturnType<Understander['understand']>>();
  return {
    ...understander,
    understand(item) {
      const key = JSON.stringify([item.title, item.summary, item.url, item.outlet, item.published_at]);
      const verdict = known.get(key) ?? understander.understand(item, { explain: true });
      known.set(key, verdict);
      return verdict;
    },
  };
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/**
 * Opens an encoder that keeps what it said in a file, so that the next measurement does not ask again: encoding is nine
 * tenths of its time.
 * @param weights the file of the encoder; what it said is kept in the same folder, under the hash of these weights
 */
async function openCachedEncoder(weights: string): Promise<ItemEncoder> {
  const hash = sha256(readFileSync(weights)).slice(0, 12);
  const file = join(dirname(weights), `encoded.${hash}.jsonl`);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const known = new Map(lines.map((line) => JSON.parse(line) as [text: string, encoded: EncodedItem]));
  const encode = await openItemEncoder(weights);
  return async (item) => {
    const text = sha256(JSON.stringify([item.title, item.summary]));
    const encoded = known.get(text) ?? (await encode(item));
    if (!known.has(text)) appendFileSync(file, `${JSON.stringify([text, encoded])}\n`);
    known.set(text, encoded);
    return encoded;
  };
}

/**
 * Trains linear models without the weeks of each fold, and opens the encoder of each fold: `encoder.FOLD.onnx` in the folder,
 * trained without the same weeks. Without that file the fold is understood by linear models and rules alone, since the
 * shipped encoder may have seen its weeks.
 * @param items labelled items; those without a date, or of a week in no fold, train all folds and are held by none
 * @param always items that train every fold, such as the project's own
 */
export async function leaveOutWeeks(
  folder: string,
  items: readonly LabelledItem[],
  always: OwnTraining,
  catalogue: PreparedCatalogue,
  onTrained: (done: number, total: number) => void = () => undefined,
): Promise<LeftOut[]> {
  const folds = readFolds(
    folder,
    items.flatMap(({ date }) => date ?? []),
  );
  const numbers = [...new Set(folds.values())].sort((a, b) => a - b);
  const trained: (Omit<LeftOut, 'understander'> & { models: Models; encode: ItemEncoder | null })[] = [];
  for (const fold of numbers) {
    const holds = (date: string | null): boolean => date !== null && folds.get(isoWeekOf(date)) === fold;
    const others = items.filter(({ date }) => !holds(date));
    const models = trainModels([...always.own, ...others], always.newsroom, catalogue);
    const weights = join(folder, `encoder.${fold}.onnx`);
    const encode = existsSync(weights) ? await openCachedEncoder(weights) : null;
    const proposing = createUnderstander(catalogue, encode, models, null);
    const examples: FactExample[] = [];
    for (const item of items)
      if (holds(item.date)) examples.push(...factExamples(item, await proposing.understand(toItemText(item))));
    trained.push({ models, encode, holds, examples });
    onTrained(trained.length, numbers.length);
  }
  return trained.map(({ models, encode, holds, examples }) => {
    const others = trained.flatMap((one) => (one.examples === examples ? [] : one.examples));
    const understander = createUnderstander(catalogue, encode, models, trainConfidence(others));
    return { understander: remembering(understander), examples, holds };
  });
}
