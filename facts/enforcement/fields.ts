import { z } from 'zod';
import { storedFact } from '../../schemas/stored-fact.ts';

/** What a regulator or court did; `rule` where it is none of the others. */
export const Action = z.enum([
  'penalty',
  'notice',
  'investigation',
  'raid',
  'recall',
  'ban',
  'licence',
  'order',
  'court case',
  'approval',
  'tax',
  'rule',
]);
export type Action = z.infer<typeof Action>;

/** How far it is. */
export const EnforcementStatus = z.enum([
  'proposed',
  'pending',
  'decided',
  'appealed',
  'stayed',
  'set aside',
  'settled',
]);
export type EnforcementStatus = z.infer<typeof EnforcementStatus>;

/** What a regulator or a court did, or was asked to do. */
export const Enforcement = z.object({
  regulator: z.string().nullable(),
  firm: z.string().nullable(),
  action: Action,
  status: EnforcementStatus.nullable(),
});
export type Enforcement = z.infer<typeof Enforcement>;

export const enforcement = storedFact({
  schema: Enforcement,
  /** Unset in stories before 2.0, where it is read from the words of the text; see `enforcementOf` in `read.ts`. */
  fields: { enforcement: Enforcement.nullable().optional() },
  field: 'enforcement',
  words: ({ regulator, firm, action, status }) => [regulator, firm, action, status],
});
