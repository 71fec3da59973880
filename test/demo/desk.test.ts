import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDesk, listTruth, readAuthoredEvents } from '../../demo/desk.ts';
import { OUTLETS } from '../../demo/outlets.ts';
import { MOVES } from '../../schemas/scalar.ts';

const DAY = 86_400_000;
const NOW = new Date('2026-11-21T04:30:00Z');
const moment = fc
  .date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((at) => new Date(at));

const desk = createDesk();
const entriesAt = (now: Date) => OUTLETS.flatMap(({ id }) => desk.listed(id, now));

describe('the desk at any moment', () => {
  it('has published each authored event of the last 120 days exactly once', () => {
    const ids = readAuthoredEvents().map(({ id }) => id);
    fc.assert(
      fc.property(moment, (now) => {
        const events = listTruth(() => now, 'http://demo', desk).events.filter(({ live }) => !live);
        const seen = events.map(({ id }) => id.replace(/-c\d+$/, ''));
        expect(new Set(seen).size).toBe(seen.length);
        // Only events of the last minutes may not have reached the first outlet.
        expect(ids.length - seen.length).toBeLessThan(5);
        for (const { occurred_at } of events) {
          const age = now.getTime() - Date.parse(occurred_at);
          expect(age).toBeGreaterThanOrEqual(0);
          expect(age).toBeLessThanOrEqual(120 * DAY);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('lists nothing from the future, newest first, each guid and address once, with every placeholder filled', () => {
    fc.assert(
      fc.property(moment, (now) => {
        const entries = entriesAt(now);
        expect(new Set(entries.map(({ guid }) => guid)).size).toBe(entries.length);
        expect(new Set(entries.map(({ path }) => path)).size).toBe(entries.length);
        for (const { headline, summary, publishedAt, updatedAt } of entries) {
          expect(updatedAt.getTime()).toBeLessThanOrEqual(now.getTime());
          expect(publishedAt.getTime()).toBeGreaterThan(now.getTime() - 121 * DAY);
          expect(`${headline} ${summary ?? ''}`.replace(/^(\{Funding Alert\}|\[Update\])/, '')).not.toMatch(/[[\]{}]/);
        }
        for (const { id } of OUTLETS) {
          const dates = desk.listed(id, now).map(({ publishedAt }) => publishedAt.getTime());
          expect(dates).toEqual(dates.toSorted((a, b) => b - a));
        }
      }),
      { numRuns: 5 },
    );
  });

  it('never changes guid, address or date of an item as the clock moves, and headlines only where edited', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 10 * DAY }), (now, step) => {
        const later = new Map(entriesAt(new Date(now.getTime() + step)).map((entry) => [entry.guid, entry]));
        for (const entry of entriesAt(now)) {
          const same = later.get(entry.guid);
          if (!same) continue;
          expect([same.path, same.publishedAt, same.key]).toEqual([entry.path, entry.publishedAt, entry.key]);
          if (!same.edit) expect(same.headline).toBe(entry.headline);
        }
      }),
      { numRuns: 5 },
    );
  });

  it('does not depend on former calls', () => {
    const fresh = createDesk();
    fresh.published(new Date('2031-01-01T00:00:00Z'));
    expect(fresh.published(NOW)).toEqual(desk.published(NOW));
  });

  it('changes an edited headline at the set hour', () => {
    const entry = desk.listed('highstreet', NOW).find(({ key }) => key.startsWith('uniqlo-pune-first'));
    if (!entry?.edit) throw new Error('the edited report is not listed');
    const before = desk.find('highstreet', entry.key, new Date(entry.edit.at.getTime() - 1));
    const after = desk.find('highstreet', entry.key, entry.edit.at);
    expect(before?.entry.headline).toBe('Pune Gets Its First Uniqlo');
    expect(after?.entry.headline).toBe('Pune Gets Its First Uniqlo, Queue Forms Before Dawn');
    expect(after?.entry.updatedAt).toEqual(entry.edit.at);
  });
});

describe('the cycle as it was written', () => {
  const { events } = listTruth(() => NOW, 'http://demo', desk);
  const authored = events.filter(({ live }) => !live);

  it('has events of every kind, each reported once by an outlet', () => {
    expect(new Set(authored.map(({ move }) => move))).toEqual(new Set(MOVES));
    for (const { reports } of authored)
      expect(new Set(reports.map(({ outlet_id }) => outlet_id)).size).toBe(reports.length);
  });

  it('has no two outlets that report an event in the same words', () => {
    const headlineOf = new Map(entriesAt(NOW).map(({ guid, headline }) => [guid, headline]));
    const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]+/g, ' ');
    for (const { reports } of authored) {
      const headlines = reports.map(({ guid }) => plain(headlineOf.get(guid) ?? ''));
      expect(new Set(headlines).size).toBe(headlines.length);
    }
  });

  it('reports old news again 20 to 90 days after the first report', () => {
    for (const { reports, resurfaced } of authored)
      for (const item of resurfaced) {
        const days = (Date.parse(item.published_at) - Date.parse(reports[0]?.published_at ?? '')) / DAY;
        expect(days).toBeGreaterThan(19);
        expect(days).toBeLessThan(93);
      }
  });
});
