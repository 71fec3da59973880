import { describe, expect, it } from 'vitest';
import { DEFAULTS, planOf, planText, readCosts } from '../../bench/scale.ts';

const COSTS = readCosts();
const LOAD = { ...DEFAULTS, sources: 10_000, items: 250_000, reads: 100 };

describe('npm run scale', () => {
  it('given the table of SCALING.md, then each unit has a cost of its process', () => {
    expect(COSTS.map(({ unit, process }) => `${unit} ${process}`)).toEqual([
      'source poll',
      'item understand',
      'story match',
      'event project',
      'read api',
    ]);
    expect(() => readCosts('| a source | `poll` | 1 | 2 | 3 |')).toThrow();
  });

  it('given costs in round numbers, then cores, processes and storage follow from them', () => {
    const costs = COSTS.map((cost) => ({ ...cost, milliseconds: 6, postgres: 3, bytes: 1_000 }));
    const { processes, cores, storage } = planOf(
      { sources: 54_000, items: 864_000, reads: 100, moves: 0.5, peak: 10, retention: 10 },
      costs,
    );
    // A second: 1 source, 100 items, 50 stories, 80 events, 100 reads; 6 ms of a core that may be 60 % busy.
    // 58 polls of 0.55 s for each source take 32 places, 16 of a poller.
    expect(processes).toEqual({ poll: 2, understand: 1, match: 1, project: 1, api: 2 });
    expect(cores.processes).toBeCloseTo(3.31);
    expect(cores.postgres).toBeCloseTo(cores.processes / 2);
    expect(storage).toEqual({ topics: 8.64, year: expect.closeTo(252.3, 1) });
  });

  it.each(['sources', 'items', 'reads', 'moves', 'peak', 'retention'] as const)(
    'given more %s, then nothing that is needed shrinks',
    (name) => {
      const [less, more] = [planOf(LOAD, COSTS), planOf({ ...LOAD, [name]: LOAD[name] * 3 }, COSTS)];
      for (const [process, count] of Object.entries(less.processes))
        expect(more.processes[process], process).toBeGreaterThanOrEqual(count);
      expect(more.cores.processes).toBeGreaterThanOrEqual(less.cores.processes);
      expect(more.storage.topics).toBeGreaterThanOrEqual(less.storage.topics);
      expect(more.storage.year).toBeGreaterThanOrEqual(less.storage.year);
    },
  );

  it('given a plan, then it is printed with three digits', () => {
    expect(planText(planOf(LOAD, COSTS))).toMatch(/^poll 1\n.*\ncores of PostgreSQL [\d.]+\ntopics [\d.,]+ GB\n/s);
  });
});
