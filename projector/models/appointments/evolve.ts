/** What is kept of a text that tells who comes, goes or rises. */
import type { Lens } from '../../../schemas/leadership.ts';
import { foldName } from '../../../schemas/names.ts';
import type { ReportedFacts } from '../../../schemas/signal.ts';
import type { Appointment } from '../../../schemas/story.ts';
import { completed, type Origin, slugIn } from '../told.ts';
import { lensesOf, seatsOf } from './roles.ts';

/** An appointment, with what its role is: which seats, read for which lenses. */
export interface AppointmentPart extends Appointment {
  readonly company_slug: string | null;
  readonly seats: readonly string[];
  readonly lenses: readonly Lens[];
}

/** The appointments, exits and promotions of a text. */
export const appointmentParts = (text: ReportedFacts): AppointmentPart[] =>
  text.people.map((person) => ({
    ...person,
    company_slug: slugIn(text, person.company),
    seats: seatsOf(person.role),
    lenses: lensesOf(person.role),
  }));

type Stated = AppointmentPart & Origin;

/** Whether two names are of one person: the same words, or all of the shorter one's in the longer one. */
function isSamePerson(one: string, other: string): boolean {
  const [few = [], many = []] = [foldName(one).split(' '), foldName(other).split(' ')].toSorted(
    (a, b) => a.length - b.length,
  );
  return (few.length > 1 || many.length === 1) && few.every((word) => many.includes(word));
}

/** One outlet writes that somebody joined, another that the same person was promoted: both tell of one appointment. */
const isSameMove = (one: Stated, other: Stated): boolean =>
  isSamePerson(one.person, other.person) &&
  (one.direction === 'left') === (other.direction === 'left') &&
  (one.company === null || other.company === null || one.company === other.company);

const union = <Word>(one: readonly Word[], other: readonly Word[]): readonly Word[] => [...new Set([...one, ...other])];

/** The appointments of one event from a further report: a person is found by every role that a report gives. */
export const combineAppointments = (known: readonly Stated[], more: readonly Stated[]): readonly Stated[] =>
  more.reduce<readonly Stated[]>((all, other) => {
    const at = all.findIndex((one) => isSameMove(one, other));
    const same = all[at];
    if (!same) return all.concat(other);
    const filled = completed(same, other, ['company', 'company_slug', 'role', 'from', 'to', 'effective']);
    return all.with(at, {
      ...filled,
      seats: union(same.seats, other.seats),
      lenses: union(same.lenses, other.lenses),
    });
  }, known);
