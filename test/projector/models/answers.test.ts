/** The three answers that are counted from openings, appointments and results, from events to the answer. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Opening } from '../../../facts/openings/fields.ts';
import { openingsTable } from '../../../facts/openings/table.ts';
import type { Appointment } from '../../../facts/people/fields.ts';
import { peopleTable } from '../../../facts/people/table.ts';
import type { Result } from '../../../facts/results/fields.ts';
import { resultsTable } from '../../../facts/results/table.ts';
import { waitForPosition } from '../../../projector/model-progress.ts';
import { expansionMap } from '../../../projector/models/expansion-map-queries.ts';
import { groupSeason } from '../../../projector/models/group-season-queries.ts';
import { leadershipMoves } from '../../../projector/models/leadership-moves-queries.ts';
import { CursorError } from '../../../projector/models/query-parts.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { signalsModel } from '../../../projector/models/signals-read-model.ts';
import type { KnownEvent } from '../../../schemas/events.ts';
import { ExpansionMap, GroupSeason, LeadershipMoves } from '../../../schemas/moves-by-kind.ts';
import { signalStream } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import { smallGazetteer } from '../../harness/gazetteer.ts';
import { brandSlug } from '../../harness/ids.ts';
import { type Engine, testEngine } from '../engine.ts';
import {
  appointment,
  brandRef,
  detected,
  held,
  idOf,
  merged,
  opening,
  report,
  reported,
  result,
  revised,
  understanding,
} from '../signal-events.ts';

const baseUrl = 'https://clarity.test';
const about = { now: new Date('2026-11-21T04:30:00Z'), baseUrl, gazetteer: smallGazetteer };
let engine: Engine;
let last = 0n;

const NAMES: Record<string, string> = {
  'kiri-foods': 'Kiri Foods',
  kiri: 'Kiri',
  'maya-mart': 'MayaMart',
  'tilak-shoes': 'Tilak Shoes',
  unlisted: 'Unlisted',
};
const textOf = (slug: string, changes: Partial<Understanding>): Understanding =>
  understanding({
    brands: [brandRef(slug, NAMES[slug] ?? slug)],
    ...changes,
  });
const brandOpening = (slug: string, changes: Partial<Opening>): Understanding =>
  textOf(slug, { openings: [opening({ brand: NAMES[slug] ?? slug, ...changes })] });
const brandAppointment = (slug: string, changes: Partial<Appointment>): Understanding =>
  textOf(slug, { move: 'people', people: [appointment({ company: NAMES[slug] ?? slug, ...changes })] });
const brandResult = (slug: string, changes: Partial<Result>): Understanding =>
  textOf(slug, { move: 'results', result: result({ company: NAMES[slug] ?? slug, ...changes }) });

/** A signal of a name, published so many days ago. */
async function addSignal(name: string, days: number, text: Understanding, ...more: KnownEvent[]): Promise<void> {
  const published_at = new Date(about.now.getTime() - days * 86_400_000).toISOString();
  last = await engine.add(
    signalStream(idOf(name)),
    detected(name, { published_at, understanding: { ...text, headline: `Headline of ${name}` } }),
    ...more,
  );
}

