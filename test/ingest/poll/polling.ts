/** A poller on real logs, and access to what it wrote. */
import pino from 'pino';
import { type PollerOptions, runPoller } from '../../../ingest/poll/poller.ts';
import { applyRoster } from '../../../ingest/roster/roster.ts';
import type { EventStore } from '../../../log/event-store.ts';
import type { Database } from '../../../log/postgres/database.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import type { Topics } from '../../../log/topic.ts';
import { type KnownEvent, readEvent } from '../../../schemas/events.ts';
import { ITEMS, POLLS } from '../../../schemas/poll.ts';
import { Source } from '../../../schemas/source.ts';
import { logDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';

export interface Polling {
  readonly store: EventStore;
  readonly database: Database;
  readonly topics: Topics;
  readonly items: KnownEvent<'ItemFound'>[];
  readonly polls: KnownEvent<'PollCompleted'>[];
  /** Applies the sources and starts a poller; stopping it waits for its end. */
  start(sources: readonly Source[], options?: Partial<PollerOptions>): Promise<() => Promise<void>>;
  /** Polls of a source, oldest first. */
  pollsOf(id: string): KnownEvent<'PollCompleted'>['data'][];
  itemsOf(id: string): KnownEvent<'ItemFound'>['data'][];
  close(): Promise<void>;
}

/** A source whose articles are fetched only if a test says so: most test feeds link to articles that are not served. */
export const source = (id: string, url: string, more: Partial<Source> = {}): Source =>
  Source.parse({ id, outlet: id, url, articles: 'never', ...more });

/** Opens logs in a fresh database and keeps reading what is published. */
export async function openPolling(): Promise<Polling> {
  const server = await logDatabase();
  const store = postgresEventStore(server.database);
  const topics = postgresTopics(server.database);
  const items: KnownEvent<'ItemFound'>[] = [];
  const polls: KnownEvent<'PollCompleted'>[] = [];
  const stop = new AbortController();
  const reading = [ITEMS, POLLS].map((name) =>
    topics.topic(name).consume({
      group: 'test',
      signal: stop.signal,
      async handle({ messages }) {
        for (const { event } of messages) {
          const known = readEvent(event);
          if (known.type === 'ItemFound') items.push(known);
          if (known.type === 'PollCompleted') polls.push(known);
        }
      },
    }),
  );
  const pollsOf = (id: string) => polls.map(({ data }) => data).filter(({ source_id }) => source_id === id);
  return {
    store,
    database: server.database,
    topics,
    items,
    polls,
    pollsOf,
    itemsOf: (id) => items.map(({ data }) => data).filter(({ source_id }) => source_id === id),
    async start(sources, options = {}) {
      await applyRoster(store, sources, { by: 'test', why: 'test' });
      const running = new AbortController();
      const done = runPoller({
        store,
        items: topics.topic(ITEMS),
        polls: topics.topic(POLLS),
        resume: async () => null,
        clock: () => new Date(),
        logger: pino({ level: 'silent' }),
        signal: running.signal,
        allowAddress: () => true,
        ...options,
      });
      return async () => {
        running.abort();
        await done;
      };
    },
    async close() {
      stop.abort();
      await Promise.all(reading);
      await topics.close();
      await store.close();
      await server.close();
    },
  };
}

/** Waits until each of these sources has this many polls. */
export const polled = (polling: Polling, ids: readonly string[], times = 1): Promise<void> =>
  eventually(() => {
    for (const id of ids)
      if (polling.pollsOf(id).length < times) throw new Error(`${id} has ${polling.pollsOf(id).length} polls`);
  });
