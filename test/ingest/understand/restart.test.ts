import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createStory, runUnderstand, UNDERSTAND_GROUP } from '../../../ingest/understand/understand-consumer.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import type { Topic, Topics } from '../../../log/topic.ts';
import { newEvent } from '../../../schemas/events.ts';
import { ITEMS } from '../../../schemas/item.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { STORIES } from '../../../schemas/story.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { smallCatalogue } from './small-catalogue.ts';

const logger = pino({ level: 'silent' });

const found = (key: string, title: string) =>
  newEvent(
    'ItemFound',
    {
      source_id: 'shop-news',
      outlet: 'Shop News',
      role: 'news',
      authority: 0.6,
      item_key: key,
      url: `https://shopnews.example/news/${key}`,
      title,
      summary: null,
      published_at: '2026-07-20T06:30:00Z',
      first_seen_at: '2026-07-20T07:00:00Z',
      fingerprint: key,
      language: 'en',
    },
    { id: eventId('item', key), time: '2026-07-20T07:00:00Z', correlation_id: eventId('poll', 'one') },
  );

const GOOD = [
  found('a', 'Nykaa Opens First Store in Pune'),
  found('b', 'Trent Appoints Sanjana Rao as CEO'),
  found('c', 'Nykaa Launches Vitamin C Skincare Range'),
];
const POISONED = { ...found('poisoned', 'Nykaa'), data: { title: { $where: 'Nykaa' } } };
const WANTED = GOOD.map((event) => createStory(event, smallCatalogue)?.event.id).sort();

describe('understanding on PostgreSQL', () => {
  let database: TestDatabase;
  let topics: Topics;
  let items: Topic;
  let stories: Topic;

  beforeEach(async () => {
    database = await logDatabase();
    topics = postgresTopics(database.database);
    items = topics.topic(ITEMS);
    stories = topics.topic(STORIES);
  });
  afterEach(async () => {
    await topics.close();
    await database.close();
  });

  const publish = (events: readonly (typeof GOOD)[number][]): Promise<void> =>
    items.publish(events.map((event) => ({ key: event.data.url ?? 'none', event })));

  /** Runs understanding until every item is handled, then stops it. */
  async function runOnce(into: Topic = stories): Promise<void> {
    const stop = new AbortController();
    const deadLetters = postgresDeadLetters(database.database);
    const running = runUnderstand({
      ...{ items, stories: into, catalogue: smallCatalogue, deadLetters, logger, signal: stop.signal },
    });
    await vi.waitFor(async () => expect(await items.lag(UNDERSTAND_GROUP)).toBe(0n), { timeout: 20_000, interval: 20 });
    stop.abort();
    await running;
  }

  /** The ids of all stories that were published, each as often as it was. */
  async function published(): Promise<string[]> {
    const ids: string[] = [];
    const stop = new AbortController();
    const group = `reader-${crypto.randomUUID()}`;
    const reading = stories.consume({
      group,
      signal: stop.signal,
      handle: async ({ messages }) => void ids.push(...messages.map(({ event }) => event.id)),
    });
    await vi.waitFor(async () => expect(await stories.lag(group)).toBe(0n), { timeout: 20_000, interval: 20 });
    stop.abort();
    await reading;
    return ids.sort();
  }

  test('given a poisoned item among good ones, the good ones become stories, and a second run adds none', async () => {
    const [first, ...rest] = GOOD as [(typeof GOOD)[number]];
    await publish([first]);
    await items.publish([{ key: 'poisoned', event: POISONED }]);
    await publish(rest);
    await runOnce();
    expect(await published()).toEqual(WANTED);
    await runOnce();
    expect(await published()).toEqual(WANTED);
  });

  test('given the batch is delivered again after a failed publish, no story is lost and each keeps its id', async () => {
    await publish(GOOD);
    let failures = 2;
    const flaky: Topic = {
      ...stories,
      name: stories.name,
      publish: async (messages) => {
        if (failures-- > 0) throw new Error('the log is away');
        await stories.publish(messages);
      },
    };
    await runOnce(flaky);
    expect(failures).toBeLessThan(0);
    expect([...new Set(await published())]).toEqual(WANTED);
  });

  test('given the same item twice, both stories are one by their id', async () => {
    await publish([...GOOD, ...GOOD]);
    await runOnce();
    expect([...new Set(await published())]).toEqual(WANTED);
  });
});
