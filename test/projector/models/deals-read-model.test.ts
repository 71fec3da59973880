import { describe, expect, it } from 'vitest';
import type { Deal } from '../../../facts/deals/fields.ts';
import { dealsTable } from '../../../facts/deals/table.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { specification } from '../given-when-then.ts';
import { detected, idOf, report, reported, understanding } from '../signal-events.ts';

const { given } = specification(factModel(dealsTable, 'deal'));
const FUNDING: Deal = { type: 'funding', amount: null, target: 'Kiri Foods', buyers: ['Ganga Capital'], status: null };
const withDeal = (deal: Deal | null) => ({ understanding: understanding({ move: 'deals', deal }) });
const first = given([detected('one', withDeal(FUNDING))]);

describe('deals', () => {
  it('given nothing, when a signal reports a deal, has it with the slugs of its parties', () => {
    const outcome = given([]).when(detected('one', withDeal(FUNDING)));
    expect(outcome.records('deals', idOf('one'))).toMatchObject([
      { ...FUNDING, number: 0, target_slug: 'kiri-foods', brands: ['kiri-foods'], outlet: 'Daily Trade' },
    ]);
  });

  it('given a deal without an amount, when another report states it and more investors, has both, cited by that report', () => {
    const deal: Deal = { ...FUNDING, amount: '₹40 Cr', buyers: ['Sindhu Ventures'], status: 'completed' };
    const facts = understanding({ deal });
    const outcome = first.when(reported('one', report('more', { outlet: 'Market Gazette' }), false, facts));
    expect(outcome.records('deals', idOf('one'))).toMatchObject([
      {
        amount: '₹40 Cr',
        status: 'completed',
        outlet: 'Market Gazette',
        buyers: ['Ganga Capital', 'Sindhu Ventures'],
      },
    ]);
  });

  it('given a deal, when a report speaks of another type, keeps its own', () => {
    const facts = understanding({ deal: { ...FUNDING, type: 'ipo', amount: '₹900 Cr' } });
    const outcome = first.when(reported('one', report('more'), false, facts));
    expect(outcome.records('deals', idOf('one'))).toMatchObject([{ type: 'funding', amount: null }]);
  });
});
