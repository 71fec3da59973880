/** To which signal a story belongs, by all reports of the signal. */
import { describe, expect, it } from 'vitest';
import { scoreLikeness, THRESHOLD } from '../../../ingest/match/comparison.ts';
import { match, type NearSignal } from '../../../ingest/match/match-story.ts';
import { featuresOf } from '../../../ingest/match/report-features.ts';
import type { SignalId } from '../../../schemas/scalar.ts';
import { storyOf, type TestStory } from './stories.ts';

const features = (report: TestStory) => {
  const { item, understanding } = storyOf(report);
  return featuresOf(item, understanding, () => null);
};
const round = (amount: string, investor: string): TestStory => ({
  title: `Mitti raises ₹${amount} crore from ${investor}`,
  brand: 'Mitti',
  understanding: { move: 'deals' },
});
const FIRST = round('42', 'Kestrel Capital');
const OTHER: TestStory = {
  title: 'Brewbarn raises ₹90 crore from Falcon Partners',
  brand: 'Brewbarn',
  understanding: { move: 'deals' },
};
/** One report of both rounds. */
const BETWEEN: TestStory = {
  title: 'Mitti raises ₹42 crore from Kestrel Capital, Brewbarn raises ₹90 crore from Falcon Partners',
  understanding: {
    move: 'deals',
    brands: [...storyOf(FIRST).understanding.brands, ...storyOf(OTHER).understanding.brands],
  },
};
const signal = (id: string, reports: readonly TestStory[], size = reports.length): NearSignal => ({
  id: id as SignalId,
  day: features(FIRST).day,
  resurfaced: false,
  reports: reports.map(features),
  names: Array.from({ length: 2 * size }, (_, name) => String(name)),
});
const decide = (report: TestStory, ...near: NearSignal[]) => match(storyOf(report), features(report), near).kind;
const likeness = (one: TestStory, other: TestStory): number => scoreLikeness(features(one), features(other)).score;

describe('a story and a signal of several reports', () => {
  it('given reports of one event, then a further one joins them', () => {
    const reports = ['A', 'B', 'C'].map((outlet) => ({ ...FIRST, outlet }));
    expect(decide({ ...FIRST, outlet: 'D' }, signal('sig_a', reports))).toBe('same');
  });

  it('given one report that joins two events, then a story of the other event is a signal of its own', () => {
    // The premise: by single links all three would be one signal.
    expect(likeness(BETWEEN, OTHER)).toBeGreaterThanOrEqual(THRESHOLD);
    const reports = [...['A', 'B', 'C'].map((outlet) => ({ ...FIRST, outlet })), BETWEEN];
    expect(decide(OTHER, signal('sig_a', reports))).toBe('new');
  });

  it('given a signal of 40 reports, then one that is like the best of them alone does not join', () => {
    const reports = [{ ...OTHER, outlet: 'A' }, { ...OTHER, outlet: 'B' }, FIRST, FIRST, FIRST];
    const story = { ...OTHER, outlet: 'D' };
    expect(decide(story, signal('sig_a', reports, 40))).toBe('new');
    expect(decide(story, signal('sig_a', [OTHER, OTHER, FIRST], 40))).toBe('same');
  });

  it('given a signal of 40 reports of two events, then it grows by the event of its largest part alone', () => {
    const of = (report: TestStory, count: number) =>
      Array.from({ length: count }, (_, outlet) => ({ ...report, outlet: `Outlet ${report.brand} ${outlet}` }));
    // Its first reports are of the event that most of the others are not about.
    const mixed = signal('sig_a', [...of(OTHER, 12), ...of(FIRST, 28)]);
    expect(decide({ ...OTHER, outlet: 'New' }, mixed)).toBe('new');
    expect(decide({ ...FIRST, outlet: 'New' }, mixed)).toBe('same');
    const even = signal('sig_a', [...of(OTHER, 20), ...of(FIRST, 20)]);
    expect([decide({ ...OTHER, outlet: 'New' }, even), decide({ ...FIRST, outlet: 'New' }, even)]).toEqual([
      'same',
      'new',
    ]);
  });

  it('given a signal half of whose reports rule a story out, then it does not join, however like the others are', () => {
    const named = (person: string, outlet: string): TestStory => ({
      title: 'Mitti gets a new chief executive from abroad for its lamps',
      summary: `It is ${person}.`,
      outlet,
      brand: 'Mitti',
      understanding: {
        move: 'people',
        people: person
          ? [{ person, company: 'Mitti', role: 'CEO', direction: 'joined', from: null, to: null, effective: null }]
          : [],
      },
    });
    const story = named('Arun Sethi', 'D');
    expect(decide(story, signal('sig_a', [named('', 'A'), named('', 'B'), named('Kavita Rao', 'C')]))).toBe('same');
    expect(decide(story, signal('sig_a', [named('', 'A'), named('Kavita Rao', 'C')]))).toBe('new');
  });

  it('given the results of a quarter, then a further report of them joins beside one that is unlike it', () => {
    const results = (title: string, outlet: string): TestStory => ({
      title,
      outlet,
      brand: 'Mitti',
      understanding: {
        move: 'results',
        result: { company: 'Mitti', period: 'Q1 FY27', metric: 'margin', value: null, growth_pct: null },
      },
    });
    const plans = { ...results('Mitti bets on lamps for cars', 'B'), understanding: { move: 'strategy' as const } };
    const reports = [results('Mitti Q1 profit climbs 12 pc', 'A'), plans];
    expect(decide(results('Costly sand erodes margins of Mitti', 'C'), signal('sig_a', reports))).toBe('same');
  });

  it('given a report that is like two signals which rule each other out, then it merges none', () => {
    const [pune, surat] = ['Pune', 'Surat'].map(
      (city): TestStory => ({
        title: `Mitti opens its second lamp store in ${city}`,
        brand: 'Mitti',
        understanding: { cities: [city] },
      }),
    );
    const story = { title: 'Mitti opens its second lamp store', brand: 'Mitti', outlet: 'B' };
    const near = [signal('sig_a', [pune ?? story]), signal('sig_b', [surat ?? story])];
    expect(match(storyOf(story), features(story), near)).toMatchObject({ kind: 'same', merge: [] });
    const twice = [signal('sig_a', [pune ?? story]), signal('sig_b', [pune ?? story])];
    expect(match(storyOf(story), features(story), twice)).toMatchObject({ kind: 'same', merge: ['sig_b'] });
  });
});
