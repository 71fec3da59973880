/** What the trainings of questions have in common: numbers that are the same in every run, orders, and steps of Adam. Pure. */

/** Numbers from 0 to 1 that are the same in every run. */
export function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Puts values into another order, in place. @returns the values */
export function shuffle<Value>(values: Value[], random: () => number): Value[] {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [values[last], values[other]] = [values[other] as Value, values[last] as Value];
  }
  return values;
}

/**
 * Steps of Adam (Kingma and Ba, 2015) on an array of weights, in place.
 * @param ridge strength of the L2 term
 * @returns makes a step at a rate; with `places`, on these weights alone
 */
export function adam(weights: Float64Array, ridge: number) {
  const [mean, square] = [new Float64Array(weights.length), new Float64Array(weights.length)];
  let step = 0;
  return (gradient: Float64Array, rate: number, places: Iterable<number> = weights.keys()): void => {
    step++;
    const [first, second] = [1 - 0.9 ** step, 1 - 0.999 ** step];
    for (const at of places) {
      const slope = (gradient[at] as number) + ridge * (weights[at] as number);
      mean[at] = 0.9 * (mean[at] as number) + 0.1 * slope;
      square[at] = 0.999 * (square[at] as number) + 0.001 * slope * slope;
      weights[at] =
        (weights[at] as number) -
        (rate * ((mean[at] as number) / first)) / (Math.sqrt((square[at] as number) / second) + 1e-8);
    }
  };
}
