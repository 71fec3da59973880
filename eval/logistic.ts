/** Logistic regression with L2, by plain full-batch gradient descent with momentum: deterministic, no dependency. */

export interface Example {
  readonly numbers: readonly number[];
  readonly label: boolean;
  /** How much it counts, 1 when unset. */
  readonly weight?: number;
}

export interface Linear {
  readonly bias: number;
  readonly weights: readonly number[];
}

export const probability = (model: Linear, numbers: readonly number[]): number =>
  1 / (1 + Math.exp(-numbers.reduce((sum, number, index) => sum + number * (model.weights[index] ?? 0), model.bias)));

/**
 * Fits a model.
 * @param regularisation strength of the pull towards 0 per example; the bias is free
 * @param signs per number: 1 keeps its weight at or above 0, -1 at or below, 0 leaves it free
 */
export function fitLogistic(
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
