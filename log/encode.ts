/** An event as the text that every log stores. */
import type { Event } from '../schemas/events.ts';
import { EventTooLarge, MAXIMUM_EVENT_BYTES } from './topic.ts';

/**
 * The JSON of an event's envelope and data, and of nothing else that the object may carry.
 * @throws EventTooLarge when it has more than MAXIMUM_EVENT_BYTES in UTF-8
 */
export function encodeEvent(event: Event): string {
  const { id, type, version, time, causation_id, correlation_id, data } = event;
  const text = JSON.stringify({ id, type, version, time, causation_id, correlation_id, data });
  // A character has at most three bytes per UTF-16 unit: most texts need no count.
  if (text.length * 3 > MAXIMUM_EVENT_BYTES) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAXIMUM_EVENT_BYTES) throw new EventTooLarge(type, bytes);
  }
  return text;
}
