import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costsOf, growthChart, readRecorded, recordFigures } from '../../bench/recorded-figures.ts';
import { AIM, type Assumptions, type Model, scaleModel } from '../../bench/scale-formulas.ts';
import { modelText, planTable } from '../../bench/scale-model.ts';
import { countHotFamilies } from '../../ingest/understand/understander.ts';

const COSTS = costsOf(readRecorded());
const amount = (model: Model, part: string, name: string): number =>
  model.lines.find((line) => line.part === part && line.name === name)?.value ?? Number.NaN;

/** What must not shrink when more is asked for. */
const NEEDS = [
  ...['poll', 'understand', 'match', 'project', 'api'].map((name) => ['processes', name]),
  ...['poll', 'understand', 'project', 'api', 'PostgreSQL', 'all, with room'].map((name) => ['cores', name]),
  ...['processes', 'PostgreSQL'].map((name) => ['memory', name]),
  ...['signals, a year more', 'all signals', 'topics', 'accounts', 'all, one copy'].map((name) => ['disk', name]),
  ['machines', 'of this many cores'],
  ['PostgreSQL', 'connections'],
  ['Kafka', 'partitions of a topic'],
  ['network', 'feeds, in'],
  ['network', 'reads, out'],
  ['rebuild', 'the whole history, one read model'],
] as const;

