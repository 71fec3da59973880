/** Drafts about who holds, takes or leaves a seat. Pure. */
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../answer/evidence.ts';
import type { TypedQuery } from '../../answer/question/typed-query.ts';
import { appointment } from '../projector/signal-events.ts';
import { checkDraft, type DraftCase, draftOf, evidence, named, type TestBrand } from './evidence.ts';

type Appointed = Parameters<typeof appointment>[0];
const asks = (person: Partial<NonNullable<TypedQuery['person']>>) =>
  ({
    intent: 'person',
    kinds: ['people'],
    brands: named('kiri-foods'),
    person: { role: null, direction: null, name: null, asks: null, ...person },
  }) satisfies Partial<TypedQuery>;
const moved = (headline: string, person: Appointed, day = '2026-11-20', brand: TestBrand = 'kiri-foods'): Evidence =>
  evidence(headline, brand, { signal: { move: 'people' }, people: [appointment(person)], day });

const dev = { person: 'Dev Shah' };
const gone = { ...dev, direction: 'left' } as const;
const joins = moved('Kiri Foods names Asha Rao as CFO', {});
const unnamed = moved('Kiri Foods names a finance head', { person: 'A. Rao' });
const before = moved('Kiri Foods names Dev Shah as CFO', dev, '2026-06-01');
const later = moved('Dev Shah leaves Kiri Foods', gone, '2026-11-21');
const quits = moved('Dev Shah quits Kiri Foods as CFO', gone);
const isToQuit = moved('Dev Shah set to quit Kiri Foods', gone);
const from = moved("Maya Stores' Asha Rao named Kiri Foods CFO", { company: 'Maya Stores' });
const former = moved(
  'Maya Stores names former Kiri Foods CFO Asha Rao as CFO',
  { company: 'Maya Stores', from: 'CFO of Kiri Foods' },
  '2026-11-20',
  'maya-stores',
);
const HELD = asks({ role: 'CFO' });
const LEFT = asks({ direction: 'left' });
const TOOK = /^Asha Rao joins Kiri Foods as CFO: “Kiri Foods names Asha Rao as CFO”/;

describe('a person', () => {
  it.each<DraftCase>([
    ['a seat: who took it', asks({ role: 'CFO', direction: 'joined' }), [joins], { lead: TOOK, basis: 'fact' }],
    ['a name that the signal does not write', asks({ direction: 'joined' }), [unnamed], { lead: /^“Kiri.* head”/ }],
    ['several in the seat: the newest first', HELD, [before, joins], { cited: [joins, before] }],
    ['who has a seat, and who left it later', HELD, [later, joins], { lead: TOOK }],
    ['a company that somebody comes from', asks({}), [from], { not: /(?:joins|joined) Maya Stores/ }],
    ['who went the other way', LEFT, [joins, quits], { lead: /^Dev Shah leaves Kiri Foods, as CFO/, cited: [quits] }],
    ['who is only set to leave', LEFT, [isToQuit], { lead: /^Dev Shah is reported to be leaving Kiri Foods/ }],
    [
      'a seat at another company',
      HELD,
      [former],
      { not: /^Asha Rao joins/, notes: /No report says who has the seat\./ },
    ],
    ['nobody in the seat', asks({ role: 'CEO' }), [joins], { not: /^Asha Rao (?:joins|joined)/ }],
    [
      'no line on a predecessor: who left the seat',
      asks({ role: 'CFO', asks: 'predecessor' }),
      [joins, quits],
      { lead: /“Dev Shah quits/, not: /Asha/, basis: 'loosely', notes: /had the seat before/ },
    ],
  ])('given %s', checkDraft);

  it('given the question for a predecessor, then the line that names both is quoted', () => {
    const line = 'She succeeds Dev Shah, who retired.';
    const signal = { move: 'people', summary: line } as const;
    const succeeded = evidence('Kiri Foods names Asha Rao as CFO', 'kiri-foods', { signal, people: [appointment()] });
    const draft = draftOf(asks({ name: 'Asha Rao', asks: 'predecessor' }), [succeeded]);

    expect(draft.lead[0]?.quotes.map(({ text }) => text)).toContain(line);
    expect(draft.basis).toBe('fact');
  });
});
