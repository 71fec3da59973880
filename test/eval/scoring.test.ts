import { describe, expect, it } from 'vitest';
import { LabelledItem } from '../../eval/labelled-items.ts';
import {
  addUp,
  companyKey,
  compareItem,
  countItem,
  countStream,
  figureKey,
  itemFigures,
  measure,
  streamFigures,
} from '../../eval/scoring.ts';

const item = (labels: object) =>
  LabelledItem.parse({
    key: 'a',
    date: '2026-07-20',
    outlet: 'Shop News',
    title: 'A title',
    url: 'https://shopnews.example/1',
    relevant: true,
    move: 'stores',
    primary: [],
    ...labels,
  });

/** The figures of items, each with its labels and the answer. */
const figures = (...pairs: readonly (readonly [object, object])[]) =>
  itemFigures(addUp(pairs.map(([labels, said]) => countItem(compareItem(item(labels), item(said))))));

describe('how names and figures are compared', () => {
  it.each([
    ['₹230 Cr', 'Rs 230 crore'],
    ['Rs 1.5 lakh crore', '₹1,50,000 Cr'],
    ['32% YoY', '32 per cent'],
    ['$2.4 Mn', 'USD 2.4 million'],
    ['-12%', '12 pc'],
    ['48 stores', '48'],
  ])('given %s and %s, then they are one figure', (one, other) => expect(figureKey(one)).toBe(figureKey(other)));

  it.each([
    ['₹230 Cr', '$230 Mn'],
    ['32%', '32'],
    ['₹230 Cr', '₹230 lakh'],
  ])('given %s and %s, then they are two', (one, other) => expect(figureKey(one)).not.toBe(figureKey(other)));

  it('given company names, then case, accents and legal endings do not matter, and a name of endings alone stays', () => {
    expect(companyKey('Café Coffee Day Pvt. Ltd')).toBe(companyKey("cafe coffee day's".replace("'s", '')));
    expect(companyKey('Retail India')).toBe('retail india');
  });
});

describe('the figures of items', () => {
  it('given two hits, one wrong answer and one missed item, then relevance F1 is two thirds', () => {
    const noise = { relevant: false, move: null };
    const { relevance_precision, relevance_recall, relevance_f1 } = figures(
      [{}, {}],
      [{}, {}],
      [noise, {}],
      [{}, noise],
    );
    expect([relevance_precision, relevance_recall, relevance_f1]).toEqual([2 / 3, 2 / 3, 2 / 3]);
  });

  it('given kinds of move, then macro-F1 averages those with at least three labelled items', () => {
    const deals = { move: 'deals' };
    // stores: 3 hits, 1 wrong; deals: 2 hits, 1 missed; people: labelled once, and left out.
    const people = { move: 'people' };
    const found = figures([{}, {}], [{}, {}], [{}, {}], [deals, deals], [deals, deals], [deals, {}], [people, people]);
    expect(found.move_macro_f1).toBeCloseTo((6 / 7 + 4 / 5) / 2, 10);
  });

  it('given facts, then they are compared by their keys, on relevant items alone', () => {
    const opening = { brand: 'Zudio Ltd', city: 'Bangalore', status: 'opened' };
    const same = { brand: 'zudio', city: 'Bengaluru', status: 'planned' };
    const result = { company: 'Trent', growth_pct: 24.6 };
    const found = figures(
      [
        { openings: [opening], result },
        { openings: [same], result: { company: 'Trent Limited', growth_pct: 25 } },
      ],
      [
        { relevant: false, move: null },
        { openings: [same], result },
      ],
    );
    expect(found).toMatchObject({ openings_f1: 1, published_openings_precision: 0.5 });
    expect(found).toMatchObject({ results_f1: 1, published_results_precision: 0.5 });
  });

  it('given facts of an item that was taken for noise, then they are missed, and not published', () => {
    const person = { people: [{ person: 'Asha Rao', direction: 'joined' }] };
    const found = figures([person, { ...person, relevant: false }], [person, person]);
    expect(found).toMatchObject({ people_f1: 1, published_people_precision: 1, relevance_recall: 0.5 });
  });

  it('given a delta, then only labelled ones count', () => {
    const found = figures([{ delta: '₹5 Cr' }, { delta: 'Rs 5 crore' }], [{ delta: '8%' }, {}], [{}, { delta: '9%' }]);
    expect(found.delta_accuracy).toBe(0.5);
  });
});

describe('the figures of a stream', () => {
  const placed = (text: string) =>
    text.split(' ').map((one, index) => {
      const [event = '', signal = ''] = one.split('/');
      return {
        key: `${index}`,
        day: '2026-07-20',
        event: event === '-' ? null : event,
        signal: signal === '-' ? null : signal,
      };
    });

  it('given one split event and one mixed signal, then B3, whole events and pairs are as by hand', () => {
    // Event 1 is split 2 to 1; event 2 is whole, but its signal also has an item that is alone.
    const found = streamFigures(addUp(countStream(placed('1/a 1/a 1/b 2/c 2/c -/c')).map(({ counts }) => counts)));
    const precision = (1 + 1 + 1 + 2 / 3 + 2 / 3 + 1 / 3) / 6;
    const recall = (2 / 3 + 2 / 3 + 1 / 3 + 1 + 1 + 1) / 6;
    expect(found.b3_precision).toBeCloseTo(precision, 10);
    expect(found.b3_recall).toBeCloseTo(recall, 10);
    expect(found.b3_f1).toBeCloseTo((2 * precision * recall) / (precision + recall), 10);
    expect(found).toMatchObject({ whole_events: 0.5, mixed_signals: 0.5 });
    // Pairs: 1a1a and 2c2c are right, two with the one alone are wrong, two of event 1 are missed.
    expect(found).toMatchObject({ pairs_in_signals_precision: 0.5, pairs_in_signals_recall: 0.5 });
  });

  it('given an item that is in no signal, then it does not count', () => {
    const found = streamFigures(addUp(countStream(placed('1/a 1/a 1/-')).map(({ counts }) => counts)));
    expect(found).toMatchObject({ b3_f1: 1, whole_events: 1, pairs_in_signals_recall: 1 });
  });
});

describe('how sure a figure is', () => {
  const days = (right: (day: number) => boolean, many: number) =>
    Array.from({ length: many }, (_, day) => ({ day: `${day}`, counts: { all: 1, right: right(day) ? 1 : 0 } }));
  const share = (counts: Record<string, number>) => ({ share: (counts.right ?? 0) / (counts.all ?? 0) });

  it('given half of a hundred days right, then the interval is about ten points to either side, each time the same', () => {
    const units = days((day) => day % 2 === 0, 100);
    const [found] = measure(units, share);
    expect(found).toMatchObject({ figure: 'share', value: 0.5 });
    expect(found?.low).toBeGreaterThan(0.36);
    expect(found?.low).toBeLessThan(0.44);
    expect(found?.high).toBeGreaterThan(0.56);
    expect(found?.high).toBeLessThan(0.64);
    expect(measure(units, share)).toEqual([found]);
  });

  it('given the same items on few days, then the interval is wider', () => {
    const spread = measure(
      days((day) => day % 2 === 0, 100),
      share,
    )[0];
    const blocks = measure(
      days((day) => day % 2 === 0, 100).map((unit, index) => ({ ...unit, day: `${index % 2}${index % 10}` })),
      share,
    )[0];
    expect((blocks?.high ?? 0) - (blocks?.low ?? 0)).toBeGreaterThan((spread?.high ?? 0) - (spread?.low ?? 0));
  });
});
