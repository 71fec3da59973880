/** The tables of the record: what each has rows of, and the words that its rows are filtered by. */
import { z } from 'zod';
import { Appointment, Deal, Opening } from './story.ts';

/** The tables, in the order in which pages list them. */
export const TABLES = ['openings', 'people', 'results', 'deals', 'enforcement'] as const;
export type TableName = (typeof TABLES)[number];

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

/** The fields of tables that have a fixed list of values. */
export const FIXED_VALUES = {
  openings: { status: Opening.shape.status.options },
  people: { direction: Appointment.shape.direction.options },
  results: {},
  deals: { type: Deal.shape.type.options, status: Deal.shape.status.unwrap().unwrap().options },
  enforcement: { action: Action.options, status: EnforcementStatus.options },
} as const satisfies Readonly<Record<TableName, Readonly<Record<string, readonly string[]>>>>;
