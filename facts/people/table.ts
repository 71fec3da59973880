/** Rows of people: one for each person who joined, left or was promoted according to a public signal. */
import type { Lens } from '../../schemas/moves-by-kind.ts';
import { foldName } from '../../schemas/name-search.ts';
import type { BrandSlug } from '../../schemas/scalar.ts';
import { completed, completedRows, countWhere, factTable, type Origin, slugIn, union } from '../rows.ts';
import { Appointment } from './fields.ts';
import { lensesOf, seatsOf, singleSeats } from './roles.ts';

/** An appointment, with what its role is: which seats, read for which lenses. */
interface PersonRow extends Appointment {
  readonly company_slug: BrandSlug | null;
  readonly seats: readonly string[];
  readonly lenses: readonly Lens[];
}
type Stated = PersonRow & Origin;

/** Whether two names are of one person: the same words, or all of the shorter one's in the longer one. */
function isSamePerson(one: string, other: string): boolean {
  const [few = [], many = []] = [foldName(one).split(' '), foldName(other).split(' ')].toSorted(
    (a, b) => a.length - b.length,
  );
  return (few.length > 1 || many.length === 1) && few.every((word) => many.includes(word));
}

/** Whether another report of the event gives the same seat. It may name the owner where the first one names the brand. */
const isSameSeat = (one: Stated, other: Stated): boolean =>
  one.source_url !== other.source_url && singleSeats(one.seats).some((seat) => other.seats.includes(seat));

/** One outlet writes that a person joined, another that the same person was promoted: both report one appointment. */
const isSameMove = (one: Stated, other: Stated): boolean =>
  isSamePerson(one.person, other.person) &&
  (one.direction === 'left') === (other.direction === 'left') &&
  (one.company === null || other.company === null || one.company === other.company || isSameSeat(one, other));

/** A person is found by every role that a report gives. */
const complete = (row: Stated, other: Stated): Stated => ({
  ...completed(row, other, ['company', 'company_slug', 'role', 'from', 'to', 'effective']),
  seats: union(row.seats, other.seats),
  lenses: union(row.lenses, other.lenses),
});

export const peopleTable = factTable<PersonRow>({
  table: 'appointments',
  file: import.meta.url,
  columns: [
    { name: 'person', type: 'text', required: true, sort: 'person' },
    { name: 'role', type: 'text', sort: 'role', describe: 'As reported' },
    { name: 'seats', type: 'names', required: true, isInternal: true },
    { name: 'lenses', type: 'names', required: true, isInternal: true },
    { name: 'company', type: 'text', sort: 'company' },
    { name: 'company_slug', type: 'name', filter: 'brand' },
    {
      name: 'direction',
      type: 'text',
      required: true,
      filter: 'direction',
      title: 'Direction',
      values: Appointment.shape.direction.options,
      sort: 'direction',
    },
    { name: 'comes_from', type: 'text', describe: 'Where the person comes from' },
    { name: 'goes_to', type: 'text', describe: 'Where the person goes' },
    { name: 'effective', type: 'day' },
    // The day from which a seat counts as left.
    { name: 'since', type: 'day', required: true, isInternal: true },
  ],
  indexes: [
    `CREATE INDEX appointments_newest ON appointments (reported_at, key, number)
      INCLUDE (company_slug, direction, lenses, seats, role)`,
    'CREATE INDEX appointments_of_company ON appointments (company_slug, reported_at, key, number)',
  ],
  totals: {
    joined: countWhere(`t.direction = 'joined'`),
    left: countWhere(`t.direction = 'left'`),
    promoted: countWhere(`t.direction = 'promoted'`),
  },
  rowsOf: (text) =>
    text.people.map((person) => ({
      ...person,
      company_slug: slugIn(text, person.company),
      seats: seatsOf(person.role),
      lenses: lensesOf(person.role),
    })),
  combine: (rows, more) => completedRows(rows, more, isSameMove, complete),
  cells: ({ from, to, ...row }, day) => ({ ...row, comes_from: from, goes_to: to, since: row.effective ?? day }),
});
