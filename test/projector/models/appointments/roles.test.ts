import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lensesOf, seatsOf } from '../../../../projector/models/appointments-read-model.ts';

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
