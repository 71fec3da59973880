import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handleStory } from '../../ingest/match/handle-story.ts';
import { Tracker } from '../../ingest/match/signal-tracker.ts';
import { NoSuchSignal } from '../../ingest/review-signals.ts';
import { parseBeginning, traceItem } from '../../ingest/trace.ts';
import type { EventStore } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import type { Topics } from '../../log/topic.ts';
import { newEvent } from '../../schemas/events.ts';
import { ITEMS, POLLS } from '../../schemas/poll.ts';
import { eventId } from '../../schemas/scalar.ts';
import { STORIES } from '../../schemas/story.ts';
import { idOf } from '../../signal/report-decisions.ts';
import { logDatabase, type TestDatabase } from '../harness/database.ts';
import { poll } from '../projector/source-events.ts';
import { storyEvent } from './match/stories.ts';

const logger = pino({ level: 'silent' });
const URL_OF_PATNA = 'https://post.example/patna';
const pollId = eventId('poll of the test');
let test: TestDatabase;
let store: EventStore;
let topics: Topics;
let signal: string;
let itemId: string;

/** One poll found two items: one becomes a signal, the other is noise. */
beforeAll(async () => {
  test = await logDatabase();
  store = postgresEventStore(test.database);
  topics = postgresTopics(test.database);
  const bare = storyEvent({ brand: 'Mithila Sweets', title: 'Mithila Sweets opens in Patna', url: URL_OF_PATNA });
  const { time } = bare;
  const polled = newEvent('PollCompleted', poll({ items_new: 2, outcome: 'changed' }), { id: pollId, time });
  const about = { time, correlation_id: pollId };
  const item = newEvent('ItemFound', bare.data.item, { ...about, id: eventId('item', 1) });
  const noise = newEvent(
    'ItemFound',
    { ...bare.data.item, url: 'https://post.example/noise' },
    { ...about, id: eventId('item', 2) },
  );
  const story = { ...bare, causation_id: item.id, correlation_id: pollId };
  await topics.topic(ITEMS).publish([item, noise].map((event) => ({ key: event.data.url, event })));
  await topics.topic(POLLS).publish([{ key: 'source', event: polled }]);
  await topics.topic(STORIES).publish([{ key: 'brand', event: story }]);
  const tracker = new Tracker(store, logger);
  await tracker.catchUp();
  await handleStory(tracker, store, story);
  signal = idOf(story.data);
  itemId = item.id;
});
afterAll(async () => {
  await topics.close();
  await store.close();
  await test.close();
});

const stepsOf = (text: string) =>
  traceItem(parseBeginning(text), {
    store,
    topics,
    group: `test-${randomUUID()}`,
    signal: new AbortController().signal,
  });
const WAY = ['PollCompleted', 'ItemFound', 'StoryUnderstood', 'SignalDetected'];

describe('the way of one item', () => {
  it('is the same from its address, its signal and its event', async () => {
    for (const beginning of [`${URL_OF_PATNA}?utm_source=mail`, signal, itemId]) {
      const steps = await stepsOf(beginning);
      expect(
        steps.map(({ type }) => type),
        beginning,
      ).toEqual(WAY);
      expect(new Set(steps.map(({ correlation_id }) => correlation_id))).toEqual(new Set([pollId]));
      expect(steps.at(-1)?.signal_id).toBe(signal);
      expect(steps[2]?.causation_id).toBe(steps[1]?.id);
    }
  });

  it('given a correlation id, shows all that one poll led to', async () => {
    expect((await stepsOf(pollId)).map(({ type }) => type)).toEqual(['PollCompleted', 'ItemFound', ...WAY.slice(1)]);
  });

  it('given noise, ends at its item', async () => {
    expect((await stepsOf('https://post.example/noise')).map(({ type }) => type)).toEqual(WAY.slice(0, 2));
  });

  it('given an unknown start, is empty, or says that no signal has the slug', async () => {
    expect(await stepsOf('https://nobody.example/')).toEqual([]);
    expect(await stepsOf(randomUUID())).toEqual([]);
    await expect(stepsOf('no-such-slug')).rejects.toBeInstanceOf(NoSuchSignal);
  });
});
