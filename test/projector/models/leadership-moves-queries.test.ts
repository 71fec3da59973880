import { describe, expect, it } from 'vitest';
import { seatsOf } from '../../../facts/people/roles.ts';
import { readingOf, vacantSeats } from '../../../projector/models/leadership-moves-queries.ts';
import { brandSlug } from '../../harness/ids.ts';

let count = 0;
const move = (person: string, role: string, day: string, company: string | null = 'kiri') => ({
  key: `sig_${++count}`,
  person,
  seats: seatsOf(role),
  company_slug: company === null ? null : brandSlug(company),
  reported_at: new Date(`2026-${day}T04:30:00Z`),
});
const exit = move('Asha Rao', 'CFO', '10-10');

describe('a seat that was left', () => {
  it.each([
    ['nobody', []],
    ['somebody at another company', [move('Neel Shah', 'CFO', '10-20', 'maya')]],
    ['somebody in another seat', [move('Neel Shah', 'CEO', '10-20')]],
    ['somebody long before', [move('Neel Shah', 'CFO', '08-01')]],
    ['the very person who left', [move('Asha Rao', 'finance chief', '10-05')]],
  ])('is vacant when %s came', (_, arrivals) => {
    expect(vacantSeats([exit], arrivals)).toEqual([exit]);
  });

  it.each([
    ['later, however the role is written', move('Neel Shah', 'finance chief', '11-20')],
    ['in one move with another seat', move('Neel Shah', 'COO & CFO', '10-11')],
    ['some days before the exit was reported', move('Neel Shah', 'Chief Financial Officer', '10-01')],
  ])('is filled by who came %s', (_, arrival) => {
    expect(vacantSeats([exit], [arrival])).toEqual([]);
  });

  it('is listed once, by its newest exit', () => {
    const newer = move('Neel Shah', 'chief financial officer', '11-01');
    expect(vacantSeats([newer, exit], [])).toEqual([newer]);
  });

  it('is one seat of a brand and of the owner that has no other brand', () => {
    const house = () => brandSlug('kiri');
    const ofOwner = move('Asha Rao', 'chief financial officer', '10-08', 'kiri-holdings');
    expect(vacantSeats([exit, ofOwner], [], house)).toEqual([exit]);
    expect(vacantSeats([exit], [move('Neel Shah', 'CFO', '10-20', 'kiri-holdings')], house)).toEqual([]);
  });

  it.each(['independent director', 'co-founder', 'Vice President - Sales', ''])('is not watched as %j', (role) => {
    expect(vacantSeats([move('Asha Rao', role, '10-10')], [])).toEqual([]);
  });

  it('is not watched where no company is known by a slug', () => {
    expect(vacantSeats([move('Asha Rao', 'CFO', '10-10', null)], [])).toEqual([]);
  });
});

describe('the summary of leadership moves', () => {
  const none = {
    days: 90,
    total: 0,
    by_direction: { joined: 0, left: 0, promoted: 0 },
    week_count: 0,
    prior_week_count: 0,
    filters: {},
    left_out_total: 0,
    lenses: [],
    vacant: 0,
  };

  it('says that there is nothing', () => {
    expect(readingOf(none)).toBe('No leadership moves found in the last 90 days.');
  });

  it('given filters that nothing fits, names them and what is there without them', () => {
    const filters = { role: 'CMO', company: 'Kiri Foods' };

    expect(readingOf({ ...none, filters, left_out_total: 3 })).toBe(
      'No leadership moves found for role CMO at Kiri Foods in the last 90 days; 3 without that filter.',
    );
    expect(readingOf({ ...none, filters: { ...filters, lens: 'board' } })).toBe(
      'No leadership moves found for role CMO, lens board at Kiri Foods in the last 90 days; none without these filters.',
    );
    expect(readingOf({ ...none, filters: { sector: 'QSR' } })).toBe(
      'No leadership moves found in QSR in the last 90 days.',
    );
  });

  it('leaves out what is not counted', () => {
    expect(
      readingOf({ ...none, total: 1, by_direction: { joined: 0, left: 1, promoted: 0 }, prior_week_count: 1 }),
    ).toBe('1 leadership move in the last 90 days: 1 left; none in the last 7 days against 1 in the 7 before.');
  });

  it('names the most active entries', () => {
    const counts = {
      ...none,
      total: 1200,
      by_direction: { joined: 900, left: 200, promoted: 100 },
      week_count: 12,
      prior_week_count: 7,
      lenses: [
        { lens: 'c_suite', moves: 800 },
        { lens: 'finance', moves: 300 },
        { lens: 'people', moves: 90 },
        { lens: 'board', moves: 1 },
      ] as const,
      vacant: 2,
    };
    expect(readingOf(counts)).toBe(
      '1,200 leadership moves in the last 90 days: 900 joined, 200 left and 100 were promoted; 12 in the last 7 days against 7 in the 7 before; most in finance (300) and human resources (90); 2 seats left with no successor reported.',
    );
  });
});
