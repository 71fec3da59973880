/** Which signals there are, and which items they hold. */
import type { EventStore, Position } from '../../log/event-store.ts';
import { readEvent, UnreadableEvent } from '../../schemas/events.ts';
import { type ItemName, itemName, SIGNAL_PREFIX } from '../../schemas/signal.ts';

const PAGE = 5_000;

export interface KnownSignals {
  /** Ids of the signals that hold at least one item that is asked about, in the order of their detection. */
  readonly ids: ReadonlySet<string>;
  /** True for an item that some signal contains as a report. */
  holds(item: ItemName): boolean;
}

/**
 * Reads the signals of the store from end to end.
 * @param concerns which items are asked about
 */
export async function knownSignals(
  store: EventStore,
  concerns: (item: ItemName) => boolean,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number, total: number) => void },
): Promise<KnownSignals> {
  const ids = new Set<string>();
  const held = new Set<string>();
  const head = await store.head();
  let position: Position = 0n;
  while (position < head) {
    signal.throwIfAborted();
    const page = await store.readAll({ after: position, prefixes: [SIGNAL_PREFIX], limit: PAGE });
    for (const stored of page.events) {
      const event = readOr(stored);
      if (event?.type !== 'SignalDetected' && event?.type !== 'SignalReported') continue;
      const { report, signal_id } = event.data;
      held.add(itemName(report));
      if (concerns(report)) ids.add(signal_id);
    }
    if (page.position === position) break;
    position = page.position;
    onProgress(Number(position), Number(head));
  }
  return { ids, holds: (item) => held.has(itemName(item)) };
}

function readOr(stored: Parameters<typeof readEvent>[0]) {
  try {
    return readEvent(stored);
  } catch (error) {
    if (error instanceof UnreadableEvent) return null;
    throw error;
  }
}
