import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { farKeys, nearKeys } from '../../../ingest/match/candidate-search.ts';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import {
  INDEX_SCHEMA,
  INDEX_VERSION,
  postgresSignalIndex,
  type SignalIndex,
} from '../../../ingest/match/signal-index.ts';
import { Tracker, type TrackerOptions } from '../../../ingest/match/signal-tracker.ts';
import { signalId } from '../../../schemas/scalar.ts';
import { SIGNAL_PREFIX } from '../../../schemas/signal.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { logDatabase, type TestDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';
import { storyEvent, type TestStory } from './stories.ts';

const logger = pino({ level: 'silent' });
const SMALL = 4;

let test: TestDatabase;
let index: SignalIndex;

beforeEach(async () => {
  test = await logDatabase();
  index = await postgresSignalIndex(test.database);
});
afterEach(() => test.close());

async function opened(store: MemoryStore, options: TrackerOptions = {}): Promise<Tracker> {
  const tracker = new Tracker(store, logger, {
    index,
    capacity: SMALL,
    clock: () => new Date('2026-08-01'),
    ...options,
  });
  await tracker.catchUp();
  return tracker;
}

/** Handles stories one by one, with the index saved after each. */
async function handleAll(store: MemoryStore, tracker: Tracker, stories: readonly StoryEvent[]): Promise<void> {
  for (const story of stories) {
    await handleStory(tracker, store, story);
    await tracker.catchUp();
    await tracker.save();
  }
}

const typesOf = (store: MemoryStore): string[] =>
  store.events.filter(({ stream }) => stream.startsWith(SIGNAL_PREFIX)).map(({ type }) => type);

const BRANDS = ['Anaya Silks', 'Brewbarn', 'Mithila Sweets', 'Tallgrass', 'Kumbh Naturals', 'Orangery', 'Zestmoor'];
const ACTS = [
  (brand: string) => `${brand} raises ₹42 crore from Kestrel Capital`,
  (brand: string) => `${brand} bags Rs 42 Cr led by Kestrel Capital`,
  (brand: string) => `${brand} names Kavita Rao chief executive`,
  (brand: string) => `Kavita Rao appointed CEO of ${brand}`,
  (brand: string) => `${brand} opens 30 stores in Pune`,
];

const storyOf = (brand: string, act: number, day: number, outlet: string): StoryEvent =>
  storyEvent({
    brand,
    outlet,
    title: (ACTS[act] as (brand: string) => string)(brand),
    first_seen_at: new Date(Date.UTC(2026, 6, 1 + day)).toISOString(),
    understanding: { move: act < 2 ? 'deals' : act < 4 ? 'people' : 'stores' },
  } satisfies TestStory);

