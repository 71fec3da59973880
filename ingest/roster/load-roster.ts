/** Reads the roster from the event store. */
import type { EventStore, Position, StoredEvent } from '../../log/event-store.ts';
import { type KnownEvent, readEvent } from '../../schemas/events.ts';
import { SOURCE_PREFIX } from '../../schemas/source.ts';
import { foldInto, type RosterEntry } from './fold-sources.ts';

/** All sources that were ever added, and the position up to which the store was read. */
export async function loadRoster(
  store: Pick<EventStore, 'readAll'>,
): Promise<{ roster: Map<string, RosterEntry>; position: Position }> {
  const roster = new Map<string, RosterEntry>();
  let position: Position = 0n;
  for (;;) {
    const page = await store.readAll({ after: position, prefixes: [SOURCE_PREFIX] });
    foldInto(roster, readable(page.events));
    if (page.events.length === 0 && page.position === position) return { roster, position };
    position = page.position;
  }
}

/** The events that this version can read. One that it cannot costs its own source that change, nothing else. */
export function* readable(
  stored: readonly StoredEvent[],
): Generator<{ readonly event: KnownEvent; readonly revision: number }> {
  for (const found of stored) {
    try {
      yield { event: readEvent(found), revision: found.revision };
    } catch {
      // Projectors park it and say so; here it is passed over.
    }
  }
}
