import { describe, expect, it } from 'vitest';
import { stateFacts } from '../../facts/fact-sentences.ts';
import { appointment, opening, result, understanding } from '../projector/signal-events.ts';

const state = (changes: Parameters<typeof understanding>[0]) => stateFacts(understanding(changes));
const deal = { type: 'funding' as const, amount: '₹40 Cr', target: 'Kiri Foods', buyers: ['Tilak', 'Vasant'] };
const price = {
  brand: 'Kiri Foods',
  product: 'ghee',
  direction: 'cut' as const,
  from: '₹90',
  to: '₹80',
  by: null,
  change_pct: -11,
  place: null,
  effective: null,
};

describe('the sentence that states facts', () => {
  it.each<[string, Parameters<typeof understanding>[0], string | null]>([
    [
      'stores',
      { openings: [opening({ mall: 'Hill Mall', stores: 3 })] },
      'Kiri Foods opened 3 stores at Hill Mall, Pune.',
    ],
    [
      'a place that the headline calls a café',
      { headline: 'Kiri Foods Opens First Café in Pune', openings: [opening({ stores: 1 })] },
      'Kiri Foods opened a café in Pune.',
    ],
    [
      'a plan with a day',
      { openings: [opening({ status: 'planned', date: '2026-12-05' })] },
      'Kiri Foods plans a store in Pune, for 5 December 2026.',
    ],
    [
      'a number of planned stores, which may be a target',
      { openings: [opening({ status: 'planned', stores: 90 })] },
      null,
    ],
    ['a store without a place', { openings: [opening({ city: null })] }, null],
    [
      'an appointment',
      { people: [appointment({ from: 'Maya Stores' })] },
      'Asha Rao becomes CFO at Kiri Foods from Maya Stores.',
    ],
    ['an exit', { people: [appointment({ direction: 'left' })] }, 'Asha Rao leaves Kiri Foods as CFO.'],
    [
      'an appointment that may come',
      { headline: 'Asha Rao In Talks To Join Kiri Foods As CFO', people: [appointment()] },
      null,
    ],
    [
      'a store that was there before',
      { headline: 'Kiri Foods Revamps Pune Store', openings: [opening({ stores: 1 })] },
      'Kiri Foods reopened a store in Pune.',
    ],
    ['a person without a role', { people: [appointment({ role: null })] }, null],
    [
      'a stake, which goes to the buyer',
      { deal: { ...deal, type: 'stake_sale', status: 'rumoured' } },
      'Sale of a stake in Kiri Foods to Tilak and Vasant, ₹40 Cr, not confirmed.',
    ],
    [
      'an investment of one investor',
      {
        headline: 'Kiri Foods Secures Strategic Investment from Tilak',
        deal: { ...deal, amount: null, buyers: ['Tilak'], status: 'completed' },
      },
      'Tilak invested in Kiri Foods.',
    ],
    ['a deal', { deal }, 'Funding for Kiri Foods from Tilak and Vasant, ₹40 Cr.'],
    ['a deal with its status', { deal: { ...deal, buyers: [], status: 'agreed' } }, 'Kiri Foods is to raise ₹40 Cr.'],
    [
      'a round that is done',
      { deal: { ...deal, status: 'completed' } },
      'Kiri Foods raised ₹40 Cr in a round with Tilak and Vasant.',
    ],
    [
      'an acquisition that is agreed',
      { deal: { ...deal, type: 'acquisition', status: 'agreed' } },
      'Tilak and Vasant agreed to acquire Kiri Foods for ₹40 Cr.',
    ],
    [
      'a listing that its company plans',
      { headline: 'Kiri Foods Plans IPO', deal: { ...deal, type: 'ipo', buyers: [], status: 'rumoured' } },
      'Kiri Foods plans a listing of ₹40 Cr.',
    ],
    ['a deal without a company', { deal: { ...deal, target: null } }, null],
    [
      'results',
      { result: result({ metric: 'revenue', value: '₹230 Cr', growth_pct: -4, period: 'Q2 FY27' }) },
      'Kiri Foods reports revenue of ₹230 Cr, down 4% for Q2 FY27.',
    ],
    [
      'results that are expected',
      { result: result({ metric: 'expected revenue', value: null, growth_pct: 20, period: 'FY27' }) },
      'Kiri Foods expects revenue up 20% for FY27.',
    ],
    ['a price', { prices: [price] }, 'Kiri Foods cuts the price of ghee from ₹90 to ₹80.'],
    [
      'a penalty',
      { enforcement: { regulator: 'FSSAI', firm: 'Kiri Foods', action: 'penalty', status: 'decided' } },
      'FSSAI, on Kiri Foods: penalty, decided.',
    ],
    [
      'a case of which nothing else is known',
      { enforcement: { regulator: 'Court', firm: 'Kiri Foods', action: 'court case', status: null } },
      null,
    ],
    ['nothing', {}, null],
  ])('given %s, then %s', (_, changes, expected) => expect(state(changes)).toBe(expected));

  it('given facts of several kinds, then those of the kind of move come first, two at most', () => {
    const facts = { openings: [opening(), opening({ city: 'Surat' })], deal };
    expect(state({ ...facts, move: 'deals' })).toBe(
      'Funding for Kiri Foods from Tilak and Vasant, ₹40 Cr. Kiri Foods opened a store in Pune.',
    );
    expect(state({ ...facts, move: 'stores' })).toBe(
      'Kiri Foods opened a store in Pune. Kiri Foods opened a store in Surat.',
    );
  });
});
