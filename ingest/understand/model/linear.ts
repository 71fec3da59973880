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

const TABLES = new WeakMap<Weights, ReadonlyMap<string, Float64Array>>();

/** The features of weights as a map, made once: much faster to look up than an object of thousands of keys. */
function tableOf(weights: Weights): ReadonlyMap<string, Float64Array> {
  const known = TABLES.get(weights);
  if (known) return known;
  const table = new Map(Object.entries(weights.features).map(([name, row]) => [name, Float64Array.from(row)] as const));
  TABLES.set(weights, table);
  return table;
}

/** Adds up the weights of the features that are present, each with its strength. Unknown features weigh nothing. */
export function score(weights: Weights, features: ReadonlyMap<string, number>): Scored {
  const sums = Float64Array.from(weights.bias);
  const size = sums.length;
  const table = tableOf(weights);
  features.forEach((strength, name) => {
    const row = table.get(name);
    if (row === undefined) return;
    for (let index = 0; index < size; index++)
      sums[index] = (sums[index] as number) + strength * (row[index] as number);
  });
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