describe('the scale model', () => {
  const GROWING = ['sources', 'items', 'moves', 'peak', 'reads', 'accounts', 'retention', 'signals'] as const;

  it('given more of any one thing, then nothing that is needed shrinks, and no limit moves further away', () => {
    const some = fc.record({
      what: fc.constantFrom(...GROWING),
      by: fc.double({ min: 1, max: 3, noNaN: true }),
      size: fc.double({ min: 0.001, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(some, ({ what, by, size }) => {
        const before: Assumptions = { ...AIM, [what]: AIM[what] * size };
        const [less, more] = [scaleModel(before, COSTS), scaleModel({ ...before, [what]: before[what] * by }, COSTS)];
        for (const [part, name] of NEEDS) {
          const [low, high] = [amount(less, part ?? '', name ?? ''), amount(more, part ?? '', name ?? '')];
          expect(low, `${name} is in the model`).not.toBeNaN();
          expect(high, `${what} × ${by}: ${part} ${name}`).toBeGreaterThanOrEqual(low * (1 - 1e-9));
        }
        for (const { name, factor } of less.limits)
          expect(more.limits.find((limit) => limit.name === name)?.factor, name).toBeLessThanOrEqual(
            factor * (1 + 1e-9),
          );
      }),
      { numRuns: 60 },
    );
  });

  it('given larger machines, more connections or busier cores, then fewer machines are needed and limits are further away', () => {
    const base = scaleModel(AIM, COSTS);
    const factor = (model: Model, name: string): number => model.limits.find((one) => one.name === name)?.factor ?? 0;
    const machines = (model: Model): number => amount(model, 'machines', 'of this many cores');
    expect(machines(scaleModel({ ...AIM, cores: 16 }, COSTS))).toBeLessThan(machines(base));
    expect(machines(scaleModel({ ...AIM, utilisation: 0.9 }, COSTS))).toBeLessThan(machines(base));
    const connections = 'connections of PostgreSQL';
    expect(factor(scaleModel({ ...AIM, connections: 1_000 }, COSTS), connections)).toBeCloseTo(
      2 * factor(base, connections),
    );
    const brand = 'stories of one brand';
    expect(factor(scaleModel({ ...AIM, brand: 0.04 }, COSTS), brand)).toBeCloseTo(factor(base, brand) / 2);
  });

  it('given a brand with so many stories that its family is divided, then its busiest partition has one kind of them', () => {
    // So few that each `understand` has more of the brand, however many there are by the recorded costs.
    const brandAt = (given: Partial<Assumptions>): number =>
      scaleModel({ ...AIM, hot: 100, ...given }, COSTS).limits.find(({ name }) => name === 'stories of one brand')
        ?.factor ?? 0;
    const whole = brandAt({ brand: 0.5, hot: Number.POSITIVE_INFINITY });
    expect(whole).toBeCloseTo(brandAt({ brand: 0.02 }) / 25);
    expect(brandAt({ brand: 0.5 })).toBeCloseTo(whole / AIM.kind);
    expect(brandAt({ brand: 0.5, kind: 0.25 })).toBeCloseTo(whole * 4);
    const { count } = countHotFamilies(() => 0);
    const counted = Array.from({ length: AIM.hot + 1 }, () => count('a family'));
    expect(counted.indexOf(true)).toBe(AIM.hot);
  });

  it('given costs in round numbers, then units are those of the lines', () => {
    const round = { ...COSTS };
    const set = (name: keyof typeof COSTS, value: number, ratio: number | null = null) =>
      Object.assign(round, { [name]: { ...COSTS[name], value, ratio } });
    set('pollsOfDay', 86.4);
    set('encoded', 100);
    set('topicBytes', 1_000);
    set('rebuilt', 1e9 / 3_600 / 10);
    set('copied', 1e9 / 3_600 / 10, 0.5);
    set('storiesOfSignal', 2);
    const model = scaleModel({ ...AIM, sources: 1_000, items: 864_000, peak: 5, moves: 0.5, retention: 10 }, round);
    expect(amount(model, 'load', 'polls')).toBeCloseTo(1);
    expect(amount(model, 'load', 'items')).toBeCloseTo(10);
    expect(amount(model, 'load', 'stories, peak')).toBeCloseTo(25);
    expect(amount(model, 'load', 'new signals')).toBeCloseTo(216_000);
    // 50 items a second at 100 a core, a core at 0.6.
    expect(amount(model, 'cores', 'understand')).toBeCloseTo(0.5);
    expect(amount(model, 'processes', 'understand')).toBe(1);
    expect(amount(model, 'disk', 'topics')).toBeCloseTo(8.64);
    expect(amount(model, 'rebuild', 'a billion events, one read model')).toBeCloseTo(10);
    expect(amount(model, 'rebuild', 'a snapshot would save')).toBeCloseTo(5);
    for (const { measured, formula } of model.lines) expect(measured.length + formula.length).toBeGreaterThan(5);
  });

  it('given more stories than matchers can read of each other, then it is said instead of a number', () => {
    const model = scaleModel({ ...AIM, items: 1e9, moves: 1 }, COSTS);
    expect(amount(model, 'processes', 'match')).toBe(Number.POSITIVE_INFINITY);
    expect(modelText(model)).toMatch(/processes: match +not reachable/);
    expect(model.limits[0]?.factor).toBeLessThan(1);
    expect(modelText(model)).toMatch(/NOW/);
  });

  it('given the recorded costs, then the plans of SCALING.md are those of the model', async () => {
    const text = await readFile(resolve(import.meta.dirname, '../../deploy/SCALING.md'), 'utf8');
    expect(text).toContain(planTable(COSTS));
  });
});

describe('recorded figures', () => {
  it('given a run that is recorded, then it replaces that of its bench alone, and a missing cost names its bench', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'recorded-')), 'results.json');
    await writeFile(file, '{}');
    const figure = { figure: 'appends in batches of 100', unit: 'events/s', measured: 12_345.678, ratio: null };
    await recordFigures('appends', [figure], { rounds: 1 }, file);
    await recordFigures('scale', [], {}, file);
    await recordFigures('appends', [{ ...figure, measured: 2 }], { rounds: 3 }, file);
    const all = readRecorded(file);
    expect(Object.keys(all)).toEqual(['appends', 'scale']);
    expect(all.appends?.options).toEqual({ rounds: 3 });
    expect(all.appends?.figures[0]?.measured).toBe(2);
    expect(() => costsOf(all)).toThrow(/run the bench "\w+" with --record/);
  });
});

describe('the chart of growth', () => {
  it('given series, then each is a line with its ratio to the first point', () => {
    const svg = growthChart(
      [
        { name: 'delay', values: [100, 150, 300] },
        { name: 'memory', values: [200, 200, 250] },
      ],
      [500, 5_000, 50_000],
    );
    expect(svg.match(/<path /g)).toHaveLength(2);
    expect(svg).toContain('delay: 3.00 ×');
    expect(svg).toContain('memory: 1.25 ×');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});
