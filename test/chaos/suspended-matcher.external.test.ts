/**
 * The owner of the match is suspended (SIGSTOP), as on a machine that swaps or is migrated, until its lock is lost and its
 * successor is at work; then it goes on (SIGCONT) with what it had in hand. Nothing is lost, and nothing is in two signals.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MATCH_GROUP } from '../../ingest/match/matcher.ts';
import { pause } from '../../log/backoff.ts';
import { listDeadLetters } from '../../log/dead-letters.ts';
import type { EventStore, StoredEvent } from '../../log/event-store.ts';
import { postgresEventStore } from '../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../log/postgres/topics/postgres-topics.ts';
import type { Topics } from '../../log/topic.ts';
import { itemName, SIGNAL_PREFIX } from '../../schemas/signal.ts';
import { STORIES } from '../../schemas/story.ts';
import type { StoryEvent } from '../../signal/report-decisions.ts';
import { storedStates, storiesWithoutReport } from '../end-to-end/state.ts';
import { type Clarity, startClarity } from '../harness/clarity.ts';
import { logDatabase, type TestDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { memoryStore } from '../ingest/match/memory-store.ts';
import { storyEvent } from '../ingest/match/stories.ts';
import { handleAll } from '../ingest/match/trackers.ts';

/** Milliseconds for which it is suspended at least; `npm run chaos` takes its time. */
const SUSPENDED = process.env.CHAOS === 'whole' ? 60_000 : 0;
/** The server ends the session of a suspended process after 20 s. */
const TAKEN_OVER = { timeout: 45_000, interval: 100 };
const HANDLED = { timeout: 60_000, interval: 50 };

const CITIES = ['Patna', 'Ranchi', 'Surat', 'Kochi', 'Indore', 'Nagpur', 'Jaipur', 'Bhopal', 'Pune', 'Lucknow'];
const BRANDS = ['Anaya Silks', 'Brewbarn', 'Mithila Sweets', 'Tallgrass', 'Kumbh Naturals', 'Orangery', 'Saanvi Looms'];

/** Reports of the same openings by three outlets: those of one opening are in one partition, by their brand. */
const NEWS: StoryEvent[] = ['Retail Post', 'Startup Wire', 'City Ledger'].flatMap((outlet, place) =>
  BRANDS.flatMap((brand, nth) =>
    CITIES.map((city, day) =>
      storyEvent({
        brand,
        title: `${brand} opens its ${10 * nth + day + 2}th shop in ${city}${['', ' today', ', it says'][place]}`,
        outlet,
        first_seen_at: `2026-07-${String(day + 10)}T0${place + 6}:00:00.000Z`,
        understanding: { cities: [city] },
      }),
    ),
  ),
);

describe('a matcher that is suspended', () => {
  let test: TestDatabase;
  let store: EventStore;
  let topics: Topics;
  const running: Clarity[] = [];
  beforeAll(async () => {
    test = await logDatabase();
    store = postgresEventStore(test.database);
    topics = postgresTopics(test.database);
  });
  afterAll(async () => {
    for (const { process } of running) process.kill('SIGCONT');
    await Promise.all(running.map((clarity) => clarity.kill()));
    await topics.close();
    await store.close();
    await test.close();
  });

  /** Starts `clarity match`. @returns with the number of stories that it has handled */
  async function matcher() {
    const port = await freePort();
    const clarity = startClarity(['match'], { DATABASE_URL: test.url, METRICS_PORT: String(port) });
    running.push(clarity);
    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await vi.waitFor(async () => expect(await metrics()).toContain('clarity_process'), HANDLED);
    const handled = async (): Promise<number> =>
      Number(/^clarity_messages_handled_total\{topic="stories".*\} (\d+)/m.exec(await metrics())?.[1] ?? 0);
    return { process: clarity.process, handled };
  }

  const publish = (stories: readonly StoryEvent[]): Promise<void> =>
    topics
      .topic(STORIES)
      .publish(stories.map((event) => ({ key: event.data.understanding.brands[0]?.slug ?? '', event })));
  const signalEvents = async (): Promise<readonly StoredEvent[]> =>
    (await store.readAll({ after: 0n, prefixes: [SIGNAL_PREFIX], limit: 10_000 })).events;

  it('given a successor at work, when it goes on, then nothing is lost and nothing is there twice', {
    timeout: 180_000,
  }, async () => {
    const owner = await matcher();
    const [before, during, after] = [NEWS.slice(0, 120), NEWS.slice(120, 170), NEWS.slice(170)];
    await publish(before);
    await vi.waitFor(async () => expect((await signalEvents()).length).toBeGreaterThan(20), HANDLED);
    owner.process.kill('SIGSTOP');
    const suspended = performance.now();
    // It has stories in hand.
    expect(await topics.topic(STORIES).lag(MATCH_GROUP)).toBeGreaterThan(0n);
    const successor = await matcher();
    await publish(during);
    await vi.waitFor(async () => expect(await topics.topic(STORIES).lag(MATCH_GROUP)).toBe(0n), TAKEN_OVER);
    await pause(Math.max(0, SUSPENDED - (performance.now() - suspended)));
    const byOwner = (await signalEvents()).length;
    expect(await successor.handled()).toBeGreaterThan(0);
    owner.process.kill('SIGCONT');
    await publish(after);
    await vi.waitFor(async () => expect(await topics.topic(STORIES).lag(MATCH_GROUP)).toBe(0n), HANDLED);
    // It is a standby: it goes on where its successor ends.
    successor.process.kill('SIGKILL');
    const later = NEWS.slice(0, 10).map(({ data: { item, understanding } }) =>
      storyEvent({
        ...item,
        item_key: `${item.url}-4`,
        url: `${item.url}-4`,
        outlet: 'Herald',
        source_id: 'herald',
        title: `${item.title} now`,
        understanding,
      }),
    );
    await publish(later);
    await vi.waitFor(async () => expect(await topics.topic(STORIES).lag(MATCH_GROUP)).toBe(0n), HANDLED);

    const events = await signalEvents();
    expect(events.length).toBeGreaterThan(byOwner);
    const memory = memoryStore();
    await handleAll(memory, [...NEWS, ...later]);
    const { left, twice } = storedStates(events);
    const undisturbed = storedStates(memory.events.filter(({ stream }) => stream.startsWith(SIGNAL_PREFIX)));
    expect(twice).toEqual([]);
    expect(left.map(({ slug }) => slug).toSorted()).toEqual(undisturbed.left.map(({ slug }) => slug).toSorted());
    const holders = Map.groupBy(
      left.flatMap(({ id, reports }) => reports.map((report) => ({ id, name: itemName(report) }))),
      ({ name }) => name,
    );
    expect(await storiesWithoutReport(topics.topic(STORIES), left)).toEqual([]);
    for (const { data } of [...NEWS, ...later])
      expect(holders.get(itemName(data.item)), data.item.title).toHaveLength(1);
    expect(await listDeadLetters(test.database)).toEqual([]);
  });
});
