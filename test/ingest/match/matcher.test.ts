import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MATCH_GROUP, type MatchOptions, runMatcher } from '../../../ingest/match/matcher.ts';
import { StreamContention } from '../../../log/command-handler.ts';
import { listDeadLetters, postgresDeadLetters } from '../../../log/dead-letters.ts';
import type { EventStore } from '../../../log/event-store.ts';
import { postgresEventStore } from '../../../log/postgres/postgres-event-store.ts';
import { postgresTopics } from '../../../log/postgres/topics/postgres-topics.ts';
import type { Topic, Topics } from '../../../log/topic.ts';
import { SIGNAL_PREFIX, signalStream } from '../../../schemas/signal.ts';
import { STORIES } from '../../../schemas/story.ts';
import { idOf, type StoryEvent } from '../../../signal/report-decisions.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { memoryStore } from './memory-store.ts';
import { storyEvent } from './stories.ts';
import { handleAll, logger, signalEvents as signalEventsOf } from './trackers.ts';

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

const handled = (topic: Topic): Promise<void> => eventually(async () => expect(await topic.lag(MATCH_GROUP)).toBe(0n));

async function signalEvents(store: EventStore) {
  return (await store.readAll({ after: 0n, prefixes: [SIGNAL_PREFIX], limit: 10_000 })).events;
}

async function undisturbed(): Promise<string[]> {
  const memory = memoryStore();
  await handleAll(memory, STORIES_OF_ALL);
  return signalEventsOf(memory)
    .map(({ id }) => id)
    .sort();
}

/** A matcher in a process of its own. */
interface MatcherProcess {
  readonly child: ChildProcess;
  /** Resolves when it owns the match. */
  readonly owns: Promise<void>;
}

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

  const matcher = (): MatcherProcess => {
    const script = fileURLToPath(new URL('matcher-process.ts', import.meta.url));
    const child = spawn(process.execPath, [script, test.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const { promise: owns, resolve } = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (JSON.parse(line).msg === 'matching') resolve();
    });
    return { child, owns };
  };

  const written = (minimum: number): Promise<void> =>
    eventually(async () => expect((await signalEvents(store)).length).toBeGreaterThanOrEqual(minimum));

  const asUndisturbed = async (): Promise<void> => {
    await handled(stories);
    expect((await signalEvents(store)).map(({ id }) => id).sort()).toEqual(await undisturbed());
  };

  it('given standbys, when the owner is killed repeatedly, then one goes on within 10 s, and nothing is lost or written twice', async () => {
    let owner = matcher();
    await owner.owns;
    await publish(stories, STORIES_OF_ALL);
    for (const minimum of [3, 9, 15]) {
      const standby = matcher();
      await written(minimum);
      owner.child.kill('SIGKILL');
      const killedAt = performance.now();
      await standby.owns;
      expect(performance.now() - killedAt).toBeLessThan(10_000);
      owner = standby;
    }
    await asUndisturbed();
  });

  it('given an owner that is suspended and loses its lock, when it goes on, then it writes nothing as an owner', async () => {
    const former = matcher();
    await former.owns;
    const [before, after] = [STORIES_OF_ALL.slice(0, 16), STORIES_OF_ALL.slice(16)];
    await publish(stories, before);
    await written(3);
    former.child.kill('SIGSTOP');
    const standby = matcher();
    // The server ends the session of a process that does not answer.
    await test.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database =
        (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await standby.owns;
    await publish(stories, after);
    await written(20);
    former.child.kill('SIGCONT');
    await asUndisturbed();
    // It is a standby now: it goes on when the owner is gone.
    standby.child.kill('SIGKILL');
    await publish(stories, [storyEvent({ ...report(STORIES_OF_ALL[0] as StoryEvent), url: 'https://c.example/3' })]);
    await handled(stories);
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

  it('given a story of a batch whose stream others keep writing to, then all others are handled once, and counted meanwhile', async () => {
    const batch = BRANDS.flatMap((brand) => ACTS.map((act) => storyEvent({ brand, title: act(brand)[0] ?? '' })));
    const streamOf = ({ data }: StoryEvent): string => signalStream(idOf(data));
    const contended = streamOf(batch[5] as StoryEvent);
    let isContended = true;
    const appends = new Map<string, number>();
    const busy: EventStore = {
      ...store,
      append: (stream, ...rest) => {
        appends.set(stream, (appends.get(stream) ?? 0) + 1);
        if (isContended && stream === contended) throw new StreamContention(stream);
        return store.append(stream, ...rest);
      },
    };
    const one = postgresTopics(test.database, { partitions: 1 });
    const stop = new AbortController();
    await publish(one.topic(STORIES), batch);
    const running = runMatcher({ ...matching(stop.signal), stories: one.topic(STORIES), store: busy });
    await eventually(() => expect(appends.get(contended)).toBeGreaterThan(2));
    // Offsets are handled in order: of this partition the contended story and those behind it are not yet.
    expect(await stories.lag(MATCH_GROUP)).toBe(BigInt(batch.length - 5));
    isContended = false;
    await handled(stories);
    stop.abort();
    await running;
    await one.close();
    const streams = batch.map(streamOf);
    expect((await signalEvents(store)).map(({ stream }) => stream).toSorted()).toEqual(streams.toSorted());
    for (const stream of streams) if (stream !== contended) expect(appends.get(stream)).toBe(1);
  });
});

const report = ({ data }: StoryEvent) => ({
  title: `${data.item.title} again`,
  brand: data.understanding.brands[0]?.name ?? '',
  first_seen_at: data.item.first_seen_at,
  understanding: { move: data.understanding.move },
});
