/** Changes of the catalogue while items are found: understanding, matcher, operators and replay, killed at any append, in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareCatalogue } from '../../../facts/text/catalogue.ts';
import { correctSignal, splitReport } from '../../../ingest/correct-signals.ts';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { type Affected, replayItems } from '../../../ingest/replay-items.ts';
import { mergeSignal, releaseSignal, retractSignal } from '../../../ingest/review-signals.ts';
import { createStory, type EncodedVerdict, type Understander } from '../../../ingest/understand/understander.ts';
import { type EventStore, withAppend } from '../../../log/event-store.ts';
import type { Message, Topic } from '../../../log/topic.ts';
import { CatalogueFile } from '../../../schemas/catalogue.ts';
import { type KnownEvent, newEvent } from '../../../schemas/events.ts';
import type { ItemKey } from '../../../schemas/poll.ts';
import { eventId, fingerprint } from '../../../schemas/scalar.ts';
import { itemName, signalOfStream } from '../../../schemas/signal.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { CannotReview } from '../../../signal/review-decisions.ts';
import { storedStates } from '../../end-to-end/state.ts';
import { sourceId } from '../../harness/ids.ts';
import { brandRef } from '../../projector/signal-events.ts';
import { Died, type MemoryStore, memoryStore } from '../match/memory-store.ts';
import { storyOf } from '../match/stories.ts';
import { logger, signalEvents, trackerOf } from '../match/trackers.ts';

const START = Date.parse('2026-07-06T08:00:00.000Z');
const MINUTE = 60_000;
const never = new AbortController().signal;

/** Two events, whose brand every catalogue names otherwise. */
const BRANDS = ['Mithila Sweets', 'Brewbarn'] as const;
const TITLES = ['Mithila Sweets opens its 12th shop in Patna', 'Brewbarn opens its first cafe in Ranchi'] as const;
const CITIES = ['Patna', 'Ranchi'] as const;
type Found = KnownEvent<'ItemFound'>['data'];
const page = (outlet: string, event: 0 | 1, authority: number, more: Partial<Found> = {}) => {
  const url = `https://${outlet.toLowerCase()}.example/${event}`;
  const item_key = url as ItemKey;
  const published_at = new Date(START).toISOString();
  return { event, item: { outlet, authority, url, item_key, published_at, on_own_site: true, ...more } };
};
/** Three reports of each event, one without a date and one of long ago; a lister has the page of another, under a key that a third source uses too. */
const PAGES = [
  page('Alpha', 0, 0.5),
  page('Alpha', 1, 0.5),
  page('Beta', 0, 0.8),
  page('Beta', 1, 0.9, { published_at: '2026-05-01T08:00:00.000Z' }),
  page('Gamma', 0, 0.3, { published_at: null, item_key: 'x' as ItemKey }),
  page('Gamma', 1, 0.7),
  page('Lister', 0, 0.1, { url: 'https://alpha.example/0', item_key: 'x' as ItemKey, on_own_site: false }),
] as const;
const WORDINGS = ['', ' today', ', it says'] as const;
const CATALOGUES = 3;
const EVERYTHING: Affected = { item: () => true, understanding: () => true };

const empty = prepareCatalogue({ ...CatalogueFile.parse({ sources: ['made up'] }), version: 'made-up' });

/** What an item says by one of three catalogues: by the last one, one wording of the second event is no move. */
const understanderOf = (catalogue: number): Understander => ({
  catalogue: empty,
  version: `rules-1+catalogue-${catalogue}`,
  isEncoded: false,
  encode: null,
  async understand({ title }) {
    const event = title.startsWith(BRANDS[0]) ? 0 : 1;
    const brand = catalogue === 1 ? `${BRANDS[event]} Stores` : BRANDS[event];
    const opening = {
      brand,
      city: CITIES[event],
      mall: null,
      locality: null,
      stores: null,
      status: 'opened',
      date: null,
    };
    const { understanding } = storyOf({
      title,
      understanding: {
        brands: [brandRef(`brand-${event}`, brand)],
        cities: [CITIES[event]],
        openings: catalogue === 2 ? [] : [opening as never],
      },
    });
    const relevant = !(catalogue === 2 && event === 1 && title.endsWith(WORDINGS[1]));
    return { relevant, understanding, vector: null, meaning: null, certainty: undefined } as unknown as EncodedVerdict;
  },
});

