/** Whether memory is flat: what it is in the second half of a soak beside the first. */
import { type Figure, figureOf, quantile } from '../figure.ts';
import type { Memory } from './memory.ts';

/** A sample and when it was taken, in milliseconds since the service ran. */
export interface Sample extends Memory {
  readonly at: number;
}

/** While caches fill, the compiler warms up and the first news comes in, memory may grow: this share is left out. */
const WARM = 0.2;
/** Most of the second half over the first. A leak of 1 MB a minute on 150 MB is above it in half an hour. */
export const MOST_GROWTH = 1.1;
const MEGABYTE = 1_000_000;

/** What is judged. Of a heap, what is left after collections counts: a low tenth, not the garbage between them. */
const JUDGED: readonly (readonly [figure: string, of: keyof Memory, share: number])[] = [
  ['resident memory', 'resident', 0.5],
  ['heap after collections', 'heap', 0.1],
  ['buffers outside the heap', 'external', 0.1],
  ['PostgreSQL, without shared buffers', 'postgres', 0.5],
];

/** Figures in MB, second half over first, each with the highest value in its name; `samples` in order of time. */
export function judge(samples: readonly Sample[]): Figure[] {
  const end = samples.at(-1)?.at ?? 0;
  const warm = samples.filter(({ at }) => at >= end * WARM);
  const middle = end * (WARM + (1 - WARM) / 2);
  return JUDGED.map(([figure, of, share]) => {
    const part = (half: readonly Sample[]): number =>
      quantile(
        half.map((sample) => sample[of]),
        share,
      ) / MEGABYTE;
    const most = Math.round(Math.max(...samples.map((sample) => sample[of])) / MEGABYTE);
    return figureOf({
      figure: `${figure}, second half (at most ${most} MB)`,
      unit: 'MB',
      measured: part(warm.filter(({ at }) => at >= middle)),
      baseline: { what: 'first half', measured: part(warm.filter(({ at }) => at < middle)) },
      limit: { of: 'ratio', at: 'most', value: MOST_GROWTH },
    });
  });
}
