import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createStory,
  createUnderstander,
  runUnderstand,
  UNDERSTAND_GROUP,
  understandLines,
} from '../../../ingest/understand/understander.ts';
import type { FailedMessage } from '../../../log/dead-letters.ts';
import type { ConsumeOptions, Message, Topic } from '../../../log/topic.ts';
import type { Item } from '../../../schemas/poll.ts';
import { messagesIn, publishItems, runToEnd, type TestLog, testLog } from '../../harness/log.ts';
import { itemFound, newsItem } from '../../projector/item-events.ts';
import { logger } from '../match/trackers.ts';
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
const found = (key: string, changes: Partial<Item> = {}) =>
  itemFound(newsItem(key, { title: 'Nykaa Opens First Store in Pune', ...changes }));

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
    let log: TestLog;
    beforeEach(async () => {
      log = await testLog();
    });
    afterEach(() => log.close());

    /** Runs understanding until every item is handled, then stops it. */
    const runOnce = (stories: Topic = log.stories, by = understander): Promise<void> =>
      runToEnd(log.items, UNDERSTAND_GROUP, (signal) =>
        runUnderstand({ ...log, stories, understander: by, logger, signal }),
      );
    /** A topic of stories whose publishing goes through a test. */
    const flakyStories = (publish: Topic['publish']): Topic => ({ ...log.stories, name: log.stories.name, publish });

    /** The ids of all published stories, including repetitions. */
    const published = async (): Promise<string[]> => (await messagesIn(log.stories)).map(({ id }) => id).sort();

    test('given a poison item among valid ones, and items twice, then no story is lost or has another id', async () => {
      const [first, ...rest] = GOOD as [(typeof GOOD)[number]];
      await publishItems(log.items, first);
      await log.items.publish([{ key: 'poisoned', event: POISONED }]);
      await publishItems(log.items, ...rest);
      await runOnce();
      expect(await published()).toEqual(wanted);
      await publishItems(log.items, ...GOOD);
      await runOnce();
      expect([...new Set(await published())]).toEqual(wanted);
    });

    test('given a log that fails within a batch, then what was published before counts as handled, and is not understood again', async () => {
      const batch = Array.from({ length: 40 }, (_, number) => found(`part-${number}`));
      await log.items.publish(batch.map((event) => ({ key: 'one', event })));
      let [publishes, understood] = [0, 0];
      const lags: bigint[] = [];
      const flaky = flakyStories(async (messages) => {
        publishes += 1;
        if (publishes >= 3 && publishes < 6) throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
        if (publishes === 6) lags.push(await log.items.lag(UNDERSTAND_GROUP));
        await log.stories.publish(messages);
      });
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
  });
});
