import { describe, expect, test } from 'vitest';
import { createStory, runUnderstand } from '../../../ingest/understand/understand-consumer.ts';
import type { FailedMessage } from '../../../log/dead-letters.ts';
import type { ConsumeOptions, Message, Topic } from '../../../log/topic.ts';
import { newEvent } from '../../../schemas/events.ts';
import type { Item } from '../../../schemas/item.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { smallCatalogue } from './small-catalogue.ts';

const found = (key: string, change: Partial<Item> = {}) =>
  newEvent(
    'ItemFound',
    {
      source_id: 'shop-news',
      outlet: 'Shop News',
      role: 'news',
      authority: 0.6,
      item_key: key,
      url: `https://shopnews.example/news/${key}`,
      title: 'Nykaa Opens First Store in Pune',
      summary: null,
      published_at: '2026-07-20T06:30:00Z',
      first_seen_at: '2026-07-20T07:00:00Z',
      fingerprint: key,
      language: 'en',
      ...change,
    },
    { id: eventId('item', key), time: '2026-07-20T07:00:00Z', correlation_id: eventId('poll', 'one') },
  );

/** A topic in memory: what is published, and one batch to consume. */
const memoryTopic = (name: string, batch: readonly Message[] = []): Topic & { published: Message[] } => {
  const published: Message[] = [];
  return {
    name,
    published,
    publish: async (messages) => void published.push(...messages),
    consume: async ({ handle }: ConsumeOptions) =>
      handle({
        partition: 0,
        messages: batch.map((message, index) => ({ ...message, offset: BigInt(index) })),
        from: 0n,
        to: BigInt(batch.length),
      }),
    lag: async () => 0n,
    progress: async () => [],
    ranges: async () => [],
    deleteGroup: async () => true,
    find: async () => [],
  };
};

describe('from item to story', () => {
  test('given an item the story is keyed by its brand, names its cause and is the same each time', () => {
    const event = found('a');
    const story = createStory(event, smallCatalogue);
    expect(story).toMatchObject({
      key: 'nykaa',
      event: {
        type: 'StoryUnderstood',
        time: event.time,
        causation_id: event.id,
        correlation_id: event.correlation_id,
      },
    });
    expect(createStory(event, smallCatalogue)).toEqual(story);
  });

  test('given an oracle item or noise there is no story', () => {
    expect(createStory(found('b', { role: 'oracle' }), smallCatalogue)).toBeNull();
    expect(createStory(found('c', { title: 'Retail Word of the Day: Planogram' }), smallCatalogue)).toBeNull();
  });

  test('given a bad item among good ones, the good ones become stories and the bad one is logged by its id', async () => {
    const bad = { ...found('bad'), data: { title: 'Nykaa' } };
    const items = memoryTopic(
      'items',
      [found('a'), bad, found('d')].map((event) => ({ key: 'k', event })),
    );
    const stories = memoryTopic('stories');
    const warnings: unknown[] = [];
    const letters: FailedMessage[] = [];
    const stop = new AbortController();
    await runUnderstand({
      ...{ items, stories, catalogue: smallCatalogue, signal: stop.signal, limits: { retryEvery: 1 } },
      logger: {
        warn: (about: unknown) => void warnings.push(about),
        error: () => undefined,
        info: () => undefined,
      },
      deadLetters: {
        add: async (_group, _topic, letter) => {
          letters.push(letter);
          stop.abort();
        },
        takeRetries: async () => [],
        remove: async () => undefined,
      },
    });
    expect(stories.published.map(({ key }) => key)).toEqual(['nykaa', 'nykaa']);
    expect(letters).toMatchObject([{ message_id: bad.id, kind: 'bad input', error: expect.stringContaining(bad.id) }]);
    expect(warnings).toMatchObject([{ event: bad.id, kind: 'bad input', err: { type: 'UnreadableEvent' } }]);
  });
});
