import { z } from 'zod';
import { storedFact } from '../../schemas/stored-fact.ts';

export const Deal = z.object({
  type: z.enum(['funding', 'acquisition', 'stake_sale', 'ipo', 'jv', 'merger']),
  amount: z.string().nullable(),
  target: z.string().nullable(),
  buyers: z.array(z.string()),
  /** How far it is by the words of the headline; unset or null where they do not say. */
  status: z.enum(['rumoured', 'agreed', 'completed']).nullable().optional(),
});
export type Deal = z.infer<typeof Deal>;

export const deals = storedFact({
  schema: Deal,
  fields: { deal: Deal.nullable() },
  field: 'deal',
  details: ({ amount }) => amount,
  words: ({ type, amount, target, buyers }) => [type, amount, target, ...buyers],
});
