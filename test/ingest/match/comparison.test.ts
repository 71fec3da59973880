import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COMPARISONS,
  type Comparison,
  compare,
  compareAcrossTime,
  scoreLikeness,
  THRESHOLD,
} from '../../../ingest/match/comparison.ts';
import { featuresOf } from '../../../ingest/match/report-features.ts';
import { brandSlug } from '../../harness/ids.ts';
import { storyOf, type TestStory } from './stories.ts';

const features = (report: TestStory) => {
  const { item, understanding } = storyOf(report);
  return featuresOf(item, understanding, (slug) => (slug === 'mitti' ? brandSlug('mitti-consumer') : null));
};
const numbers = (a: TestStory, b: TestStory) => {
  const found = compare(features(a), features(b));
  return (name: Comparison) => found[COMPARISONS.indexOf(name)];
};
const opening = (city: string, report: Partial<TestStory> = {}): TestStory => ({
  title: `Mitti opens its new store in ${city}`,
  brand: 'Mitti',
  understanding: { cities: [city] },
  ...report,
});

describe('two reports side by side', () => {
  it('names each feature correctly', () => {
    const said = numbers(
      { title: 'Mitti raises ₹42 crore from Kestrel', brand: 'Mitti', understanding: { move: 'deals' } },
      { title: 'Mitti names Kavita Rao CEO', brand: 'Mitti', understanding: { move: 'people' } },
    );
    expect(said('same_brand')).toBe(1);
    expect(said('other_move')).toBe(1);
    expect(said('same_move')).toBe(0);
    expect(said('acts_conflict')).toBe(1);
    expect(said('days_apart')).toBe(0);
    expect(said('figures_conflict')).toBe(0);
    const money = numbers({ title: 'Mitti raises ₹42 crore' }, { title: 'Mitti raises ₹99 crore' });
    expect(money('figures_conflict')).toBe(1);
    expect(money('money_agrees')).toBe(0);
    expect(numbers({ title: 'Mitti raises ₹42 Cr' }, { title: 'Rs 42 crore for Mitti' })('money_agrees')).toBe(1);
  });

  it('keeps stores in two cities apart, and two brands', () => {
    expect(scoreLikeness(features(opening('Pune')), features(opening('Surat'))).score).toBeLessThan(THRESHOLD);
    const other = opening('Pune', { title: 'Brewbarn opens its new store in Pune', brand: 'Brewbarn' });
    expect(scoreLikeness(features(opening('Pune')), features(other)).score).toBeLessThan(THRESHOLD);
    expect(scoreLikeness(features(opening('Pune')), features(opening('Pune', { outlet: 'B' }))).score).toBeGreaterThan(
      0.9,
    );
  });

  it('scores two reports higher when the encoder finds their meanings alike, and lower when it does not', () => {
    const vector = (by: string, ...values: number[]) => ({
      by,
      values: Buffer.from(Int8Array.from({ length: 128 }, (_, index) => values[index] ?? 0).buffer).toString('base64'),
    });
    const reads = (found: ReturnType<typeof vector>) => ({ ...features(opening('Pune')), vector: found });
    const other = { ...features(opening('Pune', { title: 'A chain comes to Pune' })), vector: vector('one', 60, 80) };
    const score = (found: ReturnType<typeof vector>) => scoreLikeness(reads(found), other).score;
    const without = scoreLikeness(features(opening('Pune')), other).score;
    expect(score(vector('one', 60, 80))).toBeGreaterThan(without);
    expect(score(vector('one', 80, -60))).toBeLessThan(without);
    expect(score(vector('another encoder', 60, 80))).toBe(without);
  });

  it('knows old news by what it says, and news that recurs by what differs', () => {
    const first = features({ title: 'Mitti raises ₹42 crore from Kestrel Capital', brand: 'Mitti' });
    const later = { brand: 'Mitti', first_seen_at: '2026-09-06T08:00:00.000Z' };
    expect(
      compareAcrossTime(first, features({ ...later, title: 'Mitti raised Rs 42 crore from Kestrel Capital' })).score,
    ).toBeGreaterThan(THRESHOLD);
    expect(
      compareAcrossTime(first, features({ ...later, title: 'Mitti raises ₹90 crore from Kestrel Capital' })).score,
    ).toBeLessThan(THRESHOLD);
  });

  describe('what rules decide, however alike or unlike the words are', () => {
    const same = (a: TestStory, b: TestStory): boolean => scoreLikeness(features(a), features(b)).score >= THRESHOLD;
    const results = (title: string, metric: string, period: string | null, brand = 'Mitti'): TestStory => ({
      title,
      brand,
      understanding: { move: 'results', result: { company: brand, period, metric, value: null, growth_pct: null } },
    });
    const profit = results('Mitti Q1 net profit climbs 12 pc', 'profit', 'Q1 FY27');

    it('joins results of one company and quarter, whatever figures they name', () => {
      const margins = results('Costly lamps weigh on margins of Mitti in June quarter', 'margin', 'Q1 FY27');
      expect(same(profit, margins)).toBe(true);
      expect(same(profit, results('Mitti Q2 net profit climbs 12 pc', 'profit', 'Q2 FY27'))).toBe(false);
      expect(same(profit, results('Brewbarn Q1 net profit climbs 12 pc', 'profit', 'Q1 FY27', 'Brewbarn'))).toBe(false);
    });

    it('takes nothing with a newer fact for old news: what was planned is done, a deal goes on, a new figure', () => {
      const later = { brand: 'Mitti', first_seen_at: '2026-08-06T08:00:00.000Z' };
      const deal = (status: 'rumoured' | 'agreed' | 'completed') => ({
        deal: { type: 'funding' as const, amount: '₹42 Cr', target: 'Mitti', buyers: [], status },
      });
      const repeats = (first: TestStory, second: TestStory): boolean =>
        compareAcrossTime(features({ brand: 'Mitti', ...first }), features({ ...later, ...second })).score >= THRESHOLD;
      const eyes = { title: 'Lamp maker Mitti eyes ₹42 crore round from Kestrel Capital' };
      const raises = { title: 'Lamp maker Mitti raises ₹42 crore from Kestrel Capital' };
      expect(repeats(raises, raises)).toBe(true);
      expect(repeats(eyes, raises)).toBe(false);
      expect(
        repeats({ ...raises, understanding: deal('agreed') }, { ...raises, understanding: deal('completed') }),
      ).toBe(false);
      expect(
        repeats(raises, { title: 'Lamp maker Mitti raises ₹42 crore from Kestrel Capital for 70 new stores' }),
      ).toBe(false);
    });
  });

  it('is symmetric, between 0 and 1, and takes any text', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(text, text, fc.option(text), (one, other, summary) => {
        const [a, b] = [
          features({ title: one, summary, url: 'https://a.example/1' }),
          features({ title: other, url: 'https://a.example/2' }),
        ];
        expect(compare(a, b)).toHaveLength(COMPARISONS.length);
        expect(scoreLikeness(a, b).score).toBeCloseTo(scoreLikeness(b, a).score, 10);
        expect(scoreLikeness(a, b).score).toBeGreaterThanOrEqual(0);
        expect(scoreLikeness(a, b).score).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has a bounded cost for long texts', () => {
    const long = features({ title: 'Mitti ₹1 crore '.repeat(20_000), url: 'https://a.example/1' });
    expect(long.all.ids.length).toBeLessThan(1_000);
  });
});
