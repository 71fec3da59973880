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

/** Adds up the weights of the features that are present, each with its strength. Unknown features weigh nothing. */
export function score(weights: Weights, features: ReadonlyMap<string, number>): Scored {
  const sums = [...weights.bias];
  for (const [name, strength] of features) {
    const row = Object.hasOwn(weights.features, name) ? weights.features[name] : undefined;
    if (row)
      for (let index = 0; index < sums.length; index++) sums[index] = (sums[index] ?? 0) + strength * (row[index] ?? 0);
  }
  const top = Math.max(...sums);
  const powers = sums.map((sum) => Math.exp(sum - top));
  const total = powers.reduce((left, right) => left + right, 0);
  const probabilities = Object.fromEntries(weights.classes.map((name, index) => [name, (powers[index] ?? 0) / total]));
  const best = weights.classes[sums.indexOf(top)] ?? '';
  return { probabilities, best };
}

/** The features that pulled most towards a class, strongest first: what an explanation names. */
export function strongest(weights: Weights, features: ReadonlyMap<string, number>, name: string, count = 5): string[] {
  const index = weights.classes.indexOf(name);
  return [...features]
    .map(([feature, strength]) => ({ feature, pull: strength * (weights.features[feature]?.[index] ?? 0) }))
    .filter(({ pull }) => pull > 0)
    .sort((a, b) => b.pull - a.pull)
    .slice(0, count)
    .map(({ feature }) => feature);
}
