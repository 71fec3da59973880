/** What operators do that changes no signal, source, account or name: how the service works on its own events. One stream. */
import { z } from 'zod';

export const OPERATIONS = [
  'source_polled',
  'event_retried',
  'event_dropped',
  'message_retried',
  'message_dropped',
  'model_rebuilt',
  'items_replayed',
  'topic_trimmed',
  'group_deleted',
  'tokens_revoked',
] as const;

const Operation = z.object({
  operation: z.enum(OPERATIONS),
  /** The source, the read model, the event or message, the topic or group, or the account. */
  subject: z.string().max(300),
  by: z.string().min(1),
  /** Null where none is asked for. */
  why: z.string().nullable(),
});
export type Operation = z.infer<typeof Operation>;

export const OperationEvents = { OperationRecorded: { 1: Operation } } as const;
export const OPERATION_STREAM = 'operation-log';
export const OPERATION_PREFIX = 'operation-';
