/** A linear model: weights of named features per class, read from a file, added up, turned into probabilities. */

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

const TABLES = new WeakMap<Weights, ReadonlyMap<string, readonly number[]>>();

/** The features of weights as a map, made once: much faster to look up than an object of thousands of keys. */
function tableOf(weights: Weights): ReadonlyMap<string, readonly number[]> {
  const known = TABLES.get(weights);
  if (known) return known;
  const table = new Map(Object.entries(weights.features));
  TABLES.set(weights, table);
  return table;
}

/** Adds up the weights of the features that are present, each with its strength. Unknown features weigh nothing. */
export function score(weights: Weights, features: ReadonlyMap<string, number>): Scored {
  const sums = Float64Array.from(weights.bias);
  const table = tableOf(weights);
  for (const [name, strength] of features) {
    const row = table.get(name);
    if (row)
      for (let index = 0; index < row.length; index++) sums[index] = (sums[index] ?? 0) + strength * (row[index] ?? 0);
  }
  const top = Math.max(...sums);
  const powers = Array.from(sums, (sum) => Math.exp(sum - top));
  const total = powers.reduce((left, right) => left + right, 0);
  const probabilities = Object.fromEntries(weights.classes.map((name, index) => [name, (powers[index] ?? 0) / total]));
  const best = weights.classes[sums.indexOf(top)] ?? '';
  return { probabilities, best };
}

/** The features that pulled most towards a class, strongest first: what an explanation names. */
export function strongest(weights: Weights, features: ReadonlyMap<string, number>, name: string, count = 5): string[] {
  const index = weights.classes.indexOf(name);
  return [...features]
    .map(([feature, strength]) => ({ feature, pull: strength * (tableOf(weights).get(feature)?.[index] ?? 0) }))
    .filter(({ pull }) => pull > 0)
    .sort((a, b) => b.pull - a.pull)
    .slice(0, count)
    .map(({ feature }) => feature);
}
