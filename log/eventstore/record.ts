/** Our envelope in a record of EventStoreDB and back. */
import { z } from 'zod';
import type { Event } from '../../schemas/envelope.ts';
import { encodeEvent } from '../encode.ts';
import type { Position, StoredEvent } from '../event-store.ts';

/** What the server must be told; the ids under the names that its own projections know. */
export interface Proposed {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: z.infer<typeof Metadata>;
}

/** What we need of a record that was read. */
export interface Recorded {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: unknown;
  readonly metadata?: unknown;
}

const Metadata = z.object({
  version: z.int().positive(),
  time: z.string(),
  $causationId: z.string().nullable(),
  $correlationId: z.string(),
});
const Id = z.uuid();

/**
 * @throws EventTooLarge above the limit of all logs, TypeError for an id that is no UUID, which the server would refuse
 */
export function propose(event: Event): Proposed {
  encodeEvent(event);
  if (!Id.safeParse(event.id).success) throw new TypeError(`the event id "${event.id}" is no UUID`);
  const { id, type, version, time, causation_id, correlation_id } = event;
  // JSON has no undefined; what Postgres stores without the member comes back from here as null.
  const data = event.data === undefined ? null : event.data;
  return { id, type, data, metadata: { version, time, $causationId: causation_id, $correlationId: correlation_id } };
}

/** @returns null for a record that somebody else wrote in a form of his own: the cluster may be shared */
export function stored(record: Recorded, position: Position): StoredEvent | null {
  const metadata = Metadata.safeParse(record.metadata);
  if (!record.isJson || !metadata.success) return null;
  const { version, time, $causationId, $correlationId } = metadata.data;
  return {
    id: record.id,
    type: record.type,
    version,
    time,
    causation_id: $causationId,
    correlation_id: $correlationId,
    data: record.data,
    stream: record.streamId,
    revision: Number(record.revision),
    position,
  };
}
