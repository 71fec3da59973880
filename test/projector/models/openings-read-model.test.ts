import { describe, expect, it } from 'vitest';
import type { Opening } from '../../../facts/openings/fields.ts';
import { openingsTable } from '../../../facts/openings/table.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { specification } from '../given-when-then.ts';
import {
  opening as anyOpening,
  detected,
  held,
  idOf,
  merged,
  released,
  report,
  reported,
  revised,
  understanding,
} from '../signal-events.ts';

const { given } = specification(factModel(openingsTable, 'openings'));

const opening = (changes: Partial<Opening> = {}): Opening => anyOpening({ stores: 40, ...changes });
const reporting = (...openings: Opening[]) => ({ understanding: understanding({ openings }) });

describe('openings', () => {
  it('given nothing, when a signal reports openings in two cities, has one entry each, cited by the signal', () => {
    const outcome = given([]).when(detected('one', reporting(opening(), opening({ city: 'Nagpur', stores: null }))));

    expect(outcome.records('openings', idOf('one'))).toEqual([
      {
        number: 0,
        slug: 'slug-one',
        headline: 'Kiri Foods opens 40 stores',
        published_at: '2026-11-20T04:30:00Z',
        reported_at: '2026-11-20T04:00:00Z',
        ...opening(),
        brand_slug: 'kiri-foods',
        outlet: 'Daily Trade',
        source_url: 'https://outlet.test/one',
      },
      expect.objectContaining({ number: 1, city: 'Nagpur', stores: null }),
    ]);
  });

  it('given a brand that the text does not name among its brands, has no slug for it', () => {
    const outcome = given([]).when(detected('one', reporting(opening({ brand: 'Somebody' }))));

    expect(outcome.records('openings', idOf('one'))).toMatchObject([{ brand: 'Somebody', brand_slug: null }]);
  });

  it('given an opening, when the text is revised, has the openings of the new text', () => {
    const outcome = given([detected('one', reporting(opening()))]).when(
      revised('one', 1, {
        headline: 'Kiri Foods plans 50 stores',
        openings: [opening({ stores: 50, status: 'planned' })],
      }),
    );

    expect(outcome.records('openings', idOf('one'))).toMatchObject([
      { headline: 'Kiri Foods plans 50 stores', stores: 50, status: 'planned', published_at: '2026-11-20T04:30:00Z' },
    ]);
  });

  it('given an opening, when an edit removes it, has none', () => {
    const outcome = given([detected('one', reporting(opening()))]).when(revised('one', 1, { openings: [] }));

    expect(outcome.records('openings', idOf('one'))).toEqual([]);
    expect(outcome.row(idOf('one'))).toMatchObject({ status: 'public', parts: [] });
  });

  it.each([
    ['public', 'held', [detected('one', reporting(opening()))], held('one'), 0],
    ['held', 'released', [detected('one', { ...reporting(opening()), status: 'held' })], released('one'), 1],
    [
      'resurfaced',
      'released',
      [detected('one', { ...reporting(opening()), status: 'resurfaced' })],
      released('one'),
      1,
    ],
  ])('given a %s signal, when it is %s, shows its openings as its status says', (_, __, before, event, shown) => {
    expect(given(before).when(event).records('openings', idOf('one'))).toHaveLength(shown);
  });

  it('given one event that two signals report, when they are merged, counts it once', () => {
    const outcome = given([
      detected('one', reporting(opening())),
      detected('two', reporting(opening({ stores: 41 }))),
    ]).when(merged('one', 'two'));

    expect(outcome.records('openings', idOf('one'))).toEqual([]);
    expect(outcome.records('openings', idOf('two'))).toMatchObject([{ stores: 41 }]);
  });

  it('given an opening, when another outlet reports it or it is detected again, stays as it was', () => {
    const before = [detected('one', reporting(opening())), reported('one', report('more', { outlet: 'Second' }))];

    const outcome = given(before).when(detected('one', reporting(opening({ stores: 7 }))));

    expect(outcome.records('openings', idOf('one'))).toMatchObject([{ stores: 40 }]);
  });

  const facts = (...openings: Opening[]) => understanding({ openings });
  const second = report('more', { outlet: 'Second' });

  it('given a text without an opening, when another report states one, has it and cites that report', () => {
    const outcome = given([detected('one', reporting())]).when(reported('one', second, false, facts(opening())));

    expect(outcome.records('openings', idOf('one'))).toMatchObject([
      { stores: 40, headline: 'Kiri Foods opens 40 stores', outlet: 'Second', source_url: 'https://outlet.test/more' },
    ]);
  });

  it('given an opening, when another report names the line of the brand, counts it once', () => {
    const outcome = given([detected('one', reporting(opening({ stores: 1 })))]).when(
      reported('one', second, false, facts(opening({ brand: 'Kiri Foods Reserve', stores: 1 }))),
    );

    expect(outcome.records('openings', idOf('one'))).toHaveLength(1);
  });

  it('given an opening, when another report knows more of it, completes it and counts it once', () => {
    const outcome = given([detected('one', reporting(opening({ city: null, stores: null })))]).when(
      reported('one', second, false, facts(opening({ mall: 'Hill Mall' }))),
    );

    expect(outcome.records('openings', idOf('one'))).toMatchObject([
      { city: 'Pune', mall: 'Hill Mall', stores: 40, outlet: 'Second' },
    ]);
  });

  it.each([
    ['the same stores city by city', [opening({ stores: 30 }), opening({ city: 'Nagpur', stores: 10 })], false],
    ['another city', [opening({ city: 'Nagpur' })], false],
    ['old news', [opening({ brand: 'Maya' })], true],
  ])('given an opening, when a report states %s, adds nothing', (_, openings, resurfaced) => {
    const outcome = given([detected('one', reporting(opening()))]).when(
      reported('one', second, resurfaced, facts(...openings)),
    );

    expect(outcome.records('openings', idOf('one'))).toMatchObject([{ city: 'Pune', stores: 40 }]);
    expect(outcome.records('openings', idOf('one'))).toHaveLength(1);
  });

  it('given a report that stated an opening, when an edit of it takes that back, has none', () => {
    const before = [detected('one', reporting()), reported('one', second, false, facts(opening()))];

    expect(given(before).when(reported('one', second)).records('openings', idOf('one'))).toEqual([]);
  });

  it('given a text that a better report replaces, keeps citing the report that states the opening', () => {
    const before = [
      detected('one', reporting(opening())),
      reported('one', second, false, facts(opening({ brand: 'Maya' }))),
    ];
    const better = revised('one', 1, { openings: [opening({ brand: 'Maya' })] }, 'key-more', 'better_report');

    expect(given(before).when(better).records('openings', idOf('one'))).toMatchObject([
      { brand: 'Maya', outlet: 'Second' },
      { brand: 'Kiri Foods', outlet: 'Daily Trade', source_url: 'https://outlet.test/one' },
    ]);
  });

  it('given a public signal that is merged into another, when that one states no opening, has what its reports state', () => {
    const outcome = given([detected('one', reporting(opening())), detected('two', reporting())]).when(
      merged('one', 'two'),
    );

    expect(outcome.records('openings', idOf('two'))).toMatchObject([{ stores: 40, slug: 'slug-two' }]);
  });

  it('given nothing, when an event refers to an unknown signal, refuses it', () => {
    expect(given([]).when(held('one')).refused).toEqual([expect.stringContaining('no SignalDetected before it')]);
  });
});
