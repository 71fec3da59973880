/** Records of EventStoreDB: our envelope in a record and back, and places in the log as the one number of the port. */
import type { RecordedEvent } from '@eventstore/db-client';
import { z } from 'zod';
import type { Event } from '../../schemas/events.ts';
import type { Position, StoredEvent } from '../event-store.ts';
import { encodeEvent } from '../topic.ts';

/** A place in the log as the server names it. */
export interface Place {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/**
 * The position of the record at a commit position: twice that, and one more. An event appended over gRPC commits itself,
 * so the commit position alone identifies and orders events. Even positions were checkpoints of earlier releases: the
 * place where the server would read next, and everything before it was seen.
 */
export const positionAt = (commit: bigint): Position => commit * 2n + 1n;

/** The place to read on from; a read includes what is stored there. */
export function placeOf(position: Position): Place | 'start' {
  if (position <= 0n) return 'start';
  const commit = position / 2n;
  return { commit, prepare: position % 2n === 1n ? commit : 0n };
}

/** What the server must be given; the ids under the names that its own projections know. */
export interface ProposedRecord {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** Unset for what is not ours. */
  readonly metadata?: z.infer<typeof Metadata>;
}

const Metadata = z.object({
  version: z.int().positive(),
  time: z.string(),
  $causationId: z.string().nullable(),
  $correlationId: z.string(),
  /** The append that stored the record; unset in records of earlier releases. */
  append: z.string().optional(),
});
const Id = z.uuid();

/**
 * An event as the server takes it.
 * @param append a name that no other append has: of two equal ones, the record tells which stored it
 * @throws EventTooLarge above the limit of all logs, TypeError for an id that is no UUID, which the server would refuse
 */
export function recordOf(event: Event, append: string): ProposedRecord {
  encodeEvent(event);
  if (!Id.safeParse(event.id).success) throw new TypeError(`the event id "${event.id}" is no UUID`);
  const { id, type, version, time, causation_id, correlation_id } = event;
  // JSON has no undefined; what Postgres stores without the member comes back from here as null.
  const data = event.data === undefined ? null : event.data;
  const metadata = { version, time, $causationId: causation_id, $correlationId: correlation_id, append };
  return { id, type, data, metadata };
}

/** The append that stored a record; undefined for a record of an earlier release or of another program. */
export const appendOf = ({ metadata }: RecordedEvent): string | undefined => Metadata.safeParse(metadata).data?.append;

/** @returns null for a record that another program wrote in a form of its own: the server may be shared */
export function eventOf(record: RecordedEvent, position: Position): StoredEvent | null {
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