/** A topic of items in memory with one partition, which is read to its end. */
function memoryTopic(events: readonly KnownEvent<'ItemFound'>[]): Topic {
  let reading: Promise<void> | null = null;
  return {
    name: 'items',
    lag: async () => {
      await reading;
      return reading ? 0n : BigInt(events.length);
    },
    consume: async ({ handle, signal }) => {
      const messages = events.map((event, at) => ({ key: event.data.url, event, offset: BigInt(at) }));
      reading = handle({ partition: 0, messages, from: 0n, to: BigInt(messages.length) });
      await reading;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    deleteGroup: async () => {
      reading = null;
      return true;
    },
  } as Partial<Topic> as Topic;
}

const COMMANDS = ['merge', 'split', 'correct', 'empty', 'retract', 'release'] as const;
const operation = fc.record({ command: fc.constantFrom(...COMMANDS), one: fc.nat(5), number: fc.nat(5) });
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

/** The service: what its polls found, the stories of that, and how far the matcher is. */
class Service {
  readonly store: MemoryStore = memoryStore();
  readonly items: KnownEvent<'ItemFound'>[] = [];
  readonly stories: StoryEvent[] = [];
  catalogue = 0;
  #understood = 0;
  #matched = 0;
  #matching: Promise<void> = Promise.resolve();
  #runs = 0;
  readonly #through: EventStore;

  /** @param turn awaited before each access to the store */
  constructor(turn: <Result>(work: () => Promise<Result>) => Promise<Result> = (work) => work()) {
    const { store } = this;
    this.#through = {
      ...withAppend(store, (...append) => turn(() => store.append(...append))),
      read: (...read) => turn(() => store.read(...read)),
      readAll: (options) => turn(() => store.readAll(options)),
    };
  }

  clock = (): Date => new Date(START + (PAGES.length + this.items.length) * MINUTE);

  find(page: number, words: number): void {
    const { event, item } = PAGES[page] ?? PAGES[0];
    const title = `${TITLES[event]}${WORDINGS[words]}`;
    const source_id = sourceId(item.outlet.toLowerCase());
    const before = this.items.findLast(({ data }) => itemName(data) === itemName({ ...item, source_id }))?.data;
    if (before?.title === title) return;
    const edits = before ? (before.edits ?? 0) + 1 : 0;
    const data: Found = {
      ...item,
      source_id,
      role: 'news',
      title,
      summary: null,
      first_seen_at: before?.first_seen_at ?? this.clock().toISOString(),
      language: 'en',
      edits,
      fingerprint: fingerprint(title, null, item.published_at),
    };
    const id = eventId('item', data.source_id, data.item_key, data.fingerprint, edits);
    this.items.push(newEvent('ItemFound', data, { id, time: this.clock().toISOString() }));
  }

  async understand(): Promise<void> {
    while (this.#understood < this.items.length) {
      const item = this.items[this.#understood++];
      const made = item && (await createStory(item, understanderOf(this.catalogue)));
      if (made) this.stories.push(made.event as StoryEvent);
    }
  }

  /** The topic `stories` in memory. A publication can die as an append: a story is then in it or not. */
  readonly #topic = {
    name: 'stories',
    publish: async (messages: readonly Message[]) => {
      for (const { key, event } of messages) {
        const story = event as StoryEvent;
        expect(key).toBe(story.data.understanding.brands[0]?.slug);
        const isStored = () => this.store.events.some(({ id }) => id === story.id);
        await this.#through.append('stories', [story], 'any').finally(() => isStored() && this.stories.push(story));
      }
    },
  } as Partial<Topic> as Topic;

  /** Matches what is understood, as the only matcher; after a kill, all of the batch comes again. */
  match(): Promise<void> {
    this.#matching = this.#matching.then(async () => {
      const end = this.stories.length;
      await untilAlive(async () => {
        const tracker = await trackerOf(this.#through, { clock: this.clock });
        for (const story of this.stories.slice(this.#matched, end)) await handleStory(tracker, this.#through, story);
      });
      this.#matched = end;
    });
    return this.#matching;
  }

  /** One command of an operator, on signals by number; one that cannot be done is refused, one that is killed is given again. */
  async operate({ command, one, number }: Operation): Promise<void> {
    const ids = this.store.events.flatMap(({ type, stream }) =>
      type === 'SignalDetected' ? [signalOfStream(stream)] : [],
    );
    const [id, into] = [ids[one % ids.length], ids[number % ids.length]];
    if (!id || !into) return;
    const store = this.#through;
    const review = { by: 'asha', why: 'checked', time: new Date(START).toISOString(), id: crypto.randomUUID() };
    const none = () => null;
    // By its address: its number can be another one when the command is given again.
    const split = (PAGES[number % PAGES.length] ?? PAGES[0]).item;
    const run: Record<Operation['command'], () => Promise<unknown>> = {
      merge: () => mergeSignal(store, id, into, review),
      split: () => splitReport(store, id, split.url, number % 2 ? into : undefined, null, review),
      correct: () => correctSignal(store, id, { cities: 'Gaya' }, none, review),
      empty: () => correctSignal(store, id, { openings: '' }, none, review),
      retract: () => retractSignal(store, id, review),
      release: () => releaseSignal(store, id, review),
    };
    await untilAlive(run[command]).catch((error: unknown) => {
      if (!(error instanceof CannotReview)) throw error;
    });
  }

  /** Applies the catalogue to what was understood before, as the service does after a change. @returns events and stories written */
  async understandAgain(): Promise<number> {
    return untilAlive(async () => {
      const { appended, stories } = await replayItems({
        items: memoryTopic(this.items),
        stories: this.#topic,
        store: this.#through,
        understander: understanderOf(this.catalogue),
        logger,
        id: eventId('run', this.#runs++),
        clock: this.clock,
        dry: false,
        affected: EVERYTHING,
        signal: never,
        onProgress: () => undefined,
        untilMatched: async () => {
          await this.understand();
          await this.match();
        },
      });
      return Object.values(appended).reduce((sum, many) => sum + many, stories);
    });
  }
}

/** Starts work again after each kill. */
async function untilAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
}

/** Each item is in one signal, once, with its last words; each story has an event; and a further run has nothing to do. */
async function expectWhole(service: Service): Promise<void> {
  await service.understandAgain();
  await service.match();
  expect(await service.understandAgain()).toBe(0);
  const { left, twice } = storedStates(signalEvents(service.store));
  expect(twice).toEqual([]);
  const held = Map.groupBy(
    left.flatMap(({ id, reports }) => reports.map((report) => ({ id, report }))),
    ({ report }) => itemName(report),
  );
  const inOrder = service.stories.toSorted((a, b) => (a.data.item.edits ?? 0) - (b.data.item.edits ?? 0));
  const last = new Map(inOrder.map((story) => [itemName(story.data.item), story]));
  for (const [name, { data }] of last) {
    const reports = held.get(name) ?? [];
    expect(
      reports.map(({ id }) => id),
      name,
    ).toHaveLength(1);
    expect(reports[0]?.report.title).toBe(data.item.title);
  }
}

const kill = fc.option(
  fc.record({ appends: fc.integer({ min: 1, max: 4 }), when: fc.constantFrom('before' as const, 'after' as const) }),
);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('find' as const),
      page: fc.nat(PAGES.length - 1),
      words: fc.nat(2),
      kill: fc.constant(null),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('understand' as const), kill: fc.constant(null) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('match' as const), kill }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('operate' as const), operation, kill }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('change' as const), catalogue: fc.nat(CATALOGUES - 1), kill }),
  },
);

