/** Multinomial logistic regression, trained by full-batch gradient steps with momentum: no randomness, so the same data give the same weights. */
import type { Weights } from '../ingest/understand/model/linear.ts';

export interface Example {
  readonly features: ReadonlyMap<string, number>;
  readonly label: string;
  readonly weight?: number;
}

export interface TrainingOptions {
  /** Strength of the pull towards zero (L2), per example. */
  readonly ridge: number;
  readonly steps: number;
  /** A feature that fewer examples have is dropped: it would be learnt by heart. */
  readonly atLeast: number;
}

/** Trains on examples. Deterministic. */
export function train(examples: readonly Example[], classes: readonly string[], options: TrainingOptions): Weights {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const name of features.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts]
    .filter(([, count]) => count >= options.atLeast)
    .map(([name]) => name)
    .sort();
  const index = new Map(names.map((name, place) => [name, place]));
  const rows = examples.map(({ features, label, weight }) => ({
    places: [...features].flatMap(([name, strength]) =>
      index.has(name) ? [[index.get(name) ?? 0, strength] as const] : [],
    ),
    target: classes.indexOf(label),
    weight: weight ?? 1,
  }));
  const size = classes.length;
  const width = names.length + 1;
  const weights = new Float64Array(width * size);
  const velocity = new Float64Array(width * size);
  const scores = new Float64Array(size);
  for (let step = 0; step < options.steps; step++) {
    const gradient = new Float64Array(width * size);
    for (const { places, target, weight } of rows) {
      for (let c = 0; c < size; c++) scores[c] = weights[c] ?? 0;
      for (const [place, strength] of places)
        for (let c = 0; c < size; c++) scores[c] = (scores[c] ?? 0) + strength * (weights[(place + 1) * size + c] ?? 0);
      const top = Math.max(...scores);
      let total = 0;
      for (let c = 0; c < size; c++) total += scores[c] = Math.exp((scores[c] ?? 0) - top);
      for (let c = 0; c < size; c++) {
        const error = weight * ((scores[c] ?? 0) / total - (c === target ? 1 : 0));
        gradient[c] = (gradient[c] ?? 0) + error;
        for (const [place, strength] of places) {
          const at = (place + 1) * size + c;
          gradient[at] = (gradient[at] ?? 0) + error * strength;
        }
      }
    }
    for (let at = 0; at < weights.length; at++) {
      const pull = at < size ? 0 : options.ridge * (weights[at] ?? 0);
      velocity[at] = 0.9 * (velocity[at] ?? 0) - (0.5 / rows.length) * ((gradient[at] ?? 0) + pull);
      weights[at] = (weights[at] ?? 0) + (velocity[at] ?? 0);
    }
  }
  const rounded = (at: number): number => Math.round((weights[at] ?? 0) * 1000) / 1000;
  const row = (place: number): number[] => classes.map((_, c) => rounded(place * size + c));
  return {
    classes: [...classes],
    bias: row(0),
    features: Object.fromEntries(
      names.flatMap((name, place) => {
        const values = row(place + 1);
        return values.some((value) => Math.abs(value) >= 0.02) ? [[name, values]] : [];
      }),
    ),
  };
}
