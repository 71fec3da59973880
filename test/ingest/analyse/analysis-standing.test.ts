import { describe, expect, it } from 'vitest';
import { standingOf } from '../../../ingest/analysis-standing.ts';
import type { Move } from '../../../schemas/scalar.ts';
import type { Standing } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import { appointment, opening, result, understanding } from '../../projector/signal-events.ts';
import { companies, grows, move } from './recorded-moves.ts';

const deal = (amount: string | null) => ({ type: 'funding' as const, amount, target: 'Kiri Foods', buyers: [] });
const standing = (changes: Partial<Understanding>, moves = [grows('a', '2026-06-10', 'kiri-foods', 'FY26', 9)]) =>
  standingOf({
    understanding: understanding({ openings: [], delta: null, ...changes }),
    published_at: '2026-07-10T05:00:00.000Z',
    record: { since: '2026-06-01T00:00:00.000Z', moves },
    companies,
    sentences: [],
  });

describe('standing', () => {
  const says = (move: Move, headline: string, delta: string): Partial<Understanding> => ({ move, headline, delta });
  const profit = (metric: string): Partial<Understanding> => ({
    move: 'results',
    delta: '₹70 Cr',
    result: result({ metric, value: '₹70 Cr' }),
  });
  const seat = (role: string, company = 'Kiri Foods'): Partial<Understanding> => ({
    move: 'people',
    people: [appointment({ company, role })],
  });
  const six = (status: 'opened' | 'planned') => ({ openings: [opening({ status, stores: 6 })] });
  const valued: Partial<Understanding> = { move: 'deals', deal: deal(null), delta: '₹900 Cr' };
  const invests = says('strategy', 'Kiri Foods to invest ₹90 crore in a plant', '₹90 Cr');
  const aims = says('strategy', 'Kiri Foods aims for sales of ₹900 crore', '₹900 Cr');

  it.each<[string, Partial<Understanding>, Partial<Standing>]>([
    ['a deal with its sum', { move: 'deals', deal: deal('₹50 Cr') }, { sum_crore: 50 }],
    ['a deal of which only a valuation is stated', valued, { sum_crore: null }],
    ['a penalty', { move: 'rules', kind: 'Penalty', delta: '₹2 Cr' }, { sum_crore: 2 }],
    ['an investment', invests, { sum_crore: 90 }],
    ['a target', aims, { sum_crore: null }],
    ['the size of a market', { move: 'other', delta: '₹9,000 Cr' }, { sum_crore: null }],
    ['results', profit('profit'), { sum_crore: 70, revenue_share: null }],
    ['results that are expected', profit('expected profit'), { sum_crore: null }],
    ['stores that open', six('opened'), { stores: 6 }],
    ['stores that are planned', six('planned'), { stores: 3 }],
    ['a chief of a listed company', seat('MD & CEO'), { chief: true }],
    ['another manager', seat('chief marketing officer'), { chief: false }],
    ['a chief of another company', seat('CEO', 'Dola Stores'), { chief: false }],
    ['a headline that asks', { headline: 'Can Kiri Foods win Pune?' }, { says: 'comment' }],
    ['an advertisement', { headline: 'Announcing The Grocery Summit 2026' }, { says: 'advertisement' }],
  ])('given %s, then its standing says so', (_, changes, expected) =>
    expect(standing(changes)).toMatchObject({ listed: true, prominence: 1, ...expected }),
  );

  it('given the revenue of a year on record, then the sum by it', () => {
    const year = move('a', '2026-06-10', 'kiri-foods', {
      move: 'results',
      results: [{ company: 'Kiri Foods', period: 'FY26', metric: 'revenue', value: '₹500 Cr', growth_pct: null }],
    });
    expect(standing({ move: 'deals', deal: deal('₹50 Cr') }, [year])).toMatchObject({ revenue_share: 0.1 });
  });

  it('given three signals of the company, one of them old, then two count', () => {
    const days = ['2026-01-10', '2026-06-10', '2026-06-20'].map((day, index) =>
      move(`${index}`, day, 'kiri-foods', {}),
    );
    expect(standing({}, days)).toMatchObject({ prominence: 1 });
    expect(standing({}, [...days, move('x', '2026-07-01', 'kiri-foods', {})])).toMatchObject({ prominence: 2 });
  });

  it('given a brand of a listed company, then it is listed; given nothing, then null', () => {
    const fresh = [
      { slug: 'kiri-fresh', name: 'Kiri Fresh', role: 'primary', provisional: false },
    ] as Understanding['brands'];
    expect(standing({ brands: fresh }, [])).toMatchObject({ listed: true });
    expect(standing({ brands: [] }, [])).toBeNull();
  });
});
