import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeWhatToWatch, writeWhyItMatters } from '../../../ingest/analyse.ts';
import { appointment, opening, understanding } from '../../projector/signal-events.ts';
import { facts, history, NOW } from './signal-facts.ts';

describe('why it matters', () => {
  const stores = (...openings: ReturnType<typeof opening>[]) => understanding({ move: 'stores', openings });

  describe('why a signal matters', () => {
    it('given a brand without a history, then the analysis is empty', () => {
      expect(writeWhyItMatters(facts({ understanding: stores(opening()) }), NOW)).toBeNull();
    });

    it('given other signals of the same kind in 30 days, then the analysis counts them', () => {
      const given = facts({ history: history({ periods: [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }) });
      expect(writeWhyItMatters(given, NOW)).toBe(
        'It is the third store move of Kiri Foods in 30 days, after one in the 30 days before.',
      );
    });

    it('given a signal in each of several consecutive periods, then the streak is mentioned', () => {
      const given = facts({ history: history({ periods: [1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0] }) });
      expect(writeWhyItMatters(given, NOW)).toBe(
        'Kiri Foods has had a store move in each of the last four periods of 30 days.',
      );
    });

    it('given a known brand in a new city, then the opening is the first in that city; in a known city it is not', () => {
      const known = history({ stories: 9, first_seen_at: new Date('2026-03-09T20:00:00Z') });
      const given = facts({ understanding: stores(opening()), history: known });
      expect(writeWhyItMatters(given, NOW)).toBe(
        'It is the first store move of Kiri Foods in Pune among 9 stories about it since 10 March 2026.',
      );
      expect(writeWhyItMatters({ ...given, history: { ...known, known_cities: ['Pune'] } }, NOW)).toBeNull();
      expect(writeWhyItMatters({ ...given, history: { ...known, stories: 2 } }, NOW)).toBeNull();
      const young = { ...known, first_seen_at: new Date('2026-11-01T00:00:00Z') };
      expect(writeWhyItMatters({ ...given, history: young }, NOW)).toBeNull();
    });

    it('given a position that became vacant before, then an appointment fills it', () => {
      const left = understanding({ people: [appointment({ person: 'Rohan Bhasin', direction: 'left', role: 'cfo' })] });
      const earlier = [{ published_at: '2026-10-02T10:00:00Z', understanding: left }];
      const given = facts({ understanding: understanding({ move: 'people', people: [appointment()] }), earlier });
      expect(writeWhyItMatters(given, NOW)).toBe(
        'It fills the seat of CFO that Rohan Bhasin left, as reported on 2 October 2026.',
      );
      const other = understanding({ move: 'people', people: [appointment({ role: 'CEO' })] });
      expect(writeWhyItMatters({ ...given, understanding: other }, NOW)).toBeNull();
    });

    it('given an announced store, then its opening fulfils the announcement', () => {
      const planned = { published_at: '2026-08-01T00:00:00Z', understanding: stores(opening({ status: 'announced' })) };
      const given = facts({ understanding: stores(opening()), earlier: [planned] });
      expect(writeWhyItMatters(given, NOW)).toBe(
        'Kiri Foods had spoken of a store in Pune on 1 August 2026; this one is open.',
      );
    });

    it('given growth of the same metric in another period, then both are mentioned', () => {
      const result = (period: string, growth_pct: number) =>
        understanding({
          move: 'results',
          result: { company: 'Kiri', period, metric: 'revenue', value: null, growth_pct },
        });
      const earlier = [{ published_at: '2026-08-01T00:00:00Z', understanding: result('Q1 FY27', 9) }];
      expect(writeWhyItMatters(facts({ understanding: result('Q2 FY27', 14), earlier }), NOW)).toBe(
        'The change in revenue of 14% in Q2 FY27 compares with 9% in Q1 FY27.',
      );
      expect(writeWhyItMatters(facts({ understanding: result('Q1 FY27', 9), earlier }), NOW)).toBeNull();
    });

    it('given any facts, then there are at most two sentences and no number that the facts lack', () => {
      const count = fc.integer({ min: 0, max: 40 });
      fc.assert(
        fc.property(fc.array(count, { minLength: 12, maxLength: 12 }), count, (periods, stories) => {
          const given = facts({
            understanding: stores(opening()),
            history: history({ periods, stories, first_seen_at: new Date('2026-01-01T00:00:00Z') }),
          });
          const said = writeWhyItMatters(given, NOW);
          if (said === null) return;
          expect(said.match(/\.(?:\s|$)/g)?.length).toBeLessThanOrEqual(2);
          const streak = [...periods, 0].indexOf(0);
          const allowed = new Set([...periods, (periods[0] ?? 0) + 1, streak, stories, 30, 1, 2026]);
          for (const number of said.match(/\d+/g) ?? []) expect(allowed).toContain(Number(number));
        }),
      );
    });
  });
});

describe('what remains open', () => {
  const people = (...given: ReturnType<typeof appointment>[]) =>
    facts({ understanding: understanding({ move: 'people', people: given }) });
  const stores = (given: ReturnType<typeof opening>) => facts({ understanding: understanding({ openings: [given] }) });

  describe('what to watch', () => {
    it('given a departure without a successor, then the successor', () => {
      const left = appointment({ person: 'Rohan Bhasin', direction: 'left', effective: '2026-12-31' });
      expect(writeWhatToWatch(people(left), NOW)).toBe(
        'Who follows Rohan Bhasin as CFO at Kiri Foods: the reports name nobody; Rohan Bhasin leaves on 31 December 2026.',
      );
      expect(writeWhatToWatch(people(left, appointment()), NOW)).toBeNull();
    });

    it('given a future date, then that day', () => {
      expect(writeWhatToWatch(people(appointment({ effective: '2026-12-01' })), NOW)).toBe(
        'Asha Rao takes over on 1 December 2026.',
      );
      expect(writeWhatToWatch(people(appointment({ effective: '2026-11-01' })), NOW)).toBeNull();
    });

    it.each([
      [
        opening({ status: 'announced', date: '2027-01-15', mall: 'Orion' }),
        'The opening at Orion, Pune is announced for 15 January 2027.',
      ],
      [opening({ status: 'planned', stores: 30, city: null }), 'How many of the 30 announced stores open, and where.'],
      [opening({ status: 'announced' }), 'When the announced store at Pune opens; no day is given.'],
      [opening({ status: 'announced', city: null }), null],
      [opening(), null],
      [opening({ status: 'closed' }), null],
    ])('of %o is %s', (given, said) => expect(writeWhatToWatch(stores(given), NOW)).toBe(said));
  });
});
