/** Events for tests of the logs. */
import type { Event } from '../../../schemas/events.ts';
import { eventId } from '../../../schemas/scalar.ts';

/** An event that says who it is; the same parts make the same event. */
export function someEvent(name: string, data: unknown = { name }): Event {
  const id = eventId('test', name);
  return {
    id,
    type: 'Tested',
    version: 1,
    time: '2026-07-28T09:30:00.000Z',
    causation_id: null,
    correlation_id: id,
    data,
  };
}

/** `count` events named `prefix 0`, `prefix 1`, … */
export const someEvents = (prefix: string, count: number): Event[] =>
  Array.from({ length: count }, (_, index) => someEvent(`${prefix} ${index}`));

/** An event whose data has about so many bytes. */
export const eventOfBytes = (name: string, bytes: number): Event => someEvent(name, { text: 'x'.repeat(bytes) });
