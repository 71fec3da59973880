import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createStory,
  createUnderstander,
  runUnderstand,
  UNDERSTAND_GROUP,
  understandLines,
} from '../../../ingest/understand/understander.ts';
import { type FailedMessage, postgresDeadLetters } from '../../../log/dead-letters.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import type { ConsumeOptions, Message, Topic, Topics } from '../../../log/topic.ts';
import { newEvent } from '../../../schemas/events.ts';
import { ITEMS, type Item, type ItemKey } from '../../../schemas/poll.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { STORIES } from '../../../schemas/story.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { sourceId } from '../../harness/ids.ts';
import { smallCatalogue } from './small-catalogue.ts';

async function* lines(...texts: string[]): AsyncIterable<string> {
  yield* texts;
}

const answers = async (options: { explain?: boolean }, ...texts: string[]): Promise<Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  for await (const line of understandLines(lines(...texts), createUnderstander(smallCatalogue, null), options))
    found.push(JSON.parse(line));
  return found;
};

const good = JSON.stringify({
  key: 'a',
  title: 'HUL Opens Store in Pune',
  summary: null,
  url: 'https://shopnews.example/news/x',
  outlet: 'Shop News',
  date: '2026-07-20',
});

test('given valid lines, then each result has the names as the text writes them', async () => {
  const [answer] = await answers({}, good);
  expect(answer).toMatchObject({
    key: 'a',
    move: 'stores',
    primary: ['HUL'],
    cities: ['Pune'],
    openings: [{ brand: 'HUL', city: 'Pune' }],
  });
  expect(answer).toMatchObject({ brands: [{ slug: 'hindustan-unilever', name: 'Hindustan Unilever' }] });
  expect(answer).not.toHaveProperty('reasons');
});

test('given invalid lines, then each reports its error, and the others have results', async () => {
  const found = await answers({}, 'not json', '', '{"key": "b"}', good);
  expect(found).toMatchObject([
    { line: 1, error: { field: 'line' } },
    { line: 3, error: { field: 'title' } },
    { key: 'a' },
  ]);
});

test('given --explain, then there are reasons', async () => {
  const [answer] = await answers({ explain: true }, good);
  expect(answer?.reasons).toContainEqual(expect.objectContaining({ field: 'move', rule: 'move model' }));
});

const understander = createUnderstander(smallCatalogue, null);

/** An item of the test, by its key. */
const found = (key: string, change: Partial<Item> = {}) =>
  newEvent(
    'ItemFound',
    {
      source_id: sourceId('shop-news'),
      outlet: 'Shop News',
      role: 'news',
      authority: 0.6,
      item_key: key as ItemKey,
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

describe('the consumer in memory', () => {
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
    test('given an item, then the story is keyed by its brand, names its cause and is the same each time', async () => {
      const event = found('a');
      const story = await createStory(event, understander);
      expect(story).toMatchObject({
        key: 'nykaa',
        event: {
          type: 'StoryUnderstood',
          time: event.time,
          causation_id: event.id,
          correlation_id: event.correlation_id,
        },
      });
      expect(await createStory(event, understander)).toEqual(story);
    });

    test('given no brand, then the key is the address of the item', async () => {
      const event = found('mall', { title: 'Retail sales in India rise 9% in June, says survey' });
      expect((await createStory(event, understander))?.key).toBe(event.data.url);
    });

    test('given an oracle item or noise, then there is no story', async () => {
      expect(await createStory(found('b', { role: 'oracle' }), understander)).toBeNull();
      expect(await createStory(found('c', { title: 'Retail Word of the Day: Planogram' }), understander)).toBeNull();
    });

    test('given a long batch, then its first stories are published before the rest is understood, until it stops', async () => {
      const items = memoryTopic(
        'items',
        Array.from({ length: 30 }, (_, number) => ({ key: 'k', event: found(`long${number}`) })),
      );
      const stories = memoryTopic('stories');
      const stop = new AbortController();
      const counts: number[] = [];
      const counting: typeof understander = {
        ...understander,
        understand: async (item) => {
          counts.push(stories.published.length);
          if (counts.length === 20) stop.abort();
          return understander.understand(item);
        },
      };
      const running = runUnderstand({
        items,
        stories,
        understander: counting,
        signal: stop.signal,
        logger: { warn: () => undefined, error: () => undefined, info: () => undefined },
        deadLetters: { add: async () => undefined, takeRetries: async () => [], remove: async () => undefined },
      });
      // What was not published comes again.
      await expect(running).rejects.toThrow('14 of 30 messages of partition 0 are retried');
      expect(counts.at(8)).toBe(8);
      expect(counts).toHaveLength(20);
      expect(stories.published).toHaveLength(16);
    });

    test('given an invalid item among valid ones, then the valid ones become stories and the log names the invalid one', async () => {
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
        items,
        stories,
        understander,
        signal: stop.signal,
        limits: { retryEvery: 1 },
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
      expect(letters).toMatchObject([
        { message_id: bad.id, kind: 'bad input', error: expect.stringContaining(bad.id) },
      ]);
      expect(warnings).toMatchObject([{ event: bad.id, kind: 'bad input', err: { type: 'UnreadableEvent' } }]);
    });
  });
});

