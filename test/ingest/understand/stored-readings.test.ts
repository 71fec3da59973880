import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MATCH_GROUP } from '../../../ingest/match/matcher.ts';
import { readAgain } from '../../../ingest/read-again.ts';
import { openStoredReadings, storedClaims } from '../../../ingest/understand/stored-readings.ts';
import { createUnderstander, runUnderstand, UNDERSTAND_GROUP } from '../../../ingest/understand/understander.ts';
import { postgresDeadLetters } from '../../../log/dead-letters.ts';
import type { LanguageModel } from '../../../log/language-model.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import { consumeToEnd, readTopic } from '../../../log/topic.ts';
import { type Event, newEvent } from '../../../schemas/events.ts';
import { ITEMS, type Item, type ItemKey } from '../../../schemas/poll.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { STORIES } from '../../../schemas/story.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { sourceId } from '../../harness/ids.ts';
import { smallCatalogue } from './small-catalogue.ts';

let it: TestDatabase;
beforeEach(async () => {
  it = await logDatabase();
});
afterEach(() => it.close());

const found = (title: string): Event => {
  const item: Item = {
    source_id: sourceId('shop-news'),
    outlet: 'Shop News',
    role: 'news',
    item_key: title as ItemKey,
    url: `https://shopnews.example/${encodeURIComponent(title)}`,
    title,
    summary: null,
    authority: 0.6,
    language: 'en',
    published_at: '2026-07-20T05:00:00Z',
    first_seen_at: '2026-07-20T06:00:00Z',
    fingerprint: title,
  };
  return newEvent('ItemFound', item, { id: eventId('item', title), time: item.first_seen_at });
};
/** A model that says the same of each item; nothing while it is unavailable. */
function modelThat(says: object): LanguageModel & { calls: number; isAvailable: boolean } {
  const model = {
    name: 'm',
    calls: 0,
    isAvailable: true,
    async call(_: unknown, given: unknown) {
      model.calls += 1;
      if (!model.isAvailable) return null;
      const { items } = given as { items: { n: number }[] };
      return { answer: { items: items.map(({ n }) => ({ n, ...says })) }, cost_usd: 0 };
    },
  };
  return model as unknown as LanguageModel & { calls: number; isAvailable: boolean };
}
const DEAL = {
  relevant: true,
  move: 'deals',
  primary: ['Flumo'],
  secondary: [],
  cities: [],
  delta: null,
  openings: [],
  people: [],
  results: [],
  deals: [{ type: 'funding', amount: null, target: 'Flumo', buyers: [], status: null, words: 'Flumo' }],
  enforcement: [],
  prices: [],
};
const understander = createUnderstander(smallCatalogue, null);
const DOUBTFUL = 'Flumo gets a lift from its early backers';

describe('items that a language model reads', () => {
  test('given uncertain items, then each is read once, and its story says what was read', async () => {
    const model = modelThat(DEAL);
    const claims = storedClaims(it.database);
    const readings = openStoredReadings({ database: it.database, model, reads: 'all', understander });
    const topics = postgresTopics(it.database);
    await topics.topic(ITEMS).publish([{ key: 'a', event: found(DOUBTFUL) }]);
    const consume = async (): Promise<void> => {
      const stop = new AbortController();
      const running = runUnderstand({
        items: topics.topic(ITEMS),
        stories: topics.topic(STORIES),
        understander: { ...understander, claims },
        readings,
        deadLetters: postgresDeadLetters(it.database),
        logger: pino({ level: 'silent' }),
        signal: stop.signal,
      });
      await expect.poll(() => topics.topic(ITEMS).lag('understand')).toBe(0n);
      stop.abort();
      await running;
    };
    await consume();
    const stories: Event[] = [];
    await readTopic(topics.topic(STORIES), {
      group: 'test',
      take: (events) => void stories.push(...events),
      signal: new AbortController().signal,
    });
    expect(stories.map(({ data }) => data)).toMatchObject([
      { understanding: { move: 'deals', deal: { type: 'funding', target: 'Flumo' } } },
    ]);
    // A batch that comes again asks nobody.
    await it.database.query(`UPDATE log.topic_group SET next_offset = 0`);
    await consume();
    expect(model.calls).toBe(1);
    await topics.close();
  });

  test('given a provider that is unavailable, then the item waits, and is understood again when it is there', async () => {
    const model = modelThat(DEAL);
    model.isAvailable = false;
    const readings = openStoredReadings({ database: it.database, model, reads: 'all', understander });
    const topics = postgresTopics(it.database);
    const store = postgresEventStore(it.database);
    const event = found(DOUBTFUL);
    await topics.topic(ITEMS).publish([{ key: 'a', event }]);
    expect(await readings.readAhead([event])).toBe(0);
    expect(await readings.waiting(10)).toEqual([event.id]);

    // As noise, by the local readers.
    const { signal } = new AbortController();
    await consumeToEnd(topics.topic(ITEMS), { group: UNDERSTAND_GROUP, handle: async () => undefined, signal });
    const options = {
      readings,
      items: topics.topic(ITEMS),
      stories: topics.topic(STORIES),
      store,
      understander: { ...understander, claims: storedClaims(it.database) },
      logger: pino({ level: 'silent' }),
      clock: () => new Date('2026-07-20T08:00:00Z'),
      signal,
    };
    expect(await readAgain(options)).toBeNull();
    model.isAvailable = true;
    expect(await readAgain(options)).toMatchObject({ stories: 1 });
    expect(await topics.topic(STORIES).lag(MATCH_GROUP)).toBe(1n);
    expect(await readAgain(options)).toBeNull();
    expect(await readings.waiting(10)).toEqual([]);
    await store.close();
    await topics.close();
  });

  test('given an item that the topic no longer has, then it waits no longer', async () => {
    const model = modelThat(DEAL);
    model.isAvailable = false;
    const readings = openStoredReadings({ database: it.database, model, reads: 'all', understander });
    const topics = postgresTopics(it.database);
    const event = found(DOUBTFUL);
    await readings.readAhead([event]);
    const store = postgresEventStore(it.database);
    await readAgain({
      readings,
      items: topics.topic(ITEMS),
      stories: topics.topic(STORIES),
      store,
      understander,
      logger: pino({ level: 'silent' }),
      clock: () => new Date(),
      signal: new AbortController().signal,
    });
    expect(await readings.waiting(10)).toEqual([]);
    await store.close();
    await topics.close();
  });
});
