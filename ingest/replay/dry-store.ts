/** An event store that takes appends into memory alone: what would be written can be counted without writing it. */
import { type EventStore, RevisionConflict, type StoredEvent } from '../../log/event-store.ts';
import type { Event } from '../../schemas/events.ts';

/** Beyond any place of the real store, and still a whole number as a double. */
const FAR = 2n ** 52n;

/** Everything but appending, one by one: a store may be an object of a class. */
const readingFrom = (store: EventStore): Omit<EventStore, 'append'> => ({
  read: (stream, fromRevision) => store.read(stream, fromRevision),
  readAll: (options) => store.readAll(options),
  subscribe: (options) => store.subscribe(options),
  head: () => store.head(),
  close: () => store.close(),
});

/** @param store is only read */
export function dryStore(store: EventStore): EventStore {
  const added = new Map<string, Event[]>();
  let position = FAR;
  const read = async (stream: string): Promise<StoredEvent[]> => {
    const stored = await store.read(stream);
    const more = added.get(stream) ?? [];
    return [
      ...stored,
      ...more.map((event, index) => ({ ...event, stream, revision: stored.length + index, position: FAR })),
    ];
  };
  return {
    ...readingFrom(store),
    async append(stream, events, expected) {
      const there = await read(stream);
      const ids = new Set(there.map(({ id }) => id));
      const fresh = events.filter(({ id }) => !ids.has(id));
      const last = there.length - 1;
      if (fresh.length > 0) {
        if (expected !== 'any' && (expected === 'none' ? -1 : expected) !== last)
          throw new RevisionConflict(stream, expected, last);
        added.set(stream, [...(added.get(stream) ?? []), ...fresh]);
        position += BigInt(fresh.length);
      }
      return { revision: last + fresh.length, position, stored: fresh.map(({ id }) => id) };
    },
    read: async (stream, fromRevision = 0) => (await read(stream)).filter(({ revision }) => revision >= fromRevision),
  };
}

/** A store without events. */
const EMPTY: Omit<EventStore, 'append'> = {
  read: async () => [],
  readAll: async ({ after }) => ({ events: [], position: after }),
  subscribe: async function* () {},
  head: async () => 0n,
  close: async () => undefined,
};

/** A store in memory that begins empty, for one writer: its events are read by stream only. */
export const emptyStore = (): EventStore =>
  dryStore({ ...EMPTY, append: () => Promise.reject(new Error('an empty store takes no events')) });

/** A store that reports every event that an append stored. */
export const observedStore = (store: EventStore, onStored: (event: Event) => void): EventStore => ({
  ...readingFrom(store),
  async append(stream, events, expected) {
    const done = await store.append(stream, events, expected);
    for (const event of events) if (done.stored.includes(event.id)) onStored(event);
    return done;
  },
});
