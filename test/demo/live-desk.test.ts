import { describe, expect, it } from 'vitest';
import { createDesk } from '../../demo/desk.ts';
import { publishTick, tickAt } from '../../demo/live/live-desk.ts';
import { drawTick } from '../../demo/live/wording.ts';
import { OUTLETS } from '../../demo/outlets.ts';

const FIRST = tickAt(new Date('2026-11-21T04:30:00Z'));
const occurrences = Array.from({ length: 600 }, (_, index) => publishTick(FIRST + index));

describe('the live desk', () => {
  it('publishes an item every 60 to 90 seconds', () => {
    occurrences.slice(1).forEach(({ occurredAt }, index) => {
      const gap = occurredAt.getTime() - (occurrences[index]?.occurredAt.getTime() ?? 0);
      expect(gap).toBeGreaterThanOrEqual(60_000);
      expect(gap).toBeLessThanOrEqual(90_000);
    });
  });

  it('has each event reported by at most three news outlets within six minutes', () => {
    for (const { entries, occurredAt } of occurrences) {
      expect(entries.length).toBeGreaterThan(0);
      expect(entries.filter(({ role }) => role === 'report').length).toBeLessThanOrEqual(3);
      for (const { publishedAt } of entries)
        expect(publishedAt.getTime() - occurredAt.getTime()).toBeLessThanOrEqual(6 * 60_000);
    }
  });

  it('lists a few events only in the reference list, as misses for the Oracle', () => {
    const missed = occurrences.filter(({ facts, entries }) => facts && entries.every(({ role }) => role === 'oracle'));
    expect(missed.length).toBeGreaterThan(0);
    expect(missed.length).toBeLessThan(occurrences.length);
  });

  it('uses no pair of brand and place twice in two weeks', () => {
    const ticks = 14 * 24 * 48;
    const pairs = new Set(
      Array.from({ length: ticks }, (_, index) => {
        const { brand, city, mall } = drawTick(FIRST + index);
        return `${brand}|${city}|${mall}`;
      }),
    );
    expect(pairs.size).toBe(ticks);
  });

  it('has every kind of move in a few hundred events', () => {
    expect(new Set(occurrences.flatMap(({ facts }) => facts?.move ?? []))).toEqual(
      new Set(['stores', 'deals', 'people', 'launches', 'strategy', 'rules', 'other']),
    );
  });

  it('gives brands what fits their category: what they build, buy and offer, and who fines them', () => {
    const drawn = Array.from({ length: 3_000 }, (_, index) => drawTick(FIRST + index));
    const of = (category: string) => drawn.filter((one) => one.category === category);
    expect(new Set(drawn.map(({ category }) => category)).size).toBeGreaterThan(15);
    for (const one of drawn) {
      expect(one.ofCategory('facilities')).toBeTruthy();
      expect(one.ofCategory('bought')).toBeTruthy();
      expect(one.product()).toBeTruthy();
    }
    expect(of('jewellery').map((one) => one.ofCategory('facilities'))).not.toContain('cold store');
    expect(of('jewellery').map((one) => one.pair('matters').name)).not.toContain('FSSAI');
    expect(of('food').map((one) => one.pair('purposes').word)).not.toContain('doorstep trials');
    expect(Math.max(...of('home').map((one) => one.inRange('plans')))).toBeLessThanOrEqual(40);
  });

  it('makes new items appear in the feeds as the clock moves', () => {
    const desk = createDesk();
    const guids = (now: Date): string[] => OUTLETS.flatMap(({ id }) => desk.listed(id, now)).map(({ guid }) => guid);
    const before = new Set(guids(new Date('2026-11-21T04:30:00Z')));
    const after = guids(new Date('2026-11-21T04:35:00Z'));
    expect(after.filter((guid) => !before.has(guid))).not.toEqual([]);
  });
});