beforeAll(async () => {
  engine = await testEngine();
  const models = [
    factModel(openingsTable, 'openings'),
    factModel(peopleTable, 'people'),
    factModel(resultsTable, 'result'),
    signalsModel({ baseUrl }),
  ];
  engine.run(models);
  await addSignal('hill', 1, brandOpening('kiri-foods', { mall: 'Hill Mall' }));
  await addSignal('forty', 2, brandOpening('tilak-shoes', { city: null, stores: 40, status: 'planned' }));
  await addSignal('retired', 3, brandOpening('kiri', { city: 'Pune', stores: null, status: 'announced' }));
  await addSignal('nagpur', 4, brandOpening('maya-mart', { city: 'Nagpur', stores: 2 }));
  await addSignal('gone', 5, brandOpening('tilak-shoes', { status: 'closed' }));
  await addSignal('unlisted', 6, brandOpening('unlisted', { stores: 2 }));
  await addSignal('passed', 7, brandOpening('maya-mart', { status: 'planned', stores: 9, date: '2026-11-20' }));
  await addSignal('held', 1, brandOpening('kiri-foods', { stores: 900 }), held('held'));
  await addSignal('twin', 1, brandOpening('kiri-foods', { mall: 'Hill Mall' }), merged('twin', 'hill'));
  // A text without openings, which other rules understand with one: the row has no report of its own.
  await addSignal(
    'understood-again',
    150,
    textOf('maya-mart', {}),
    revised(
      'understood-again',
      1,
      brandOpening('maya-mart', { status: 'planned', stores: 3 }),
      undefined,
      'understood_again',
    ),
  );
  await addSignal('old', 200, brandOpening('kiri-foods', { stores: 7 }));

  await addSignal('in', 1, brandAppointment('kiri-foods', { person: 'Neel Shah', role: 'finance chief' }));
  await addSignal('out', 12, brandAppointment('kiri-foods', { direction: 'left', effective: '2026-12-01' }));
  await addSignal('marketing', 8, brandAppointment('maya-mart', { role: 'CMO', direction: 'left' }));
  await addSignal(
    'head',
    9,
    brandAppointment('tilak-shoes', { person: 'Ira Das', role: 'Head of Marketing', direction: 'promoted' }),
  );
  const named = brandAppointment('tilak-shoes', { person: 'Om Das', role: 'CHRO' });
  await addSignal(
    'unnamed',
    10,
    brandAppointment('tilak-shoes', { person: 'Om Das', role: null }),
    reported('unnamed', report('unnamed-again', { outlet: 'Second' }), false, named),
  );

  await addSignal('q2', 3, brandResult('kiri-foods', {}));
  await addSignal('q2-again', 2, brandResult('kiri', { growth_pct: 19 }));
  await addSignal('q2-profit', 4, brandResult('kiri-foods', { metric: 'profit', value: null, growth_pct: -3 }));
  await addSignal(
    'q2-profit-value',
    6,
    brandResult('kiri-foods', { metric: 'profit', value: '₹12 Cr', growth_pct: null }),
  );
  await addSignal('q2-of-the-only-brand', 5, brandResult('maya-mart', { growth_pct: null, metric: 'sales' }));
  await addSignal('forecast', 1, brandResult('tilak-shoes', { period: 'Q4 FY27' }));
  await addSignal('q1', 90, brandResult('tilak-shoes', { period: 'Q1 FY27', growth_pct: 4 }));
  for (const { name } of models) await waitForPosition(engine.database, name, last, 10_000);
});
afterAll(() => engine.close());

/** Counts of stores: those that opened, and those announced or planned. */
const stores = (opened: number, planned: number) => ({
  stores: opened,
  stores_opened: opened,
  stores_planned: planned,
});
const headlines = (shown: readonly { signal: { headline: string } }[]): string[] =>
  shown.map(({ signal }) => signal.headline.replace('Headline of ', ''));

