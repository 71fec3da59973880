/**
 * Mistakes that readers report of a signal. They are in a stream for each signal, apart from the decisions about it, and open
 * until an operator decides about the signal. Nobody's name or address is kept with one.
 */
import { z } from 'zod';
import { prefixedId, SignalId, trimmedText } from './scalar.ts';

/** What can be wrong. */
export const MISTAKES = ['not_a_move', 'kind', 'brand', 'figure', 'place', 'duplicate', 'other'] as const;
export type Mistake = (typeof MISTAKES)[number];

export const MAXIMUM_NOTE = 500;

export const MistakeId = z.string().regex(/^mis_[0-9a-f]{16}$/, 'must be mis_ and 16 hexadecimal characters');

export const MistakeEvents = {
  MistakeReported: {
    1: z.object({
      mistake_id: MistakeId,
      signal_id: SignalId,
      what: z.enum(MISTAKES),
      /** In the words of the reader. */
      note: z.string().max(MAXIMUM_NOTE).nullable(),
    }),
  },
} as const;

/** The form of a reader. */
export const MistakeBody = z.strictObject({
  what: z.enum(MISTAKES).describe(`${MISTAKES.join(', ')}: what is wrong`),
  note: trimmedText(1, MAXIMUM_NOTE).optional().describe('1 to 500 characters that say what would be right'),
});
export type MistakeBody = z.infer<typeof MistakeBody>;

/** The same words about the same signal on one day are one report. @param day in India, YYYY-MM-DD */
export const mistakeId = (signal: SignalId, { what, note = '' }: MistakeBody, day: string): string =>
  prefixedId('mis', JSON.stringify([signal, what, note, day]));

export const MISTAKE_PREFIX = 'mistake-';
export const mistakeStream = (signal: SignalId): string => `${MISTAKE_PREFIX}${signal}`;