describe('the index of all signals', () => {
  it('given a report after more signals than memory holds, then it joins the signal of its event', async () => {
    const store = memoryStore();
    const tracker = await opened(store);
    await handleAll(store, tracker, [storyOf('Anaya Silks', 0, 0, 'Retail Post')]);
    await handleAll(
      store,
      tracker,
      BRANDS.slice(1).map((brand, nth) => storyOf(brand, 4, nth % 3, 'City Ledger')),
    );
    const first = signalId(storyOf('Anaya Silks', 0, 0, 'Retail Post').data.item.url);
    expect(tracker.window.size).toBeLessThanOrEqual(SMALL);
    expect(tracker.window.has(first)).toBe(false);

    await handleAll(store, tracker, [storyOf('Anaya Silks', 1, 2, 'Startup Wire')]);
    expect(store.events.at(-1)).toMatchObject({ type: 'SignalReported', data: { signal_id: first } });
  });

  it('given an item that a signal holds which memory lacks, when it comes again, then nothing is written', async () => {
    const store = memoryStore();
    const tracker = await opened(store);
    const stories = BRANDS.map((brand, nth) => storyOf(brand, 0, nth % 2, 'Retail Post'));
    await handleAll(store, tracker, stories);
    const before = store.events.length;
    await handleAll(store, tracker, stories);
    expect(store.events).toHaveLength(before);
  });

  it('given any stories and any capacity, then what is written is the same as with all signals in memory', async () => {
    const story = fc.record({
      brand: fc.constantFrom(...BRANDS),
      act: fc.nat(ACTS.length - 1),
      day: fc.integer({ min: 0, max: 20 }),
      outlet: fc.constantFrom('Retail Post', 'Startup Wire', 'City Ledger'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(story, { minLength: 10, maxLength: 40 }),
        fc.integer({ min: 1, max: 8 }),
        async (some, capacity) => {
          const stories = some.map(({ brand, act, day, outlet }) => storyOf(brand, act, day, outlet));
          const [all, little] = [memoryStore(), memoryStore()];
          await handleAll(all, await opened(all, { index: undefined, capacity: 10_000 }), stories);
          await test.database.query(
            `TRUNCATE ${INDEX_SCHEMA}.signal, ${INDEX_SCHEMA}.signal_key, ${INDEX_SCHEMA}.signal_name, ${INDEX_SCHEMA}.checkpoint`,
          );
          let tracker = await opened(little, { capacity });
          for (const [nth, one] of stories.entries()) {
            await handleAll(little, tracker, [one]);
            // Now and then another process goes on with what the index and the store say.
            if (nth % 7 === 6) tracker = await opened(little, { capacity });
          }
          // An attempt at a merge has an id of its own.
          const written = ({ events }: Pick<typeof all, 'events'>) =>
            events.map((event) => (event.type === 'SignalJoined' ? { ...event, id: null } : event));
          expect(written(little)).toEqual(written(all));
        },
      ),
      { numRuns: 5 },
    );
  });

  it('given an index, when a matcher starts, then only what lies behind it is read, whatever was not saved', async () => {
    const store = memoryStore();
    const tracker = await opened(store);
    await handleAll(
      store,
      tracker,
      BRANDS.map((brand) => storyOf(brand, 0, 0, 'Retail Post')),
    );
    const saved = await index.open(() => store.head());
    // Not saved: the process dies here.
    await handleStory(tracker, store, storyOf('Anaya Silks', 1, 1, 'Startup Wire'));
    const starts: bigint[] = [];
    const watched: MemoryStore = {
      ...store,
      readAll: (options) => {
        starts.push(options.after);
        return store.readAll(options);
      },
    };
    const next = await opened(watched);
    expect(starts[0]).toBe(saved);
    const before = store.events.length;
    await handleAll(store, next, [
      storyOf('Anaya Silks', 1, 1, 'Startup Wire'),
      storyOf('Anaya Silks', 1, 1, 'City Ledger'),
    ]);
    expect(typesOf(store).slice(-1)).toEqual(['SignalReported']);
    expect(store.events).toHaveLength(before + 1);
  });

  it('given another writer, then it is seen what that wrote of signals that memory lacks', async () => {
    const store = memoryStore();
    const [mine, theirs] = [await opened(store), await opened(store)];
    await handleAll(
      store,
      mine,
      BRANDS.map((brand) => storyOf(brand, 0, 0, 'Retail Post')),
    );
    await theirs.catchUp();
    await theirs.save();
    const late = storyOf('Anaya Silks', 1, 1, 'Startup Wire');
    await handleAll(store, mine, [late]);
    await theirs.catchUp();
    expect(await theirs.ofItem(late.data.item)).toBe(
      signalId(storyOf('Anaya Silks', 0, 0, 'Retail Post').data.item.url),
    );
    await theirs.save();
    const [known] = await theirs.near(theirs.features(late.data));
    expect(known?.reports).toHaveLength(2);
  });

  it('given missing events, as after a restore, then it is rebuilt', async () => {
    const store = memoryStore();
    await handleAll(store, await opened(store), [
      storyOf('Brewbarn', 0, 0, 'Retail Post'),
      storyOf('Orangery', 0, 0, 'Retail Post'),
    ]);
    const restored = memoryStore();
    const tracker = await opened(restored);
    expect(tracker.window.size).toBe(0);
    expect(await index.newest(10)).toEqual([]);
  });

  it('given a process that saves while another one starts, then the index is kept', async () => {
    const store = memoryStore();
    const running = await opened(store);
    await handleAll(store, running, [storyOf('Brewbarn', 0, 0, 'Retail Post')]);
    const saving = await test.database.connect();
    let reads = 0;
    let starting: Promise<bigint> | undefined;
    try {
      await saving.query('BEGIN');
      await saving.query(`SELECT FROM ${INDEX_SCHEMA}.checkpoint FOR UPDATE`);
      starting = index.open(async () => {
        reads += 1;
        return store.head();
      });
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => expect((await test.database.query(waiting)).rows.length + reads).toBeGreaterThan(0));
      // An end of the store that is read before the lock is older than what is saved under it.
      expect(reads).toBe(0);
      await handleStory(running, store, storyOf('Orangery', 0, 0, 'Retail Post'));
      await saving.query(`UPDATE ${INDEX_SCHEMA}.checkpoint SET position = $1`, [await store.head()]);
      await saving.query('COMMIT');
    } finally {
      saving.release(true);
    }
    expect(await starting).toBe(await store.head());
    expect(await index.newest(10)).toHaveLength(1);
  });

  it('given the index of another release, then it stays as it is, and the own one is filled from the store', async () => {
    await test.database.query('CREATE SCHEMA match_99; CREATE TABLE match_99.checkpoint AS SELECT 7 AS position');
    const store = memoryStore();
    const tracker = await opened(store);
    await handleStory(tracker, store, storyOf('Brewbarn', 0, 0, 'Retail Post'));
    await tracker.catchUp();
    await tracker.save();
    expect(await index.newest(10)).toHaveLength(1);
    expect((await test.database.query('SELECT position FROM match_99.checkpoint')).rows).toEqual([{ position: 7 }]);
  });

  it('given the features and keys of this release, then they are those of the version of the index', () => {
    const tracker = new Tracker(memoryStore(), logger);
    const made = ACTS.flatMap((_, act) => {
      const features = tracker.features(storyOf('Anaya Silks', act, 3, 'Retail Post').data);
      return { ...features, near: nearKeys(features), far: farKeys(features) };
    });
    const digest = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 16);
    // When this fails, count INDEX_VERSION up and put the new digest here: saved features and keys no longer fit.
    expect({ version: INDEX_VERSION, digest }).toEqual({ version: 5, digest: 'fb9ac60b915680e6' });
  });
});
