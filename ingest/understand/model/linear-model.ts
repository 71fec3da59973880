/** The linear models of relevance and kind of move: weights of named features per class, added up and turned into probabilities. */
import move from './move.json' with { type: 'json' };
import relevance from './relevance.json' with { type: 'json' };

export interface Weights {
  readonly classes: readonly string[];
  readonly bias: readonly number[];
  /** One weight per class for each feature. */
  readonly features: Readonly<Record<string, readonly number[]>>;
}

export interface Scored {
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
  const known = TABLES.get(first)?.get(second);
  if (known) return known;
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
