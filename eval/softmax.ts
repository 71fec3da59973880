/** Multinomial logistic regression, trained by full-batch gradient steps with momentum: no randomness, so the same data give the same weights. */
import type { Weights } from '../ingest/understand/model/linear-model.ts';

export interface Example {
  readonly features: ReadonlyMap<string, number>;
  readonly label: string;
  /** How much it counts, 1 when unset. */
  readonly weight?: number;
}

export interface TrainingOptions {
  /** Strength of the pull towards zero (L2), per example. */
  readonly ridge: number;
  readonly steps: number;
  /** A feature that fewer examples have is dropped: it would be learnt by heart. */
  readonly atLeast: number;
}

/** Weights smaller than this in every class are left out of the file. */
const SMALLEST = 0.02;

/** The names of features that enough examples have, sorted. */
function namesOf(examples: readonly Example[], atLeast: number): string[] {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const name of features.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= atLeast)
    .map(([name]) => name)
    .sort();
}

/** The examples as one sparse matrix: row `r` has the cells from `starts[r]` to `starts[r + 1]`. */
function matrixOf(examples: readonly Example[], names: readonly string[]) {
  const index = new Map(names.map((name, place) => [name, place + 1]));
  const starts = [0];
  const places: number[] = [];
  const strengths: number[] = [];
  for (const { features } of examples) {
    for (const [name, strength] of features) {
      const place = index.get(name);
      if (place === undefined) continue;
      places.push(place);
      strengths.push(strength);
    }
    starts.push(places.length);
  }
  return { starts: Int32Array.from(starts), places: Int32Array.from(places), strengths: Float64Array.from(strengths) };
}

/** Trains on examples. Deterministic. */
export function train(examples: readonly Example[], classes: readonly string[], options: TrainingOptions): Weights {
  const names = namesOf(examples, options.atLeast);
  const { starts, places, strengths } = matrixOf(examples, names);
  const targets = examples.map(({ label }) => classes.indexOf(label));
  const counts = examples.map(({ weight }) => weight ?? 1);
  const mass = counts.reduce((sum, count) => sum + count, 0);
  const size = classes.length;
  const weights = new Float64Array((names.length + 1) * size);
  const velocity = new Float64Array(weights.length);
  const gradient = new Float64Array(weights.length);
  const scores = new Float64Array(size);
  for (let step = 0; step < options.steps; step++) {
    gradient.fill(0);
    for (let row = 0; row < examples.length; row++) {
      const from = starts[row] ?? 0;
      const to = starts[row + 1] ?? 0;
      for (let c = 0; c < size; c++) scores[c] = weights[c] ?? 0;
      for (let cell = from; cell < to; cell++) {
        const at = (places[cell] ?? 0) * size;
        const strength = strengths[cell] ?? 0;
        for (let c = 0; c < size; c++) scores[c] = (scores[c] ?? 0) + strength * (weights[at + c] ?? 0);
      }
      let top = Number.NEGATIVE_INFINITY;
      for (let c = 0; c < size; c++) top = Math.max(top, scores[c] ?? 0);
      let total = 0;
      for (let c = 0; c < size; c++) total += scores[c] = Math.exp((scores[c] ?? 0) - top);
      for (let c = 0; c < size; c++) {
        const error = (counts[row] ?? 1) * ((scores[c] ?? 0) / total - (c === targets[row] ? 1 : 0));
        scores[c] = error;
        gradient[c] = (gradient[c] ?? 0) + error;
      }
      for (let cell = from; cell < to; cell++) {
        const at = (places[cell] ?? 0) * size;
        const strength = strengths[cell] ?? 0;
        for (let c = 0; c < size; c++) gradient[at + c] = (gradient[at + c] ?? 0) + strength * (scores[c] ?? 0);
      }
    }
    for (let at = 0; at < weights.length; at++) {
      const pull = at < size ? 0 : options.ridge * (weights[at] ?? 0);
      velocity[at] = 0.9 * (velocity[at] ?? 0) - (0.5 / mass) * ((gradient[at] ?? 0) + pull);
      weights[at] = (weights[at] ?? 0) + (velocity[at] ?? 0);
    }
  }
  const row = (place: number): number[] =>
    classes.map((_, c) => Math.round((weights[place * size + c] ?? 0) * 1000) / 1000);
  const rows = names.map((name, place) => [name, row(place + 1)] as const);
  return {
    classes: [...classes],
    bias: row(0),
    features: Object.fromEntries(rows.filter(([, values]) => values.some((value) => Math.abs(value) >= SMALLEST))),
  };
}
