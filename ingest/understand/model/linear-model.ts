/**
 * The linear models of relevance and kind of move: weights of named features per class, added up and turned into
 * probabilities. And what they and the encoder say together: their log-odds are weighted and added (a logistic opinion
 * pool), with weights fitted on weeks that neither had seen in training; without the encoder the linear models decide
 * alone.
 */
import type { EncodedItem } from '../encoder/item-encoder.ts';
import weights from './combination.json' with { type: 'json' };
import move from './move.json' with { type: 'json' };
import relevance from './relevance.json' with { type: 'json' };

export interface Weights {
  readonly classes: readonly string[];
  readonly bias: readonly number[];
  /** One weight per class for each feature. */
  readonly features: Readonly<Record<string, readonly number[]>>;
}

interface Scored {
  readonly probabilities: Readonly<Record<string, number>>;
  readonly best: string;
}

interface Table {
  /** By feature, the weights of all models, one after the other. */
  readonly rows: ReadonlyMap<string, Float64Array>;
  readonly bias: readonly number[];
}

const TABLES = new WeakMap<Weights, WeakMap<Weights, Table>>();

/** Two models in one table, made once: a feature is looked up once for both. */
function tableOf(first: Weights, second: Weights): Table {
  const made = TABLES.get(first)?.get(second);
  if (made) return made;
  const [size, more] = [first.bias.length, second.bias.length];
  const rows = new Map<string, Float64Array>();
  for (const name of new Set([...Object.keys(first.features), ...Object.keys(second.features)])) {
    const row = new Float64Array(size + more);
    row.set(first.features[name] ?? []);
    row.set(second.features[name] ?? [], size);
    rows.set(name, row);
  }
  const table = { rows, bias: [...first.bias, ...second.bias] };
  const bySecond = TABLES.get(first) ?? new WeakMap<Weights, Table>();
  TABLES.set(first, bySecond.set(second, table));
  return table;
}

function scored(weights: Weights, sums: Float64Array): Scored {
  const top = Math.max(...sums);
  const powers = Array.from(sums, (sum) => Math.exp(sum - top));
  const total = powers.reduce((left, right) => left + right, 0);
  const probabilities = Object.fromEntries(weights.classes.map((name, index) => [name, (powers[index] ?? 0) / total]));
  return { probabilities, best: weights.classes[sums.indexOf(top)] ?? '' };
}

/** Scores features by two models: the sum of the weights, each times the feature's strength. Unknown features weigh nothing. */
export function scoreBoth(
  first: Weights,
  second: Weights,
  features: ReadonlyMap<string, number>,
): readonly [Scored, Scored] {
  const { rows, bias } = tableOf(first, second);
  const sums = Float64Array.from(bias);
  const size = sums.length;
  features.forEach((strength, name) => {
    const row = rows.get(name);
    if (row === undefined) return;
    for (let index = 0; index < size; index++)
      sums[index] = (sums[index] as number) + strength * (row[index] as number);
  });
  const split = first.bias.length;
  return [scored(first, sums.subarray(0, split)), scored(second, sums.subarray(split))];
}

/** The features with the highest contribution to a class, strongest first: what an explanation names. */
export function strongestFeatures(
  weights: Weights,
  features: ReadonlyMap<string, number>,
  name: string,
  count = 5,
): string[] {
  const index = weights.classes.indexOf(name);
  return [...features]
    .map(([feature, strength]) => ({ feature, pull: strength * (weights.features[feature]?.[index] ?? 0) }))
    .filter(({ pull }) => pull > 0)
    .sort((a, b) => b.pull - a.pull)
    .slice(0, count)
    .map(({ feature }) => feature);
}

export interface Models {
  /** Classes `noise` and `relevant`. */
  readonly relevance: Weights;
  /** One class per kind of move. */
  readonly move: Weights;
}

export const SHIPPED_MODELS: Models = { relevance, move };

/** The opinions on one question, as probabilities. */
export interface Opinions {
  readonly linear: Scored;
  /** Null without an encoder. */
  readonly encoder: Scored | null;
  /** What counts. */
  readonly combined: Scored;
}

/** Log-probabilities are cut here, so that one model's certainty never makes the other's opinion void. */
const SMALLEST = 1e-6;

/** From scores that are logarithms, up to a constant, of probabilities. */
export function fromLogs(logs: Readonly<Record<string, number>>): Scored {
  const top = Math.max(...Object.values(logs));
  const powers = Object.entries(logs).map(([name, log]) => [name, Math.exp(log - top)] as const);
  const total = powers.reduce((sum, [, power]) => sum + power, 0);
  const best = powers.reduce((left, right) => (right[1] > left[1] ? right : left), ['', -1] as readonly [
    string,
    number,
  ]);
  return { probabilities: Object.fromEntries(powers.map(([name, power]) => [name, power / total])), best: best[0] };
}

/** Adds up two opinions on the same classes. */
function pool(
  linear: Scored,
  encoder: Scored,
  weight: { readonly linear: number; readonly encoder: number },
  bias: Readonly<Record<string, number>> = {},
): Scored {
  const log = (scored: Scored, name: string): number => Math.log(Math.max(SMALLEST, scored.probabilities[name] ?? 0));
  return fromLogs(
    Object.fromEntries(
      Object.keys(linear.probabilities).map((name) => [
        name,
        weight.linear * log(linear, name) + weight.encoder * log(encoder, name) + (bias[name] ?? 0),
      ]),
    ),
  );
}

/** Relevance: classes `relevant` and `noise`. */
export function combineRelevance(linear: Scored, encoded: EncodedItem | null): Opinions {
  if (!encoded) return { linear, encoder: null, combined: linear };
  const encoder = fromLogs({ relevant: encoded.relevance, noise: 0 });
  return { linear, encoder, combined: pool(linear, encoder, weights.relevance, { relevant: weights.relevance.bias }) };
}

/** The kind of move: one class per kind. */
export function combineMove(linear: Scored, encoded: EncodedItem | null): Opinions {
  if (!encoded) return { linear, encoder: null, combined: linear };
  const encoder = fromLogs(encoded.move);
  return { linear, encoder, combined: pool(linear, encoder, weights.move) };
}

/** What each model says of a class, in words: `features 83 %, encoder 95 %, together 92 %`. */
export function describeOpinions({ linear, encoder, combined }: Opinions, name: string): string {
  const percent = (scored: Scored): string => `${Math.round((scored.probabilities[name] ?? 0) * 100)} %`;
  return encoder
    ? `features ${percent(linear)}, encoder ${percent(encoder)}, together ${percent(combined)}`
    : `features ${percent(linear)}, no encoder`;
}
