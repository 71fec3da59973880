/** People who joined, left or were promoted. */
import { dayInWords } from '../../language/days.ts';
import { defineFact } from '../fact.ts';
import { joined } from '../wording.ts';
import { people as stored } from './fields.ts';
import { peopleReading } from './read.ts';
import { peopleTable } from './table.ts';

const DIRECTIONS = { joined: 'joins', left: 'leaves', promoted: 'promoted' } as const;

export const people = defineFact({
  kind: 'people',
  stored,
  read: peopleReading,
  table: peopleTable,
  page: {
    title: 'People who joined, left and were promoted',
    about: 'Appointments, exits and promotions.',
    columns: [
      { name: 'Person', shows: 'person' },
      { name: 'What', shows: 'direction', isLabel: true },
      { name: 'Role', shows: 'role', longest: 90 },
      {
        name: 'Company',
        shows: 'company',
        link: 'company_slug',
        below: [
          ['from', 'comes_from'],
          ['to', 'goes_to'],
          ['effective', 'effective'],
        ],
      },
    ],
    totals: [
      ['joined', 'joined'],
      ['left', 'left'],
      ['promoted', 'promoted'],
    ],
    note: '{rows}. A row is one person in one event; it counts once, however many outlets report it.',
  },
  form: {
    title: 'People',
    phrase: 'the people',
    parts: ['direction', 'person', 'role', 'company', 'from', 'to', 'effective'],
  },
  ask: {
    move: 'people',
    line: ({ person, role, company, direction, from, to, effective }) => ({
      name: 'Person',
      value: joined([
        `${person} ${DIRECTIONS[direction]}${company ? ` ${company}` : ''}`,
        role,
        from && `from ${from}`,
        to && `to ${to}`,
        effective && `effective ${dayInWords(effective)}`,
      ]),
      words: [person, role, company],
    }),
    columns: ['Person', 'Move', 'Role', 'Company'],
    cells: ({ person, direction, role, company }) => [person, direction, role, company],
  },
  example: {
    person: 'Asha Rao',
    company: 'Kiri Foods',
    role: 'CFO',
    direction: 'joined',
    from: 'Maya Stores',
    to: null,
    effective: '2026-12-01',
  },
});
