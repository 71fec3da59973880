import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { mergeSignals, settleRaces, type WrittenReport } from '../../../ingest/match/merge-signals.ts';
import { openTracker, type Tracker } from '../../../ingest/match/signal-tracker.ts';
import { mergeSignal } from '../../../ingest/review-signals.ts';
import { type KnownEvent, newEvent } from '../../../schemas/events.ts';
import { eventId, type SignalId } from '../../../schemas/scalar.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { idOf } from '../../../signal/report-decisions.ts';
import { Died, type MemoryStore, memoryStore } from './memory-store.ts';
import { storyEvent } from './stories.ts';

const logger = pino({ level: 'silent' });
const forever = new AbortController().signal;
/** Each is reported by two outlets, of which one names another brand first: their stories are in two partitions. */
const EVENTS = [
  ['Anaya Silks raises ₹42 crore from Kestrel Capital', 'Kestrel Capital leads Rs 42 Cr round in Anaya Silks'],
  ['Brewbarn names Kavita Rao chief executive', 'Kavita Rao appointed CEO of Brewbarn'],
  ['Mithila Sweets acquires Orangery for ₹130 crore', 'Orangery acquired by Mithila Sweets for Rs 130 crore'],
];
const STORIES = EVENTS.flatMap((titles) =>
  titles.map((title, index) => storyEvent({ title, outlet: ['Retail Post', 'Startup Wire'][index] ?? '' })),
);

async function openMatcher(store: MemoryStore, shared = false): Promise<Tracker> {
  const tracker = openTracker(store, logger, { shared });
  await tracker.catchUp();
  return tracker;
}

/** Ids of the signals that were not merged into others. */
function remaining(store: MemoryStore): SignalId[] {
  const of = (type: string): SignalId[] =>
    store.events.filter((event) => event.type === type).map(({ data }) => (data as { signal_id: SignalId }).signal_id);
  return of('SignalDetected').filter((id) => !of('SignalMerged').includes(id));
}

/** The report that began one signal, as a report of another. */
function reportedIn(store: MemoryStore, signal: SignalId, signal_id: SignalId) {
  const first = store.events.find(({ stream }) => stream === signalStream(signal));
  if (!first) throw new Error(`no signal ${signal}`);
  const { report } = first.data as Extract<KnownEvent, { type: 'SignalDetected' }>['data'];
  const match = { score: 1, reasons: ['came with the other'] };
  const about = { id: eventId('reported', signal, signal_id), time: '2026-07-07T07:00:00.000Z' };
  return newEvent('SignalReported', { signal_id, report, match, resurfaced: false }, about);
}

/** The valid merges: by merged signal, the signal that it was merged into. */
const mergesOf = (store: MemoryStore): Map<string, string> =>
  new Map(
    store.events
      .filter(({ type }) => type === 'SignalMerged')
      .map(({ data }) => data as { signal_id: string; into: string })
      .map(({ signal_id, into }) => [signal_id, into]),
  );

/** The signal that a reader of another is led to. @throws Error for signals that lead to each other */
function ledTo(merges: ReadonlyMap<string, string>, signal: string): string {
  const seen = new Set<string>();
  for (let id = signal; ; id = merges.get(id) ?? id) {
    if (!merges.has(id)) return id;
    if (seen.has(id)) throw new Error(`${[...seen].join(' is merged into ')} is merged into ${id}`);
    seen.add(id);
  }
}

/** What one of two matchers does next: handles its next story, reads on, or ends a batch as the consumer does. */
const steps = fc.array(
  fc.record({ matcher: fc.nat({ max: 1 }), act: fc.constantFrom('handle', 'handle', 'read', 'settle') }),
  { maxLength: 30 },
);

interface Matcher {
  readonly tracker: Tracker;
  readonly stories: typeof STORIES;
  written: WrittenReport[];
}

const act = {
  async handle(matcher: Matcher, store: MemoryStore) {
    const story = matcher.stories.shift();
    if (story) matcher.written.push(await handleStory(matcher.tracker, store, story));
  },
  read: (matcher: Matcher) => matcher.tracker.catchUp(),
  async settle(matcher: Matcher) {
    await matcher.tracker.catchUp();
    await settleRaces(matcher.tracker, matcher.written, forever);
    matcher.written = [];
  },
};

