import { z } from 'zod';
import { IstDay } from '../../schemas/scalar.ts';
import { storedFact } from '../../schemas/stored-fact.ts';

/** A change of a price, fee or tariff. Amounts are as the source wrote them. */
export const Price = z.object({
  brand: z.string(),
  /** A product, a service or a fee; null for the prices of the brand at large. */
  product: z.string().nullable(),
  direction: z.enum(['raised', 'cut', 'set']),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** What it is changed by: `₹40`, `up to 3%`. */
  by: z.string().nullable(),
  /** In per cent, as stated, or by both prices; negative for a cut. */
  change_pct: z.number().nullable(),
  place: z.string().nullable(),
  effective: IstDay.nullable(),
});
export type Price = z.infer<typeof Price>;

export const prices = storedFact({
  schema: Price,
  /** Unset in stories before 2.0, and where there is none. */
  fields: { prices: z.array(Price).optional() },
  field: 'prices',
  words: ({ brand, product, direction, from, to, by, place }) => [
    brand,
    product,
    direction,
    by && `by ${by}`,
    from && `from ${from}`,
    to && `to ${to}`,
    place,
  ],
});
