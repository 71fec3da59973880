/** An event store in memory, for tests that decide themselves what lies where in `$all`. */

import { pause } from '../../log/backoff.ts';
import type { EventStore, Page, ReadAll, StoredEvent } from '../../log/event-store.ts';
import type { Event } from '../../schemas/envelope.ts';

export interface MemoryStore extends EventStore {
  /** Appends without looking at revisions; answers the position of the last. */
  add(stream: string, ...events: Event[]): bigint;
}

/** Makes an empty store. */
export function memoryStore(): MemoryStore {
  const all: StoredEvent[] = [];
  let wake = Promise.withResolvers<void>();
  const readAll = async ({ after, prefixes, limit = 1000 }: ReadAll): Promise<Page> => {
    const rest = all.slice(Number(after));
    const fitting = rest.filter(({ stream }) => !prefixes || prefixes.some((prefix) => stream.startsWith(prefix)));
    const events = fitting.slice(0, limit);
    const last = events.length === limit ? events.at(-1)?.position : rest.at(-1)?.position;
    return { events, position: last ?? after };
  };
  const add = (stream: string, ...events: Event[]): bigint => {
    for (const event of events)
      all.push({
        ...event,
        stream,
        revision: all.filter((stored) => stored.stream === stream).length,
        position: BigInt(all.length + 1),
      });
    wake.resolve();
    wake = Promise.withResolvers();
    return BigInt(all.length);
  };
  return {
    add,
    readAll,
    append: async (stream, events) => ({ revision: 0, position: add(stream, ...events) }),
    read: async (stream) => all.filter((stored) => stored.stream === stream),
    head: async () => BigInt(all.length),
    close: async () => undefined,
    async *subscribe({ signal, ...options }) {
      let { after } = options;
      while (!signal.aborted) {
        const woken = wake.promise;
        const page = await readAll({ ...options, after });
        if (page.position > after) yield page;
        else await Promise.race([woken, pause(1000, signal)]);
        after = page.position;
      }
    },
  };
}
