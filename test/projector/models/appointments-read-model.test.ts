import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Appointment } from '../../../facts/people/fields.ts';
import { lensesOf, seatsOf } from '../../../facts/people/roles.ts';
import { peopleTable } from '../../../facts/people/table.ts';
import { factModel } from '../../../projector/models/reported-parts.ts';
import { specification } from '../given-when-then.ts';
import { appointment as anyAppointment, detected, idOf, report, reported, understanding } from '../signal-events.ts';

describe('roles', () => {
  describe('seatsOf', () => {
    it.each([
      ['CFO', ['chief financial officer']],
      ['Chief Financial Officer of Kiri Foods', ['chief financial officer']],
      ['finance chief', ['chief financial officer']],
      ['operations chief', ['chief operating officer']],
      ['chief people officer', ['chief human resources officer']],
      ['chief supply chain officer', ['chief supply chain officer']],
      ['Chief Executive', ['chief executive officer']],
      ['MD & CEO', ['chief executive officer', 'managing director']],
      ['Co-founder and COO', ['chief operating officer', 'founder']],
      ['Vice-Chairman', ['vice-chairperson']],
      ['non-executive chairperson', ['chairperson']],
      ['Independent Director', ['independent director']],
      ['Marketing Head', ['head of marketing']],
      ['Head of Marketing', ['head of marketing']],
      ['brand custodian', ['brand custodian']],
      ['', []],
      [null, []],
    ])('reads %j', (role, seats) => {
      expect(seatsOf(role)).toEqual(seats);
    });

    it('reads any text as the same seats in any case', () => {
      fc.assert(
        fc.property(fc.string({ maxLength: 40 }), (role) => {
          expect(seatsOf(role.toUpperCase())).toEqual(seatsOf(role.toUpperCase().toLowerCase()));
        }),
      );
    });
  });

  describe('lensesOf', () => {
    it.each([
      ['CMO', ['c_suite', 'marketing']],
      ['CTO', ['c_suite', 'technology']],
      ['CFO', ['c_suite', 'finance']],
      ['CHRO', ['c_suite', 'people']],
      ['COO', ['c_suite', 'operations']],
      ['Managing Director', ['c_suite', 'board']],
      ['independent director', ['board']],
      ['Commercial Director', []],
      ['Director', ['board']],
      ['Co-founder', ['founders']],
      ['VP - Engineering', ['technology']],
      ['Head of Supply Chain', ['operations']],
      ['store manager of the year', ['operations']],
      ['astronaut', []],
      [null, []],
    ])('reads %j', (role, lenses) => {
      expect(lensesOf(role)).toEqual(lenses);
    });
  });
});

describe('evolve', () => {
  const { given } = specification(factModel(peopleTable, 'people'));

  const appointment = (changes: Partial<Appointment> = {}): Appointment =>
    anyAppointment({ from: 'Maya Stores', effective: '2026-12-01', ...changes });
  const withPeople = (...people: Appointment[]) => ({ understanding: understanding({ move: 'people', people }) });

  describe('appointments', () => {
    it('given nothing, when a signal reports one, has its role and the brand that it was reported for', () => {
      const outcome = given([]).when(detected('one', withPeople(appointment())));

      expect(outcome.records('appointments', idOf('one'))).toMatchObject([
        {
          person: 'Asha Rao',
          company_slug: 'kiri-foods',
          role: 'CFO',
          seats: ['chief financial officer'],
          lenses: ['c_suite', 'finance'],
          direction: 'joined',
          comes_from: 'Maya Stores',
          effective: '2026-12-01',
          since: '2026-12-01',
        },
      ]);
    });

    it('given no effective date, counts from the day of the report in IST', () => {
      const late = { ...withPeople(appointment({ effective: null })), published_at: '2026-11-20T20:00:00Z' };

      expect(given([]).when(detected('one', late)).records('appointments', idOf('one'))).toMatchObject([
        { effective: null, since: '2026-11-21' },
      ]);
    });

    it('given no role, has no seat and no lens', () => {
      const outcome = given([]).when(detected('one', withPeople(appointment({ role: null }))));

      expect(outcome.records('appointments', idOf('one'))).toMatchObject([{ role: null, seats: [], lenses: [] }]);
    });

    it('given roles that differ from report to report, is found by each of them', () => {
      const facts = understanding({ people: [appointment({ person: 'Ms Asha Rao', role: 'Head of Retail' })] });
      const outcome = given([detected('one', withPeople(appointment()))]).when(
        reported('one', report('more'), false, facts),
      );

      expect(outcome.records('appointments', idOf('one'))).toMatchObject([
        { person: 'Asha Rao', role: 'CFO', seats: ['chief financial officer', 'head of retail'] },
      ]);
    });

    it('given a person, when another report states the exit of another, has both', () => {
      const facts = understanding({ people: [appointment({ person: 'Ravi Rao', direction: 'left' })] });

      expect(
        given([detected('one', withPeople(appointment()))])
          .when(reported('one', report('more'), false, facts))
          .records('appointments', idOf('one')),
      ).toMatchObject([{ person: 'Asha Rao' }, { person: 'Ravi Rao', direction: 'left' }]);
    });

    it('given a brand in one report and its owner in another, then one person leaves one seat', () => {
      const exit = (company: string, role: string) =>
        appointment({ company, role, direction: 'left', from: null, effective: null });
      const facts = understanding({ people: [exit('Kiri Holdings', 'chief operating officer')] });
      const more = reported('one', report('more'), false, facts);

      expect(
        given([detected('one', withPeople(exit('Kiri Foods', 'COO')))])
          .when(more)
          .records('appointments', idOf('one')),
      ).toMatchObject([{ company: 'Kiri Foods', role: 'COO', direction: 'left' }]);
      // One report that names two companies means two; seats that a company has several of are not compared.
      expect(
        given([])
          .when(detected('one', withPeople(exit('Kiri Foods', 'COO'), exit('Kiri Holdings', 'COO'))))
          .records('appointments', idOf('one')),
      ).toHaveLength(2);
      expect(
        given([detected('one', withPeople(exit('Kiri Foods', 'Independent Director')))])
          .when(
            reported('one', report('more'), false, understanding({ people: [exit('Maya', 'Independent Director')] })),
          )
          .records('appointments', idOf('one')),
      ).toHaveLength(2);
    });
  });
});