describe('the expansion map', () => {
  const map = async (question: Partial<Parameters<typeof expansionMap>[1]> = {}) =>
    ExpansionMap.parse(await expansionMap(engine.database, { days: 90, limit: 20, ...question }, about));

  it('counts all India by category, city and mall, one event once, held ones not at all', async () => {
    const india = await map();

    expect(india).toMatchObject({
      place: { type: 'india', name: 'India' },
      since: '2026-08-23T04:30:00.000Z',
      until: '2026-11-21T04:30:00.000Z',
      openings_total: 6,
      stores_total: 1 + 2 + 2,
      stores_opened: 1 + 2 + 2,
      stores_planned: 40 + 1 + 9,
      rows_total: 7,
      next_cursor: null,
      closures_total: 1,
      by_mall: [{ mall: 'Hill Mall', city: 'Pune', openings: 1, stores: 1, stores_opened: 1, stores_planned: 0 }],
    });
    expect(india.by_category).toEqual([
      { category: 'value_fashion', openings: 2, ...stores(2, 9) },
      { category: 'food_and_beverage', openings: 2, ...stores(1, 1) },
      { category: null, openings: 1, ...stores(2, 0) },
      { category: 'footwear', openings: 1, ...stores(0, 40) },
    ]);
    expect(india.by_city).toEqual([
      { city: 'Pune', state: 'Maharashtra', latitude: 18.52, longitude: 73.86, openings: 4, ...stores(3, 10) },
      { city: 'Nagpur', state: 'Maharashtra', latitude: 21.15, longitude: 79.08, openings: 1, ...stores(2, 0) },
    ]);
    expect(headlines(india.openings)).toEqual(['hill', 'forty', 'retired', 'nagpur', 'gone', 'unlisted', 'passed']);
    expect(india.openings[2]).toMatchObject({
      brand: 'Kiri Foods',
      brand_slug: 'kiri-foods',
      category: 'food_and_beverage',
      stores: null,
      signal: { id: idOf('retired'), slug: 'slug-retired', url: 'https://clarity.test/signal/slug-retired' },
      outlet: 'Daily Trade',
      source_url: 'https://outlet.test/retired',
      published_at: '2026-11-18T04:30:00.000Z',
    });
  });

  it('lists the brands to pitch: those with planned stores, most stores first, by their current names', async () => {
    expect((await map()).who_to_pitch).toMatchObject([
      { brand: 'Tilak Shoes', category: 'footwear', planned: 40, opened: 0, signal: { slug: 'slug-forty' } },
      { brand: 'Kiri Foods', brand_slug: 'kiri-foods', planned: 1, opened: 0 },
    ]);
  });

  it('cites the report of the signal where none states the planned stores itself', async () => {
    expect((await map({ days: 365 })).who_to_pitch).toMatchObject([
      { brand: 'Tilak Shoes' },
      {
        brand: 'MayaMart',
        planned: 3,
        signal: { slug: 'slug-understood-again' },
        outlet: 'Daily Trade',
        source_url: 'https://outlet.test/understood-again',
      },
      { brand: 'Kiri Foods' },
    ]);
  });

  it('lists the moves in a city, and for a mall the announced openings of its city', async () => {
    const pune = await map({ city: 'Pune' });
    const mall = await map({ mall: 'Hill Mall' });

    expect(pune.place).toEqual({ type: 'city', name: 'Pune', city: 'Pune', state: 'Maharashtra' });
    expect(headlines(pune.openings)).toEqual(['hill', 'retired', 'gone', 'unlisted', 'passed']);
    expect(mall.place).toEqual({ type: 'mall', name: 'Hill Mall', city: 'Pune', state: 'Maharashtra' });
    expect(headlines(mall.openings)).toEqual(['hill']);
    expect(mall.who_to_pitch).toMatchObject([{ brand: 'Kiri Foods', planned: 1 }]);
  });

  it('lists page by page as of the first one, each row once', async () => {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await map({ limit: 3, ...(cursor ? { cursor } : {}) });
      expect([page.rows_total, page.until]).toEqual([7, '2026-11-21T04:30:00.000Z']);
      seen.push(...headlines(page.openings));
      cursor = page.next_cursor;
    } while (cursor);

    expect(seen).toEqual(['hill', 'forty', 'retired', 'nagpur', 'gone', 'unlisted', 'passed']);
    await expect(map({ cursor: 'bm9uZQ' })).rejects.toThrow(CursorError);
  });

  it('counts the cities of a region together', async () => {
    const region = { name: 'West', cities: ['Pune', 'Nagpur'] };

    expect(await map({ region })).toMatchObject({
      place: { type: 'region', name: 'West', city: null },
      openings_total: 5,
      stores_opened: 5,
      stores_planned: 10,
    });
  });

  it('is limited by a category, a number of days and a number of openings', async () => {
    expect(headlines((await map({ category: 'footwear' })).openings)).toEqual(['forty', 'gone']);
    expect((await map({ days: 365 })).stores_total).toBe(5 + 7);
    const few = await map({ limit: 2, places: 1 });
    expect([few.openings.length, few.by_city.length, few.openings_total]).toEqual([2, 1, 6]);
  });
});

describe('leadership moves', () => {
  const moves = async (question: Partial<Parameters<typeof leadershipMoves>[1]> = {}) =>
    LeadershipMoves.parse(await leadershipMoves(engine.database, { days: 90, ...question }, about));
  const kiri = smallGazetteer.findCompany('Kiri Foods').found ?? undefined;

  it('counts and lists them, and watches the seats that are still vacant', async () => {
    const report = await moves();

    expect(report).toMatchObject({
      total: 5,
      by_direction: { joined: 2, left: 2, promoted: 1 },
      week_count: 1,
      prior_week_count: 4,
      reading:
        '5 leadership moves in the last 90 days: 2 joined, 2 left and 1 was promoted; 1 in the last 7 days against 4 in the 7 before; most in marketing (2) and finance (2); 1 seat left with no successor reported.',
    });
    expect(headlines(report.moves)).toEqual(['in', 'marketing', 'head', 'unnamed', 'out']);
    expect(report.seats_to_watch).toMatchObject([
      { company: 'MayaMart', company_slug: 'maya-mart', role: 'CMO', person: 'Asha Rao', vacant_since: '2026-11-13' },
    ]);
  });

  it.each([
    ['a lens', { lens: 'marketing' }, ['marketing', 'head']],
    ['all lenses', { lens: 'all' }, ['in', 'marketing', 'head', 'unnamed', 'out']],
    ['a seat, however it is written', { role: 'Chief Financial Officer' }, ['in', 'out']],
    ['words of a role', { role: 'marketing' }, ['head']],
    ['words that are a pattern to SQL', { role: '%' }, []],
    ['a direction', { direction: 'left' }, ['marketing', 'out']],
    ['a company with its brands', { company: kiri }, ['in', 'out']],
    ['a sector', { sector: { name: 'value fashion', slugs: [brandSlug('maya-mart')] } }, ['marketing']],
    [
      'a company that is not of the sector',
      { company: kiri, sector: { name: 'x', slugs: [brandSlug('maya-mart')] } },
      [],
    ],
    ['a few days', { days: 7 }, ['in']],
    ['a number', { limit: 1 }, ['in']],
  ] as const)('keep to %s', async (_, question, expected) => {
    expect(headlines((await moves(question)).moves)).toEqual(expected);
  });

  it('given a role without a match, then the moves that it leaves out are counted and listed', async () => {
    const none = await moves({ company: kiri, role: 'CMO' });

    expect(none).toMatchObject({
      total: 0,
      left_out_total: 2,
      reading: 'No leadership moves found for role CMO at Kiri Foods in the last 90 days; 2 without that filter.',
    });
    expect(headlines(none.left_out)).toEqual(['in', 'out']);
    expect((await moves({ company: kiri, role: 'CFO' })).left_out).toEqual([]);
  });

  it('are found by what any report of a signal states, and cite that report', async () => {
    expect((await moves({ role: 'Chief Human Resources Officer' })).moves).toMatchObject([
      { person: 'Om Das', role: 'CHRO', outlet: 'Second', source_url: 'https://outlet.test/unnamed-again' },
    ]);
    expect((await moves({ lens: 'people' })).moves).toHaveLength(1);
  });

  it('are listed page by page, each once', async () => {
    const first = await moves({ limit: 3 });
    const second = await moves({ limit: 3, cursor: first.next_cursor ?? '' });

    expect(headlines([...first.moves, ...second.moves])).toEqual(['in', 'marketing', 'head', 'unnamed', 'out']);
    expect([first.total, second.total, second.next_cursor]).toEqual([5, 5, null]);
  });

  it('count both weeks even where the window is shorter, and the seats whatever the direction', async () => {
    expect(await moves({ days: 7 })).toMatchObject({ total: 1, week_count: 1, prior_week_count: 4 });
    expect((await moves({ direction: 'joined' })).seats_to_watch).toHaveLength(1);
    expect((await moves({ direction: 'promoted', days: 7 })).reading).toBe(
      'No leadership moves found for direction promoted in the last 7 days; 1 without that filter.',
    );
  });
});

