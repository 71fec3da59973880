import { z } from 'zod';
import { IstDay } from '../../schemas/scalar.ts';
import { storedFact } from '../../schemas/stored-fact.ts';

/** An appointment, an exit or a promotion. */
export const Appointment = z.object({
  person: z.string(),
  company: z.string().nullable(),
  role: z.string().nullable(),
  direction: z.enum(['joined', 'left', 'promoted']),
  from: z.string().nullable(),
  to: z.string().nullable(),
  effective: IstDay.nullable(),
});
export type Appointment = z.infer<typeof Appointment>;

export const people = storedFact({
  schema: Appointment,
  fields: { people: z.array(Appointment) },
  field: 'people',
  details: ({ role }) => role,
  words: ({ person, direction, role, company }) => [person, direction, role, company],
});
