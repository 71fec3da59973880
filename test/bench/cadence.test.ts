import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { median, quantile } from '../../bench/bench.ts';
import { generatedArrivals, readArrivals, simulate } from '../../bench/cadence-bench.ts';
import { chance } from '../../bench/generated-history.ts';

describe('the learned cadence over five weeks of arrivals', () => {
  it.each(['business-daily', 'weekday-desk'])(
    'given %s, then half of its items are found within 10 minutes, 95 % within 45, with at most 60 polls a day',
    async (name) => {
      const [arrivals] = generatedArrivals().filter(({ source }) => source === name);
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

describe('arrivals from a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clarity-arrivals-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const fileOf = async (text: string): Promise<string> => {
    const path = join(folder, 'arrivals.jsonl');
    await writeFile(path, text);
    return path;
  };

  it('given JSON lines, then they are grouped by source, in order of time', async () => {
    const line = (source: string, at: string): string => JSON.stringify({ source, at });
    const path = await fileOf(
      `${line('a', '2026-06-02T09:00:00+05:30')}\n${line('b', '2026-06-01T00:00:00Z')}\n${line('a', '2026-06-01T09:00:00Z')}\n`,
    );
    expect(readArrivals(path)).toEqual([
      { source: 'a', times: [Date.parse('2026-06-01T09:00:00Z'), Date.parse('2026-06-02T03:30:00Z')] },
      { source: 'b', times: [Date.parse('2026-06-01T00:00:00Z')] },
    ]);
  });

  it.each([
    ['no JSON', 'yesterday', /line 1/],
    ['a day without a time', '{"source":"a","at":"2026-06-01T09:00:00Z"}\n{"source":"a","at":"2026-06-01"}', /line 2/],
  ])('given %s, then the error names the line', async (_name, text, message) => {
    const path = await fileOf(text);
    expect(() => readArrivals(path)).toThrow(message);
  });
});
