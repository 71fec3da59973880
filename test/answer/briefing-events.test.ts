/** Signals of one event as one entry, and the days ahead that reports name. */
import { describe, expect, it } from 'vitest';
import { aheadOf, eventBullet, eventsOf } from '../../answer/compose/briefing-events.ts';
import type { Evidence } from '../../answer/evidence.ts';
import { brandSlug } from '../harness/ids.ts';
import { evidence } from './evidence.ts';

const both = ['kiri-foods', 'maya-stores'].map((slug) => ({
  name: slug,
  slug: brandSlug(slug),
  url: `http://clarity.test/brand/${slug}`,
  role: 'primary' as const,
}));
/** A signal of two companies; its moment is that of the day. */
const together = (headline: string, day: string): Evidence => ({
  ...evidence(headline, null, { signal: { brands: both }, day }),
  moved_at: `${day}T04:00:00.000Z`,
});

describe('the events of a briefing', () => {
  const first = together('Kiri Foods to be sold at Maya Stores', '2026-11-03');
  const second = together('Maya Stores signs Kiri Foods', '2026-11-01');

  it('given signals of the same two companies at about one time, then they are one entry, in the order of time', () => {
    const events = eventsOf([first, evidence('Kiri Foods opens a shop'), second]);

    expect(events.map((event) => event.length)).toEqual([2, 1]);
    expect(eventBullet(events[0] ?? []).ids).toEqual([second.signal.id, first.signal.id]);
  });

  it('given the same two companies months later, then that is another event', () => {
    expect(eventsOf([first, together('Kiri Foods leaves Maya Stores', '2026-05-03')])).toHaveLength(2);
  });

  it('given signals of one company, then each is an event', () => {
    expect(eventsOf([evidence('Kiri Foods opens a shop'), evidence('Kiri Foods hires')])).toHaveLength(2);
  });
});

describe('what follows next', () => {
  const ahead = evidence('Kiri Foods raises prices from 7 December');
  const past = evidence('Kiri Foods opened a shop on 12 November');

  it('given lines that name a day, then those ahead are quoted with it, and those that have passed are not', () => {
    const lines = aheadOf([past, ahead], '2026-11-27');

    expect(lines.map(({ ids }) => ids[0])).toEqual([ahead.signal.id]);
    expect(lines[0]?.markdown).toMatch(/^7 December 2026: “Kiri Foods raises prices from 7 December”/);
  });
});