describe("a group's season", () => {
  const group = smallGazetteer.findGroup('food').found;
  const season = async (quarter?: string) => {
    if (!group) throw new Error('the small catalogue has a group of food');
    return GroupSeason.parse(await groupSeason(engine.database, { group, quarter }, about));
  };

  it('is that of the latest ended quarter for which a company reported', async () => {
    const report = await season();

    expect(report).toMatchObject({
      group: { name: 'Food', slug: 'food', url: 'https://clarity.test/group/food' },
      quarter: 'Q2 FY27',
      season: {
        reported: 2,
        expected: 3,
        not_yet: [{ name: 'Tilak Shoes', url: 'https://clarity.test/brand/tilak-shoes' }],
      },
      growth: [{ company: 'Kiri Foods', metric: 'revenue', growth_pct: 19 }],
    });
    expect(report.key_numbers.map(({ company, metric, growth_pct }) => [company, metric, growth_pct])).toEqual([
      ['Kiri Foods', 'revenue', 19],
      ['Kiri Foods', 'profit', -3],
      ['Maya Stores', 'sales', null],
    ]);
    expect(report.key_numbers[0]).toMatchObject({ signal: { slug: 'slug-q2-again' }, growth_signal: null });
    expect(report.key_numbers[1]).toMatchObject({
      value: '₹12 Cr',
      signal: { slug: 'slug-q2-profit-value' },
      outlet: 'Daily Trade',
      growth_signal: { slug: 'slug-q2-profit' },
    });
    expect(report.moves_total).toBe(18);
  });

  it('has the newest moves of its companies and their brands, and what to watch, cited', async () => {
    const { moves, what_to_watch } = await season();

    expect(moves).toHaveLength(10);
    expect(moves[0]?.published_at.slice(0, 10)).toBe('2026-11-20');
    expect(new Set(moves.map(({ id }) => id)).size).toBe(10);
    expect(what_to_watch.map(({ text, signal }) => [text, signal?.slug ?? null])).toEqual([
      ['1 of 3 companies have not reported Q2 FY27 yet: Tilak Shoes.', null],
      [
        'Tilak Shoes: 40 stores announced or planned, reported on 19 November 2026; none opened in the last 90 days.',
        'slug-forty',
      ],
      [
        'Kiri Foods: 1 store announced or planned in Pune, reported on 18 November 2026; none opened in the last 90 days.',
        'slug-retired',
      ],
      ['MayaMart: its CMO left on 13 November 2026; no successor is reported.', 'slug-marketing'],
    ]);
  });

  it('is that of the quarter that was asked for', async () => {
    expect(await season('Q1 FY27')).toMatchObject({ season: { reported: 1 }, growth: [{ growth_pct: 4 }] });
    expect(await season('Q3 FY20')).toMatchObject({
      season: { reported: 0, expected: 3 },
      growth: [],
      key_numbers: [],
    });
  });
});
