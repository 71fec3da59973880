/** An event store in memory that can die at any append: for properties over thousands of runs. */
import {
  type EventStore,
  type ExpectedRevision,
  RevisionConflict,
  type StoredEvent,
} from '../../../log/event-store.ts';
import type { Event } from '../../../schemas/events.ts';

export class Died extends Error {
  override name = 'Died';
  /** As a process that is killed: what handles signals one by one does not go on with the next. */
  readonly isTransient = true;
}

export interface MemoryStore extends EventStore {
  readonly events: readonly StoredEvent[];
  /** The n-th append from now throws: before it is stored, or after (the answer gets lost). */
  dieAt(appends: number, when: 'before' | 'after'): void;
}

export function memoryStore(): MemoryStore {
  const events: StoredEvent[] = [];
  let countdown = Number.POSITIVE_INFINITY;
  let moment: 'before' | 'after' = 'before';

  function store(stream: string, added: readonly Event[], expected: ExpectedRevision) {
    const own = events.filter((event) => event.stream === stream);
    const ids = new Set(own.map(({ id }) => id));
    const last = own.at(-1);
    if (last && added.every(({ id }) => ids.has(id)))
      return { revision: last.revision, position: last.position, stored: [] };
    const actual = own.length - 1;
    if (expected !== 'any' && (expected === 'none' ? -1 : expected) !== actual)
      throw new RevisionConflict(stream, expected, actual);
    let revision = actual;
    for (const event of added)
      if (!ids.has(event.id))
        events.push({ ...structuredClone(event), stream, revision: ++revision, position: BigInt(events.length + 1) });
    return { revision, position: BigInt(events.length), stored: added.flatMap(({ id }) => (ids.has(id) ? [] : id)) };
  }

  return {
    events,
    dieAt(appends, when) {
      countdown = appends;
      moment = when;
    },
    async append(stream, added, expected) {
      const dies = --countdown === 0;
      if (dies && moment === 'before') throw new Died();
      const done = store(stream, added, expected);
      if (dies) throw new Died();
      return done;
    },
    has: async (position, id) => events.find((event) => event.position === position)?.id === id,
    read: async (stream, from = 0) => events.filter((event) => event.stream === stream && event.revision >= from),
    async readAll({ after, prefixes, limit = 1_000 }) {
      const next = events.filter(({ position }) => position > after).slice(0, limit);
      return {
        events: next.filter(({ stream }) => !prefixes || prefixes.some((prefix) => stream.startsWith(prefix))),
        position: next.at(-1)?.position ?? after,
      };
    },
    async *subscribe() {},
    head: async () => BigInt(events.length),
    close: async () => undefined,
  };
}