const halves = (): [typeof STORIES, typeof STORIES] => [
  STORIES.filter((_, index) => index % 2 === 0),
  STORIES.filter((_, index) => index % 2 === 1),
];

async function twoMatchers(store: MemoryStore, shared: boolean): Promise<[Matcher, Matcher]> {
  const [even, odd] = halves();
  return [
    { tracker: await openMatcher(store, shared), stories: even, written: [] },
    { tracker: await openMatcher(store, shared), stories: odd, written: [] },
  ];
}

async function finish(matchers: readonly Matcher[], store: MemoryStore): Promise<void> {
  for (const matcher of matchers) {
    while (matcher.stories.length > 0) await act.handle(matcher, store);
    await act.settle(matcher);
  }
}

/** Reports by signal, whatever its id. */
function reportsBySignal(store: MemoryStore): string[] {
  const merges = mergesOf(store);
  const signals = new Map<string, Set<string>>();
  for (const { type, data } of store.events) {
    if (type !== 'SignalDetected' && type !== 'SignalReported') continue;
    const { signal_id, report } = data as Extract<KnownEvent, { type: 'SignalReported' }>['data'];
    const id = ledTo(merges, signal_id);
    signals.set(id, (signals.get(id) ?? new Set()).add(report.url));
  }
  return [...signals.values()].map((urls) => [...urls].sort().join(' ')).sort();
}

/** Stories of which half are of one brand: what it does, reported by three outlets each, and as many events of others. */
const HALF = [
  ['Kalanjali raises ₹42 crore from Kestrel Capital', 'Kestrel Capital leads Rs 42 Cr round in Kalanjali'],
  ['Kalanjali names Kavita Rao chief executive', 'Kavita Rao appointed CEO of Kalanjali'],
  ['Kalanjali to open 30 stores in Pune this year', 'Kalanjali plans 30 Pune stores'],
  ['Kalanjali acquires Orangery for ₹130 crore', 'Orangery bought by Kalanjali for Rs 130 crore'],
].flatMap((titles, nth) =>
  ['Kalanjali', ['Brewbarn', 'Tallgrass', 'Zestmoor', 'Saanvi Looms'][nth] as string].flatMap((brand) =>
    [...titles, `${titles[0]}, says report`].map((title, index) =>
      storyEvent({
        brand,
        title: title.replaceAll('Kalanjali', brand),
        outlet: ['Retail Post', 'Startup Wire', 'City Ledger'][index] ?? '',
        understanding: { move: (['deals', 'people', 'stores', 'deals'] as const)[nth] },
      }),
    ),
  ),
);

describe('several matchers, with half of all stories about one brand', () => {
  it('given its stories in all partitions, then the signals are those of one matcher', async () => {
    const alone = memoryStore();
    const single = await openMatcher(alone);
    for (const story of HALF) await handleStory(single, alone, story);
    const places = fc.array(fc.nat(3), { minLength: HALF.length, maxLength: HALF.length });
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 1, max: 9 }), async (matchers, batch) => {
        const store = memoryStore();
        const several: Matcher[] = [];
        for (let number = 0; number < 4; number++)
          several.push({ tracker: await openMatcher(store, true), stories: [], written: [] });
        for (const [nth, story] of HALF.entries()) {
          const matcher = several[matchers[nth] ?? 0] as Matcher;
          matcher.written.push(await handleStory(matcher.tracker, store, story));
          if (nth % batch === 0) await act.settle(matcher);
        }
        for (const matcher of several) await act.settle(matcher);
        expect(reportsBySignal(store)).toEqual(reportsBySignal(alone));
      }),
      { numRuns: 30 },
    );
    expect(reportsBySignal(alone)).toHaveLength(8);
  });
});

