/** Records what an operator did with the service itself, for the audit log. */
import { randomUUID } from 'node:crypto';
import { OPERATION_STREAM, type Operation } from '../schemas/access.ts';
import { newEvent } from '../schemas/events.ts';
import type { EventStore } from './event-store.ts';

/** Longest subject that is stored. */
const MAXIMUM_SUBJECT = 300;

/** Appends it. Call it once the operation is done; one that goes on for long, when it begins. */
export async function recordOperation(
  { store, now }: { readonly store: Pick<EventStore, 'append'>; readonly now: () => Date },
  { subject, ...operation }: Operation,
): Promise<void> {
  const about = { id: randomUUID(), time: now().toISOString() };
  const data = { ...operation, subject: subject.slice(0, MAXIMUM_SUBJECT) };
  await store.append(OPERATION_STREAM, [newEvent('OperationRecorded', data, about)], 'any');
}
