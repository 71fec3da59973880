import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  holdSignal,
  mergeSignal,
  NoSuchSignal,
  readSignal,
  releaseSignal,
  signalHistory,
} from '../../ingest/review-signals.ts';
import type { EventStore } from '../../log/event-store.ts';
import { newEvent } from '../../schemas/events.ts';
import { eventId } from '../../schemas/scalar.ts';
import { idOf } from '../../signal/report-decisions.ts';
import { CannotReview } from '../../signal/review-decisions.ts';
import { publishItems, type TestLog, testLog } from '../harness/log.ts';
import { storyEvent, type TestStory } from './match/stories.ts';
import { handleAll } from './match/trackers.ts';

const never = new AbortController().signal;
let log: TestLog;
let store: EventStore;
beforeEach(async () => {
  log = await testLog();
  store = log.store;
});
afterEach(() => log.close());

/** Sends reports through the topics and the matcher. @returns the ids of the signals that they would create */
async function tellAll(...reports: readonly TestStory[]): Promise<string[]> {
  const stories = reports.map(storyEvent).map((bare) => {
    const item = newEvent('ItemFound', bare.data.item, { id: eventId('item', bare.id), time: bare.time });
    return { item, story: { ...bare, causation_id: item.id, correlation_id: item.correlation_id } };
  });
  await publishItems(log.items, ...stories.map(({ item }) => item));
  await log.stories.publish(stories.map(({ story }) => ({ key: 'brand', event: story })));
  await handleAll(
    store,
    stories.map(({ story }) => story),
  );
  return stories.map(({ story }) => idOf(story.data));
}

const history = (signal: string) => signalHistory(signal, { store, topics: log.topics, signal: never });
let count = 0;
const review = (why = 'checked by hand') => {
  count += 1;
  return { by: 'asha', why, time: '2026-07-07T08:00:00.000Z', id: eventId('review', count) };
};
const PATNA: TestStory = { brand: 'Mithila Sweets', title: 'Mithila Sweets opens its 12th shop in Patna' };
const RAO: TestStory = {
  brand: 'Brewbarn',
  title: 'Brewbarn names Kavita Rao chief executive',
  understanding: { move: 'people' },
};
const UNDATED: TestStory = { ...RAO, published_at: null };

describe('the history of a signal', () => {
  it('given an edit, then it lists each changed field, with the story and the item behind each event', async () => {
    const edited = { ...PATNA, url: 'https://post.example/patna', item_key: 'patna' };
    const [id = ''] = await tellAll(edited, { ...edited, title: 'Mithila Sweets opens its 13th shop in Patna' });

    const entries = await history(id);

    expect(entries.map(({ type }) => type)).toEqual(['SignalDetected', 'SignalReported', 'SignalRevised']);
    expect(entries[2]?.changes).toContainEqual({
      field: 'headline',
      before: 'Mithila Sweets opens its 12th shop in Patna',
      after: 'Mithila Sweets opens its 13th shop in Patna',
    });
    expect(entries[2]?.causes.map(({ type, about }) => [type, about])).toEqual([
      ['StoryUnderstood', 'Retail Post: Mithila Sweets opens its 13th shop in Patna'],
      ['ItemFound', 'Retail Post: Mithila Sweets opens its 13th shop in Patna https://post.example/patna'],
    ]);
  });

  it('given a merge, then the history covers both signals, by id or slug', async () => {
    const [one = '', two = ''] = await tellAll(PATNA, RAO);
    await mergeSignal(store, two, one, review());

    const entries = await history('mithila-sweets-opens-its-12th-shop-in-patna');

    expect(new Set(entries.map(({ signal_id }) => signal_id))).toEqual(new Set([one, two]));
    expect(await history(two)).toEqual(entries);
  });

  it('given a cause that no topic contains any more, or an unknown signal, then the result says so', async () => {
    const story = storyEvent(PATNA);
    await handleAll(store, [story]);

    const [detected] = await history(idOf(story.data));

    expect(detected?.causes[0]).toEqual({ id: story.id, type: null, time: null, about: null });
    await expect(history('no-such-slug')).rejects.toThrow(NoSuchSignal);
    await expect(history('sig_0000000000000000')).rejects.toThrow(NoSuchSignal);
  });
});

describe('decisions of operators', () => {
  it('given a held signal, then it is released once, with the operator and the reason', async () => {
    const [id = ''] = await tellAll(UNDATED);
    expect((await readSignal(store, id)).status).toBe('held');

    await releaseSignal(store, id, review('the outlet confirms the day'));

    expect((await readSignal(store, id)).status).toBe('public');
    expect((await history(id)).at(-1)?.changes).toEqual([
      { field: 'status', before: null, after: 'public, released by asha: the outlet confirms the day' },
    ]);
    await expect(releaseSignal(store, id, review())).rejects.toThrow(CannotReview);
  });

  it('given a public signal, then it is held; given two concurrent decisions, then one of them wins', async () => {
    const [id = ''] = await tellAll(PATNA);

    const outcomes = await Promise.allSettled([holdSignal(store, id, review()), holdSignal(store, id, review())]);

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await store.read(`signal-${id}`)).map(({ type }) => type)).toEqual(['SignalDetected', 'SignalHeld']);
  });

  it('given two signals of one event, then the reports move; a second merge or a merge with itself is refused', async () => {
    const [one = '', two = ''] = await tellAll(PATNA, RAO);

    await mergeSignal(store, two, one, review('one event'));

    expect((await readSignal(store, one)).reports.map(({ outlet }) => outlet)).toHaveLength(2);
    expect(await readSignal(store, two)).toMatchObject({ status: 'merged', mergedInto: one });
    await expect(mergeSignal(store, two, one, review())).rejects.toThrow(`merged into ${one} already`);
    await expect(mergeSignal(store, one, one, review())).rejects.toThrow('into itself');
  });
});
