/** The log of the service on a fresh database, as the parts of one process use it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type DeadLetters, postgresDeadLetters } from '../../log/dead-letters.ts';
import type { EventStore } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import type { Topic, Topics } from '../../log/topic.ts';
import type { KnownEvent } from '../../schemas/events.ts';
import { ITEMS } from '../../schemas/poll.ts';
import { STORIES } from '../../schemas/story.ts';
import { logDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';

export interface TestLog extends TestDatabase {
  readonly store: EventStore;
  readonly topics: Topics;
  readonly items: Topic;
  readonly stories: Topic;
  readonly deadLetters: DeadLetters;
}

export async function testLog(): Promise<TestLog> {
  const { url, database, close } = await logDatabase();
  const [store, topics] = [postgresEventStore(database), postgresTopics(database)];
  return {
    url,
    database,
    store,
    topics,
    items: topics.topic(ITEMS),
    stories: topics.topic(STORIES),
    deadLetters: postgresDeadLetters(database),
    async close() {
      await topics.close();
      await store.close();
      await close();
    },
  };
}

/** Publishes items, each under its address. */
export const publishItems = (topic: Topic, ...events: readonly KnownEvent<'ItemFound'>[]): Promise<void> =>
  topic.publish(events.map((event) => ({ key: event.data.url, event })));

/** Runs what handles a topic until its group has handled all of it, then stops it. */
export async function runToEnd(
  topic: Topic,
  group: string,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  const running = run(stop.signal);
  await eventually(async () => expect(await topic.lag(group)).toBe(0n));
  stop.abort();
  await running;
}

/** All messages of a topic, repetitions too. */
export async function messagesIn(topic: Topic): Promise<KnownEvent[]> {
  const events: KnownEvent[] = [];
  const group = `reader-${randomUUID()}`;
  await runToEnd(topic, group, (signal) =>
    topic.consume({
      group,
      signal,
      handle: async ({ messages }) => void events.push(...messages.map(({ event }) => event as KnownEvent)),
    }),
  );
  return events;
}
