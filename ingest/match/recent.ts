/** The newest signals of the store, however long its history: read once from the start, the oldest dropped on the way. */
import type { EventStore, Position, StoredEvent } from '../../log/event-store.ts';
import { SIGNAL_PREFIX } from '../../schemas/signal.ts';

const PAGE = 5_000;
const WANTED = new Set(['SignalDetected', 'SignalReported', 'SignalMerged']);

/**
 * Reads to the end of the store.
 * @param most signals kept; events of older ones are left out
 * @returns their events in the order of the store, and where that ends
 */
export async function recentSignals(
  store: EventStore,
  most: number,
): Promise<{ events: StoredEvent[]; position: Position }> {
  const bySignal = new Map<string, StoredEvent[]>();
  let position: Position = 0n;
  for (;;) {
    const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
    for (const event of page.events) {
      if (!WANTED.has(event.type)) continue;
      const events = bySignal.get(event.stream);
      if (events) events.push(event);
      else if (event.type === 'SignalDetected') bySignal.set(event.stream, [event]);
      if (bySignal.size > most) for (const oldest of bySignal.keys()) if (bySignal.delete(oldest)) break;
    }
    const still = page.position === position;
    position = page.position;
    if (still || page.events.length === 0) break;
  }
  const events = [...bySignal.values()].flat();
  return { events: events.sort((a, b) => (a.position < b.position ? -1 : 1)), position };
}