describe('the consumer through restarts', () => {
  const logger = pino({ level: 'silent' });

  const GOOD = [
    found('a', { title: 'Nykaa Opens First Store in Pune' }),
    found('b', { title: 'Trent Appoints Sanjana Rao as CEO' }),
    found('c', { title: 'Nykaa Launches Vitamin C Skincare Range' }),
  ];
  const POISONED = { ...found('poisoned', { title: 'Nykaa' }), data: { title: { $where: 'Nykaa' } } };
  let wanted: (string | undefined)[];
  beforeAll(async () => {
    const made = await Promise.all(GOOD.map((event) => createStory(event, understander)));
    wanted = made.map((story) => story?.event.id).sort();
  });

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
    async function runOnce(into: Topic = stories, by = understander): Promise<void> {
      const stop = new AbortController();
      const deadLetters = postgresDeadLetters(database.database);
      const running = runUnderstand({
        items,
        stories: into,
        understander: by,
        deadLetters,
        logger,
        signal: stop.signal,
      });
      await eventually(async () => expect(await items.lag(UNDERSTAND_GROUP)).toBe(0n));
      stop.abort();
      await running;
    }

    /** The ids of all published stories, including repetitions. */
    async function published(): Promise<string[]> {
      const ids: string[] = [];
      const stop = new AbortController();
      const group = `reader-${crypto.randomUUID()}`;
      const reading = stories.consume({
        group,
        signal: stop.signal,
        handle: async ({ messages }) => void ids.push(...messages.map(({ event }) => event.id)),
      });
      await eventually(async () => expect(await stories.lag(group)).toBe(0n));
      stop.abort();
      await reading;
      return ids.sort();
    }

    test('given a poison item among valid ones, then the valid ones become stories, and a second run adds none', async () => {
      const [first, ...rest] = GOOD as [(typeof GOOD)[number]];
      await publish([first]);
      await items.publish([{ key: 'poisoned', event: POISONED }]);
      await publish(rest);
      await runOnce();
      expect(await published()).toEqual(wanted);
      await runOnce();
      expect(await published()).toEqual(wanted);
    });

    test('given a redelivery after a failed publish, then no story is lost and each keeps its id', async () => {
      await publish(GOOD);
      let failures = 2;
      const flaky: Topic = {
        ...stories,
        name: stories.name,
        publish: async (messages) => {
          if (failures-- > 0) throw new Error('the log is unreachable');
          await stories.publish(messages);
        },
      };
      await runOnce(flaky);
      expect(failures).toBeLessThan(0);
      expect([...new Set(await published())]).toEqual(wanted);
    });

    test('given a log that fails within a batch, then what was published before counts as handled, and is not understood again', async () => {
      const batch = Array.from({ length: 40 }, (_, number) => found(`part-${number}`));
      await items.publish(batch.map((event) => ({ key: 'one', event })));
      let [publishes, understood] = [0, 0];
      const lags: bigint[] = [];
      const flaky: Topic = {
        ...stories,
        name: stories.name,
        publish: async (messages) => {
          publishes += 1;
          if (publishes >= 3 && publishes < 6) throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
          if (publishes === 6) lags.push(await items.lag(UNDERSTAND_GROUP));
          await stories.publish(messages);
        },
      };
      await runOnce(flaky, {
        ...understander,
        understand: (item) => {
          understood += 1;
          return understander.understand(item);
        },
      });
      // Three groups of eight were left; the first of them was understood four times.
      expect([lags, understood]).toEqual([[24n], 40 + 3 * 8]);
      expect(new Set(await published()).size).toBe(40);
      expect(await published()).toHaveLength(40);
    });

    test('given the same item twice, then both stories have the same id', async () => {
      await publish([...GOOD, ...GOOD]);
      await runOnce();
      expect([...new Set(await published())]).toEqual(wanted);
    });
  });
});
