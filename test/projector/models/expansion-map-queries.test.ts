import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byPlannedStores, judge, openPlans, type Planned } from '../../../projector/models/expansion-map-queries.ts';

const TODAY = '2026-11-21';
let count = 0;
const row = (changes: Partial<Planned> = {}): Planned => ({
  key: `sig_${++count}`,
  brand: 'Kiri',
  city: null,
  mall: null,
  stores: 10,
  status: 'planned',
  date: null,
  reported_at: new Date('2026-11-01T04:30:00Z'),
  ...changes,
});
const later = new Date('2026-11-10T04:30:00Z');

describe('planned stores', () => {
  it.each([
    ['planned', row(), 1],
    ['announced', row({ status: 'announced' }), 1],
    ['opened', row({ status: 'opened' }), 0],
    ['closed', row({ status: 'closed' }), 0],
    ['planned for today', row({ date: TODAY }), 1],
    ['planned for a day that has passed', row({ date: '2026-11-20' }), 0],
  ])('are those that are %s', (_, reported, coming) => {
    expect(openPlans([reported], TODAY)).toHaveLength(coming);
  });

  it.each([
    ['in the same mall', row({ mall: 'Hill Mall', city: 'Pune' }), { mall: 'Hill Mall', city: 'Pune' }, 0],
    ['in another mall', row({ mall: 'Hill Mall', city: 'Pune' }), { mall: 'Lake Mall', city: 'Pune' }, 1],
    ['one store in the same city', row({ city: 'Pune', stores: 1 }), { city: 'Pune' }, 0],
    ['one of many stores in the same city', row({ city: 'Pune', stores: 10 }), { city: 'Pune' }, 1],
    ['reported without a city', row({ stores: 1 }), {}, 1],
  ])('given a later opening %s, are fulfilled or not', (_, plan, place, coming) => {
    const opening = row({ status: 'opened', reported_at: later, ...place });
    expect(openPlans([plan, opening], TODAY)).toHaveLength(coming);
  });

  it('given an opening before the plan, are not fulfilled by it', () => {
    const plan = row({ city: 'Pune', stores: 1, reported_at: later });
    expect(openPlans([plan, row({ status: 'opened', city: 'Pune' })], TODAY)).toEqual([plan]);
  });
});

describe('judging a brand', () => {
  it('says how many stores are planned where, since when, and how many were opened', () => {
    const rows = [
      row({ city: 'Pune', stores: 3 }),
      row({ city: 'Nagpur', stores: null, reported_at: later }),
      row({ status: 'opened', stores: 1200 }),
    ];
    expect(judge(rows, TODAY, 90)).toMatchObject({
      planned: 4,
      opened: 1200,
      why: '4 stores announced or planned in Nagpur and Pune, reported in 2 stories, last on 10 November 2026; 1,200 stores opened in the last 90 days.',
      newest: rows[1],
    });
    expect(judge([row({ stores: 1 })], TODAY, 90)?.why).toBe(
      '1 store announced or planned, reported on 1 November 2026; none opened in the last 90 days.',
    );
  });

  it('says nothing of one with no store announced or planned', () => {
    expect(judge([row({ status: 'opened' })], TODAY, 90)).toBeNull();
  });

  it('never counts fewer stores than there are plans, whatever was reported', () => {
    const anyRow = fc.record({
      stores: fc.option(fc.integer({ min: -5, max: 1000 })),
      status: fc.constantFrom('planned', 'announced', 'opened', 'closed'),
      city: fc.constantFrom(null, 'Pune', 'Nagpur'),
      date: fc.constantFrom(null, '2026-11-20', '2026-12-01'),
    });
    fc.assert(
      fc.property(fc.array(anyRow), (changesOfRows) => {
        const rows = changesOfRows.map((changes) => row(changes));
        const coming = openPlans(rows, TODAY).length;
        expect(judge(rows, TODAY, 90)?.planned ?? 0).toBeGreaterThanOrEqual(coming);
      }),
    );
  });

  it('ranks by stores, then by the time of the latest report', () => {
    const judged = [
      [row({ brand: 'Few', stores: 2, reported_at: later })],
      [row({ brand: 'Old', stores: 5 })],
      [row({ brand: 'New', stores: 5, reported_at: later })],
    ].flatMap((rows) => judge(rows, TODAY, 90) ?? []);
    expect(judged.sort(byPlannedStores).map(({ brand }) => brand)).toEqual(['New', 'Old', 'Few']);
  });
});