describe('items that are understood by a changed catalogue', () => {
  it('given kills between any two appends, and operators, in any order, then each item is in one signal once, and each story is reported', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
        const service = new Service();
        for (const one of steps) {
          if (one.kill) service.store.dieAt(one.kill.appends, one.kill.when);
          if (one.act === 'find') service.find(one.page, one.words);
          else if (one.act === 'understand') await service.understand();
          else if (one.act === 'match') await service.match();
          else if (one.act === 'operate') await service.operate(one.operation);
          else {
            service.catalogue = one.catalogue;
            await service.understandAgain();
          }
        }
        await expectWhole(service);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 200) },
    );
  });

  it('given items that are found, edited, matched and reviewed while a change is applied, and kills, then the same', async () => {
    const found = fc.array(fc.tuple(fc.nat(PAGES.length - 1), fc.nat(2)), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        found,
        found,
        fc.nat(2),
        fc.nat(2),
        kill,
        fc.array(operation, { maxLength: 3 }),
        async (s, first, then, was, is, dies, review) => {
          const service = new Service((work) => s.schedule(Promise.resolve()).then(work));
          service.catalogue = was;
          for (const [page, words] of first) service.find(page, words);
          await service.understand();
          await s.waitFor(service.match());
          service.catalogue = is;
          if (dies) service.store.dieAt(dies.appends, dies.when);
          const meanwhile = async () => {
            for (const [page, words] of then) {
              service.find(page, words);
              await service.understand();
              await service.match();
            }
          };
          const operators = async () => {
            for (const one of review) await service.operate(one);
          };
          await s.waitFor(Promise.all([service.understandAgain(), meanwhile(), operators()]));
          await s.waitFor(expectWhole(service));
        },
      ),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 100) },
    );
  });
});
