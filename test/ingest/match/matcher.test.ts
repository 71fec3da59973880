import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { MATCH_GROUP, type MatchOptions, runMatcher } from '../../../ingest/match/matcher.ts';
import { completeMerges, settleRaces } from '../../../ingest/match/merge-signals.ts';
import { openTracker } from '../../../ingest/match/signal-tracker.ts';
import { listDeadLetters, postgresDeadLetters } from '../../../log/dead-letters.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import type { Topic, Topics } from '../../../log/topic.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import { STORIES } from '../../../schemas/story.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { WAIT_OPTIONS } from '../../harness/wait-options.ts';
import { Died, memoryStore } from './memory-store.ts';
import { storyEvent } from './stories.ts';

const logger = pino({ level: 'silent' });
const BRANDS = ['Anaya Silks', 'Brewbarn', 'Mithila Sweets', 'Tallgrass', 'Kumbh Naturals', 'Orangery'];
const ACTS = [
  (brand: string) => [
    `${brand} raises ₹42 crore from Kestrel Capital`,
    `${brand} bags Rs 42 Cr led by Kestrel Capital`,
  ],
  (brand: string) => [`${brand} names Kavita Rao chief executive`, `Kavita Rao appointed CEO of ${brand}`],
];
const STORIES_OF_ALL: StoryEvent[] = ACTS.flatMap((act, week) =>
  BRANDS.flatMap((brand) =>
    act(brand).map((title, index) =>
      storyEvent({
        brand,
        title,
        outlet: ['Retail Post', 'Startup Wire'][index] ?? '',
        first_seen_at: `2026-07-${10 + week}T0${index + 6}:00:00.000Z`,
        understanding: { move: week ? 'people' : 'deals' },
      }),
    ),
  ),
);

const publish = (topic: Topic, stories: readonly StoryEvent[]): Promise<void> =>
  topic.publish(stories.map((event) => ({ key: event.data.understanding.brands[0]?.slug ?? '', event })));

const handled = (topic: Topic): Promise<void> =>
  vi.waitFor(async () => expect(await topic.lag(MATCH_GROUP)).toBe(0n), WAIT_OPTIONS);

async function signalEvents(store: EventStore) {
  return (await store.readAll({ after: 0n, prefixes: [SIGNAL_PREFIX], limit: 10_000 })).events;
}

async function undisturbed(): Promise<string[]> {
  const store = memoryStore();
  const tracker = openTracker(store, logger);
  await tracker.catchUp();
  for (const story of STORIES_OF_ALL) await handleStory(tracker, store, story);
  return (await signalEvents(store)).map(({ id }) => id).sort();
}

describe('a matcher that died within a merge of twins', () => {
  it.each([0, 1])('given %d events of it were written, when one starts, then they are one signal', async (written) => {
    const store = memoryStore();
    const [mine, theirs] = [openTracker(store, logger), openTracker(store, logger)];
    await Promise.all([mine.catchUp(), theirs.catchUp()]);
    const [first, second] = STORIES_OF_ALL as [StoryEvent, StoryEvent];
    await handleStory(theirs, store, first);
    const outcome = await handleStory(mine, store, second);
    const merges = async (): Promise<string[]> =>
      (await signalEvents(store))
        .map(({ type }) => type)
        .filter((type) => type !== 'SignalDetected' && type !== 'SignalJoined');
    if (written > 0) {
      store.dieAt(written + 1, 'before');
      await mine.catchUp();
      await expect(settleRaces(mine, [outcome], new AbortController().signal)).rejects.toThrow(Died);
    }
    expect(await merges()).toHaveLength(written);
    const next = openTracker(store, logger);
    await next.catchUp();
    await completeMerges(next);
    await completeMerges(next);
    expect(await merges()).toEqual(['SignalReported', 'SignalMerged']);
  });
});

