/** Drafts about who holds, takes or leaves a seat. Pure. */
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../answer/evidence.ts';
import type { TypedQuery } from '../../answer/question/typed-query.ts';
import { appointment } from '../projector/signal-events.ts';
import { citedIn, draftOf, evidence, leadOf, named } from './evidence.ts';

describe('a person', () => {
  const PERSON = {
    intent: 'person',
    kinds: ['people'],
    brands: named('kiri-foods'),
  } as const satisfies Partial<TypedQuery>;
  const asks = (person: Partial<NonNullable<TypedQuery['person']>>): NonNullable<TypedQuery['person']> => ({
    role: null,
    direction: null,
    name: null,
    asks: null,
    ...person,
  });
  const moved = (headline: string, person: Parameters<typeof appointment>[0], day = '2026-11-20'): Evidence =>
    evidence(headline, 'kiri-foods', { signal: { move: 'people' }, people: [appointment(person)], day });
  const joins = moved('Kiri Foods names Asha Rao as CFO', {});

  it('given a seat, then who took it, by name, company and role', () => {
    const draft = draftOf({ ...PERSON, person: asks({ role: 'CFO', direction: 'joined' }) }, [joins]);

    expect(leadOf(draft)).toMatch(/^Asha Rao joins Kiri Foods as CFO: “Kiri Foods names Asha Rao as CFO”/);
    expect(draft.basis).toBe('fact');
  });

  it('given a name that the signal does not write, then only the signal is quoted', () => {
    const other = moved('Kiri Foods names a finance head', { person: 'A. Rao' });

    expect(leadOf(draftOf({ ...PERSON, person: asks({ direction: 'joined' }) }, [other]))).toMatch(
      /^“Kiri Foods names a finance head”/,
    );
  });

  it('given several in the seat, then the newest is first', () => {
    const older = moved('Kiri Foods names Dev Shah as CFO', { person: 'Dev Shah' }, '2026-06-01');
    const draft = draftOf({ ...PERSON, person: asks({ role: 'CFO' }) }, [older, joins]);

    expect(citedIn([...draft.lead, ...draft.items], [older, joins])).toEqual([
      joins.signal.headline,
      older.signal.headline,
    ]);
  });

  it('given who has a seat, then who took it is named before who left it later', () => {
    const people = [appointment({ person: 'Dev Shah', direction: 'left' })];
    const left = evidence('Dev Shah leaves Kiri Foods', 'kiri-foods', { people, day: '2026-11-21' });
    const took = evidence('Asha Rao named chief', 'kiri-foods', { people: [appointment()], day: '2026-11-20' });
    const person = { role: 'CFO', direction: null, name: null, asks: null };

    expect(
      leadOf(draftOf({ intent: 'person', brands: named('kiri-foods'), kinds: ['people'], person }, [left, took])),
    ).toContain('Asha Rao named chief');
  });

  it('given a company that somebody comes from, then it is not named as the one of the seat', () => {
    const people = [appointment({ person: 'Asha Rao', company: 'Maya Stores' })];
    const one = evidence("Maya Stores' Asha Rao named Kiri Foods CFO", 'kiri-foods', { people });

    expect(leadOf(draftOf({ ...PERSON, person: asks({}) }, [one]))).not.toContain('joined Maya Stores');
  });

  it('given the way that somebody went, then who went the other way is left out', () => {
    const left = moved('Dev Shah quits Kiri Foods as CFO', { person: 'Dev Shah', direction: 'left' });
    const draft = draftOf({ ...PERSON, person: asks({ direction: 'left' }) }, [joins, left]);

    expect(leadOf(draft)).toMatch(/^Dev Shah leaves Kiri Foods, as CFO/);
    expect(citedIn([...draft.lead, ...draft.items], [left])).toEqual([left.signal.headline]);
  });

  it('given somebody who is only set to leave, then the answer does not claim that it has happened', () => {
    const leaves = moved('Dev Shah set to quit Kiri Foods', { person: 'Dev Shah', direction: 'left' });
    const lead = leadOf(draftOf({ ...PERSON, person: asks({ direction: 'left' }) }, [leaves]));

    expect(lead).toMatch(/^Dev Shah is reported to be leaving Kiri Foods/);
  });

  it('given somebody who left the company for a seat at another one, then no holder is stated', () => {
    const people = [appointment({ person: 'Asha Rao', company: 'Maya Stores', from: 'CFO of Kiri Foods' })];
    const one = evidence('Maya Stores names former Kiri Foods CFO Asha Rao as CFO', 'maya-stores', { people });
    const asked = { intent: 'person', kinds: ['people'], brands: named('kiri-foods') } satisfies Partial<TypedQuery>;
    const draft = draftOf({ ...asked, person: asks({ role: 'CFO' }) }, [one]);

    expect(leadOf(draft)).not.toMatch(/^Asha Rao joins/);
    expect(draft.notes).toContain('No report says who has the seat.');
  });

  it('given nobody in the seat, then nobody is named as the holder', () => {
    expect(leadOf(draftOf({ ...PERSON, person: asks({ role: 'CEO' }) }, [joins]))).not.toMatch(/^Asha Rao joined/);
  });

  it('given the question for a predecessor, then the line that names both is quoted', () => {
    const line = 'She succeeds Dev Shah, who retired.';
    const succeeded = evidence('Kiri Foods names Asha Rao as CFO', 'kiri-foods', {
      signal: { move: 'people', summary: line },
      people: [appointment()],
    });
    const draft = draftOf({ ...PERSON, person: asks({ name: 'Asha Rao', asks: 'predecessor' }) }, [succeeded]);

    expect(draft.lead[0]?.quotes.map(({ text }) => text)).toContain(line);
    expect(draft.basis).toBe('fact');
  });

  it('given no line on a predecessor, then it says so, with who left the seat', () => {
    const left = moved('Dev Shah quits Kiri Foods as CFO', { person: 'Dev Shah', direction: 'left' });
    const draft = draftOf({ ...PERSON, person: asks({ role: 'CFO', asks: 'predecessor' }) }, [joins, left]);

    expect(citedIn(draft.lead, [left])).toEqual([left.signal.headline]);
    expect(draft.basis).toBe('loosely');
    expect(draft.notes.join(' ')).toMatch(/had the seat before/);
  });
});
