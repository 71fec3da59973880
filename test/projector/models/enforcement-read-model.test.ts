import { describe, expect, it } from 'vitest';
import { readEnforcement } from '../../../facts/enforcement/read.ts';
import { enforcementTable } from '../../../facts/enforcement/table.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { specification } from '../given-when-then.ts';
import { corrected, detected, held, idOf, merged, revised, understanding } from '../signal-events.ts';

const { given } = specification(factModel(enforcementTable, 'enforcement'));
const rules = (headline: string) => ({
  understanding: understanding({ move: 'rules', kind: 'Penalty', headline, summary: null }),
});
const FINED = 'FSSAI fines Kiri Foods over labels';

describe('enforcement', () => {
  it('given nothing, when a signal of rules is detected, has its regulator, firm, action and status', () => {
    expect(
      given([])
        .when(detected('one', rules(FINED)))
        .records('enforcement', idOf('one')),
    ).toEqual([
      {
        number: 0,
        slug: 'slug-one',
        headline: FINED,
        published_at: '2026-11-20T04:30:00Z',
        reported_at: '2026-11-20T04:00:00Z',
        outlet: 'Daily Trade',
        source_url: 'https://outlet.test/one',
        regulator: 'FSSAI',
        firm: 'Kiri Foods',
        firm_slug: 'kiri-foods',
        action: 'penalty',
        status: 'decided',
        brands: ['kiri-foods'],
      },
    ]);
  });

  it('given a signal of another kind, has none; when an operator corrects its kind, has one', () => {
    const stores = given([detected('one')]);
    expect(stores.when(held('one')).records('enforcement', idOf('one'))).toEqual([]);
    const outcome = stores.when(corrected('one', 1, { move: 'rules', kind: 'Notice' }));
    expect(outcome.records('enforcement', idOf('one'))).toMatchObject([{ action: 'notice', status: null }]);
  });

  it('given an entry, when the text is revised, reads it again; when it is held or merged, has none', () => {
    const known = given([detected('one', rules(FINED)), detected('two', rules(FINED))]);
    const edited = known.when(revised('one', 1, { move: 'rules', headline: 'Court stays fine on Kiri Foods' }));
    expect(edited.records('enforcement', idOf('one'))).toMatchObject([{ regulator: 'Court', status: 'stayed' }]);
    expect(known.when(held('one')).records('enforcement', idOf('one'))).toEqual([]);
    expect(known.when(merged('one', 'two')).records('enforcement', idOf('one'))).toEqual([]);
    expect(known.when(merged('one', 'two')).records('enforcement', idOf('two'))).toHaveLength(1);
  });
});

describe('what the words of a headline say', () => {
  it.each([
    ['Patna High Court stays order against Maya Stores', 'Patna High Court', 'court case', 'stayed'],
    ['Supreme Court sets aside Patna HC ruling on Maya Stores', 'Supreme Court', 'court case', 'set aside'],
    ['CCI clears Kiri Foods purchase of Tilak Shoes', 'CCI', 'approval', 'decided'],
    ['Consumer commission tells Maya Stores: told to pay ₹5,000', 'Consumer commission', 'penalty', 'decided'],
    ['FSSAI may ban loose tea', 'FSSAI', 'ban', 'proposed'],
    ['ED raids Tilak Shoes offices', 'Enforcement Directorate', 'raid', 'pending'],
    ['Kiri Foods recalls biscuits', null, 'recall', 'decided'],
    ['Maya Stores appeals before NCLAT', 'NCLAT', 'court case', 'appealed'],
    ['Government notifies new packaging norms', 'Government', 'rule', 'decided'],
    ['New norms for sellers from 5 May', null, 'rule', null],
  ])('given "%s", then %s, %s, %s', (headline, regulator, action, status) => {
    expect(readEnforcement({ headline, kind: null, summary: null })).toEqual({ regulator, action, status });
  });

  it('given a regulator only in the summary, then that one; given the label alone, then its action', () => {
    const text = { headline: 'Kiri Foods under the lens', kind: 'Notice', summary: 'SEBI asked for papers.' };
    expect(readEnforcement(text)).toEqual({ regulator: 'SEBI', action: 'notice', status: null });
  });
});
