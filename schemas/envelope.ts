/** What every event carries, whatever it says. */
import { z } from 'zod';
import { Instant } from './scalar.ts';

export const Envelope = z.object({
  /** Deterministic (see `identity.ts`): the same fact told twice has the same id, so a log keeps it once. */
  id: z.uuid(),
  type: z.string().min(1),
  /** Version of the schema of `data`; older ones are upcast on reading. */
  version: z.int().positive(),
  time: Instant,
  /** The event that led to this one, null for one that comes from outside. */
  causation_id: z.uuid().nullable(),
  /** Shared by everything that follows from one poll or one command. */
  correlation_id: z.uuid(),
  data: z.unknown(),
});

/** An event before or after it is stored; `Type` and `Data` narrow what it says. */
export type Event<Type extends string = string, Data = unknown> = Omit<z.infer<typeof Envelope>, 'type' | 'data'> & {
  type: Type;
  data: Data;
};
