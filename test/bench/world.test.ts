import { describe, expect, it } from 'vitest';
import { arrivals, DAY, HOUR, MONDAY, virtualSource } from '../../bench/world/virtual-sources.ts';
import { simulateWorld } from '../../bench/world/world.ts';

const SMALL = { sources: 500, hours: 1, pollers: 3, itemsPerDay: 25, seed: 7, fresh: true, events: 300 };
/** The longest wait for a source of which less than a day is known, with the jitter, and a slow request of its host. */
const MAX_INTERVAL = 1_800 * 1.1 + 30;

describe('a small world', () => {
  it('given an hour of 500 new sources, then none is polled before its time or left out, and hosts have their pauses', async () => {
    const world = await simulateWorld(SMALL);
    expect(world.polls).toBeGreaterThanOrEqual(2 * SMALL.sources);
    expect(world.early).toBe(0);
    expect(world.neverPolled).toBe(0);
    // All sources are due at once in the beginning: the busiest host takes a minute for its queue.
    expect(world.longestInterval).toBeLessThanOrEqual(MAX_INTERVAL + 120);
    expect(world.requests.perHostAtOnce).toBe(1);
    expect(world.requests.leastRest).toBeGreaterThanOrEqual(1_000);
    expect(world.items.found).toBeGreaterThan(0);
    expect(world.items.found + world.items.missed + world.items.waiting).toBe(world.items.published);
    for (const { found, published } of world.reports) expect(found).toBeGreaterThan(published);
  });

  it('given the same seed, then the same happens, and with another seed something else', async () => {
    const options = { ...SMALL, sources: 100, fresh: false };
    const [one, same, other] = [
      await simulateWorld(options),
      await simulateWorld(options),
      await simulateWorld({ ...options, seed: 8 }),
    ];
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    // Known sources are between two polls when it begins: they are not all polled at once.
    expect(one.polls).toBeLessThan(SMALL.sources);
    expect(one.lateness.p99).toBeLessThanOrEqual(5);
  });
});

describe('virtual sources', () => {
  const size = { sources: 4_000, itemsPerDay: 25, seed: 3 };
  const all = Array.from({ length: size.sources }, (_, number) => virtualSource(number, size));

  it('given many, then their mean is as asked, few of them publish most, and hosts have several', () => {
    const rates = all.map(({ itemsPerDay }) => itemsPerDay).toSorted((one, other) => other - one);
    const total = rates.reduce((sum, rate) => sum + rate, 0);
    expect(total / size.sources).toBeGreaterThan(20);
    expect(total / size.sources).toBeLessThan(30);
    expect(rates.slice(0, size.sources / 10).reduce((sum, rate) => sum + rate, 0) / total).toBeGreaterThan(0.4);
    expect(new Set(all.map(({ host }) => host)).size).toBeLessThan(size.sources / 4);
  });

  it('given a source, then its arrivals ascend, follow its rate, and are few at night and on Sunday', () => {
    const source = { ...virtualSource(1, size), itemsPerDay: 200, sunday: 0.1 };
    const times = [...arrivals(source, size.seed, MONDAY, 28)];
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.length / 28).toBeGreaterThan(180);
    expect(times.length / 28).toBeLessThan(220);
    const hourOf = (at: number): number => Math.floor(((at - MONDAY) % DAY) / HOUR);
    const between = (low: number, high: number): number =>
      times.filter((at) => hourOf(at) >= low && hourOf(at) < high).length;
    expect(between(14, 18)).toBeGreaterThan(5 * between(1, 5));
    const sundays = times.filter((at) => Math.floor((at - MONDAY) / DAY) % 7 === 6);
    expect(sundays.length * 20).toBeLessThan(times.length);
  });
});
