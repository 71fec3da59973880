import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoSuchSignal } from '../../ingest/review-signals.ts';
import { parseBeginning, traceItem } from '../../ingest/trace.ts';
import { newEvent } from '../../schemas/events.ts';
import { POLLS } from '../../schemas/poll.ts';
import { eventId } from '../../schemas/scalar.ts';
import { idOf } from '../../signal/report-decisions.ts';
import { publishItems, type TestLog, testLog } from '../harness/log.ts';
import { poll } from '../projector/source-events.ts';
import { storyEvent } from './match/stories.ts';
import { handleAll } from './match/trackers.ts';

const URL_OF_PATNA = 'https://post.example/patna';
const pollId = eventId('poll of the test');
let log: TestLog;
let signal: string;
let itemId: string;

/** One poll found two items: one becomes a signal, the other is noise. */
beforeAll(async () => {
  log = await testLog();
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
  await publishItems(log.items, item, noise);
  await log.topics.topic(POLLS).publish([{ key: 'source', event: polled }]);
  await log.stories.publish([{ key: 'brand', event: story }]);
  await handleAll(log.store, [story]);
  signal = idOf(story.data);
  itemId = item.id;
});
afterAll(() => log.close());

const stepsOf = (text: string) =>
  traceItem(parseBeginning(text), {
    store: log.store,
    topics: log.topics,
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