describe('the matcher on PostgreSQL', () => {
  let test: TestDatabase;
  let store: EventStore;
  let topics: Topics;
  let stories: Topic;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    test = await logDatabase();
    store = postgresEventStore(test.database);
    topics = postgresTopics(test.database);
    stories = topics.topic(STORIES);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await topics.close();
    await store.close();
    await test.close();
  });

  const matching = (signal: AbortSignal): MatchOptions => ({
    stories,
    store,
    logger,
    signal,
    deadLetters: postgresDeadLetters(test.database),
  });

  const matcher = (): ChildProcess => {
    const script = fileURLToPath(new URL('matcher-process.ts', import.meta.url));
    const child = spawn(process.execPath, [script, test.url], { stdio: ['ignore', 'inherit', 'inherit'] });
    children.push(child);
    return child;
  };

  it('loses and duplicates nothing when it is killed repeatedly', async () => {
    const wanted = await undisturbed();
    await publish(stories, STORIES_OF_ALL);
    for (const enough of [3, 9, 15]) {
      const child = matcher();
      await vi.waitFor(async () => expect((await signalEvents(store)).length).toBeGreaterThanOrEqual(enough), {
        timeout: 20_000,
        interval: 5,
      });
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    matcher();
    await handled(stories);
    expect((await signalEvents(store)).map(({ id }) => id).sort()).toEqual(wanted);
  });

  it('given two, of which one is killed repeatedly, then nothing is lost or in two signals', async () => {
    // Reports of one event are in two partitions: keyed by outlet.
    await stories.publish(STORIES_OF_ALL.map((event) => ({ key: event.data.item.outlet, event })));
    matcher();
    for (const enough of [3, 9, 15]) {
      const child = matcher();
      await vi.waitFor(async () => expect((await signalEvents(store)).length).toBeGreaterThanOrEqual(enough), {
        timeout: 20_000,
        interval: 5,
      });
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await handled(stories);
    const events = await signalEvents(store);
    const idsOf = (wanted: string) =>
      events.flatMap(({ type, data }) => (type === wanted ? [(data as { signal_id: string }).signal_id] : []));
    const merged = idsOf('SignalMerged');
    const remaining = idsOf('SignalDetected').filter((id) => !merged.includes(id));
    expect(new Set(remaining).size).toBe(BRANDS.length * ACTS.length);
    const reported = events.flatMap(({ data }) => {
      const { signal_id, report: one } = data as { signal_id: string; report?: { url: string } };
      return one && remaining.includes(signal_id) ? [one.url] : [];
    });
    expect(reported.sort()).toEqual(STORIES_OF_ALL.map(({ data }) => data.item.url).sort());
  });

  it('continues after a story that cannot be read, and stops when aborted', async () => {
    const stop = new AbortController();
    const running = runMatcher(matching(stop.signal));
    const [good] = STORIES_OF_ALL as [StoryEvent];
    await stories.publish([{ key: 'x', event: { ...good, id: crypto.randomUUID(), data: { item: null } } }]);
    await publish(stories, [good]);
    await handled(stories);
    expect((await signalEvents(store)).map(({ type }) => type)).toEqual(['SignalDetected']);
    expect(await listDeadLetters(test.database)).toMatchObject([{ group_name: MATCH_GROUP, kind: 'bad input' }]);
    stop.abort();
    await running;
  });

  it('makes one signal of an event that two matchers handle at once', async () => {
    const mine = openTracker(store, logger);
    await mine.catchUp();
    const [first, second] = STORIES_OF_ALL as [StoryEvent, StoryEvent];
    const theirs = openTracker(store, logger);
    await theirs.catchUp();
    await handleStory(theirs, store, first);
    await handleStory(mine, store, second);
    const stop = new AbortController();
    const running = runMatcher(matching(stop.signal));
    await publish(stories, [storyEvent({ ...report(first), outlet: 'City Ledger', url: 'https://c.example/3' })]);
    await handled(stories);
    const events = await signalEvents(store);
    expect(events.filter(({ type }) => type === 'SignalMerged')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'SignalReported')).toHaveLength(2);
    stop.abort();
    await running;
  });
});

const report = ({ data }: StoryEvent) => ({
  title: `${data.item.title} again`,
  brand: data.understanding.brands[0]?.name ?? '',
  first_seen_at: data.item.first_seen_at,
  understanding: { move: data.understanding.move },
});
