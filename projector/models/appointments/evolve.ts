/** What is kept of a text that tells who comes, goes or rises. */
import type { Lens } from '../../../schemas/leadership.ts';
import type { Appointment, Understanding } from '../../../schemas/story.ts';
import { evolveTold, slugIn } from '../told.ts';
import { lensesOf, seatsOf } from './roles.ts';

/** An appointment, with what its role is: which seats, read for which lenses. */
export interface AppointmentPart extends Appointment {
  readonly company_slug: string | null;
  readonly seats: readonly string[];
  readonly lenses: readonly Lens[];
}

/** The appointments, exits and promotions of a text. */
export const appointmentParts = (text: Understanding): AppointmentPart[] =>
  text.people.map((person) => ({
    ...person,
    company_slug: slugIn(text, person.company),
    seats: seatsOf(person.role),
    lenses: lensesOf(person.role),
  }));

export const evolveAppointments = evolveTold(appointmentParts);