describe('two matchers that meet the same events', () => {
  it('given any order of their steps, when their batches have ended, then each event is one signal', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (order, shared) => {
        const store = memoryStore();
        const matchers = await twoMatchers(store, shared);
        for (const step of order) await act[step.act](matchers[step.matcher] as Matcher, store);
        await finish(matchers, store);
        expect(remaining(store)).toHaveLength(EVENTS.length);
      }),
      { numRuns: 50 },
    );
  });

  it('given one dies at any append, when the other takes its stories over, then each event is one signal', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 25 }),
        fc.constantFrom('before' as const, 'after' as const),
        fc.boolean(),
        async (order, appends, when, shared) => {
          const store = memoryStore();
          const matchers = await twoMatchers(store, shared);
          store.dieAt(appends, when);
          let dead: Matcher | undefined;
          try {
            for (const step of order) {
              dead = matchers[step.matcher];
              await act[step.act](dead as Matcher, store);
            }
            dead = undefined;
          } catch (error) {
            if (!(error instanceof Died)) throw error;
          }
          store.dieAt(Number.POSITIVE_INFINITY, 'before');
          const living = matchers.filter((matcher) => matcher !== dead);
          // The killed process committed no offset: the next owner of its partitions gets all of its stories again.
          const [heir] = living as [Matcher];
          if (dead) {
            await heir.tracker.catchUp();
            heir.stories.push(...(halves()[matchers.indexOf(dead)] ?? []));
          }
          await finish(living, store);
          expect(remaining(store)).toHaveLength(EVENTS.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('given merges in opposite directions at the same instant, in any order of their steps, then none leads back', async () => {
    const texts = ['Anaya Silks opens in Pune', 'Brewbarn opens in Patna', 'Orangery opens in Delhi'];
    const stories = texts.map((title) => storyEvent({ title }));
    const ids = stories.map(({ data }) => idOf(data)) as [SignalId, SignalId, SignalId];
    const [one, two, three] = ids;
    const directions = [
      { by: 'match', from: two, into: one },
      { by: 'asha', from: one, into: two },
      { by: 'asha', from: two, into: three },
      { by: 'vikram', from: three, into: one },
    ];
    const actors = fc.subarray(directions, { minLength: 2 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), actors, fc.boolean(), async (scheduler, merging, known) => {
        const store = memoryStore();
        const tracker = await openMatcher(store);
        for (const story of stories) await handleStory(tracker, store, story);
        expect(remaining(store)).toHaveLength(ids.length);
        // As merges leave them that met a conflict half way: then neither has to take a report over.
        if (known)
          for (const id of ids) {
            const reports = ids.filter((other) => other !== id).map((other) => reportedIn(store, other, id));
            await store.append(signalStream(id), reports, 'any');
          }
        await tracker.catchUp();
        const slow: MemoryStore = {
          ...store,
          read: (...of) => scheduler.schedule(Promise.resolve()).then(() => store.read(...of)),
          append: (...of) => scheduler.schedule(Promise.resolve()).then(() => store.append(...of)),
        };
        const matcher = await scheduler.waitFor(openMatcher(slow));
        const review = { why: 'one event', time: '2026-07-07T08:00:00.000Z' };
        const merges = merging.map(({ by, from, into }, number) =>
          by === 'match'
            ? mergeSignals(matcher, from, into, stories[0] as (typeof stories)[0])
            : mergeSignal(slow, from, into, { ...review, by, id: eventId(by, number) }),
        );
        // A late caller gets the error that the signal is already merged.
        await scheduler.waitFor(Promise.allSettled(merges));
        const led = ids.map((id) => ledTo(mergesOf(store), id));
        expect(mergesOf(store).size).toBeGreaterThan(0);
        expect(new Set(led).size).toBe(ids.length - mergesOf(store).size);
      }),
      { numRuns: 200 },
    );
  });

  it('given a matcher that waits for events of another, when it stops, then the batch fails and is redelivered', async () => {
    const store = memoryStore();
    const tracker = await openMatcher(store);
    const written = await handleStory(tracker, store, STORIES[0] as (typeof STORIES)[0]);
    const stop = new AbortController();
    const settled = settleRaces(tracker, [written], stop.signal);
    stop.abort(new Error('stopped'));
    await expect(settled).rejects.toThrow('stopped');
  });

  it('given no other writer, then nothing is read a second time', async () => {
    const store = memoryStore();
    const tracker = await openMatcher(store);
    const written: WrittenReport[] = [];
    for (const story of STORIES) written.push(await handleStory(tracker, store, story));
    await tracker.catchUp();
    expect(tracker.others).toBe(0n);
    const events = store.events.length;
    await settleRaces(tracker, written, forever);
    expect(store.events).toHaveLength(events);
  });
});
