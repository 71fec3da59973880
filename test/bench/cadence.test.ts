import { describe, expect, it } from 'vitest';
import { median, quantile } from '../../bench/bench.ts';
import { generatedArrivals, simulate } from '../../bench/cadence-bench.ts';
import { chance } from '../../bench/generated-history.ts';

describe('the learned cadence over five weeks of arrivals', () => {
  const all = generatedArrivals();

  it.each(['business-daily', 'weekday-desk'])(
    'given %s, then half of its items are found within 10 minutes, 95 % within 45, with at most 60 polls a day',
    async (name) => {
      const [arrivals] = all.filter(({ source }) => source === name);
      if (!arrivals) throw new Error(`${name} is not generated`);
      const { delays, itemsPerDay, pollsByDay } = await simulate(arrivals, chance(1).next);
      expect(itemsPerDay).toBeGreaterThanOrEqual(10);
      expect(delays).toHaveLength(arrivals.times.length - 1);
      expect(median(delays)).toBeLessThanOrEqual(10);
      expect(quantile(delays, 0.95)).toBeLessThanOrEqual(45);
      expect(Math.max(...pollsByDay)).toBeLessThanOrEqual(60);
    },
  );
});
