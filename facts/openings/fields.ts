import { z } from 'zod';
import { IstDay } from '../../schemas/scalar.ts';
import { storedFact } from '../../schemas/stored-fact.ts';

/** An opening, a planned opening or a closure. */
export const Opening = z.object({
  brand: z.string(),
  city: z.string().nullable(),
  mall: z.string().nullable(),
  locality: z.string().nullable(),
  stores: z.int().nullable(),
  status: z.enum(['opened', 'announced', 'planned', 'closed']),
  date: IstDay.nullable(),
});
export type Opening = z.infer<typeof Opening>;

export const openings = storedFact({
  schema: Opening,
  fields: { openings: z.array(Opening) },
  field: 'openings',
  details: (opening) => opening,
  words: ({ brand, status, stores, locality, mall, city }) => [
    brand,
    status,
    stores === null ? null : `${stores} stores`,
    locality,
    mall,
    city,
  ],
});
