import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitReport } from '../../../ingest/correct-signals.ts';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { completeMerges, mergeSignals } from '../../../ingest/match/merge-signals.ts';
import { mergeSignal } from '../../../ingest/review-signals.ts';
import { type KnownEvent, newEvent } from '../../../schemas/events.ts';
import { eventId, type SignalId } from '../../../schemas/scalar.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { idOf } from '../../../signal/report-decisions.ts';
import { Died, type MemoryStore, memoryStore } from './memory-store.ts';
import { storyEvent } from './stories.ts';
import { ownerOf, remainingSignals, trackerOf, typesOf } from './trackers.ts';

/** Each is reported by two outlets. */
const EVENTS = [
  ['Anaya Silks raises ₹42 crore from Kestrel Capital', 'Kestrel Capital leads Rs 42 Cr round in Anaya Silks'],
  ['Brewbarn names Kavita Rao chief executive', 'Kavita Rao appointed CEO of Brewbarn'],
  ['Mithila Sweets acquires Orangery for ₹130 crore', 'Orangery acquired by Mithila Sweets for Rs 130 crore'],
];
const STORIES = EVENTS.flatMap((titles) =>
  titles.map((title, index) => storyEvent({ title, outlet: ['Retail Post', 'Startup Wire'][index] ?? '' })),
);

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

/** What one of two writers does next: handles its next story, or reads on. */
const steps = fc.array(fc.record({ writer: fc.nat({ max: 1 }), act: fc.constantFrom('handle', 'handle', 'follow') }), {
  maxLength: 20,
});

/** The owner of the match has the first report of each event, a replay of items the second. */
async function ownerAndReplay(store: MemoryStore) {
  const replay = await trackerOf(store);
  return [
    { ...(await ownerOf(store)), stories: STORIES.filter((_, index) => index % 2 === 0) },
    { tracker: replay, follow: () => replay.catchUp(), stories: STORIES.filter((_, index) => index % 2 === 1) },
  ] as const;
}

async function take(writer: Awaited<ReturnType<typeof ownerAndReplay>>[number], store: MemoryStore): Promise<void> {
  const story = writer.stories.shift();
  if (story) await handleStory(writer.tracker, store, story);
}

describe('an owner of the match next to a replay of items', () => {
  it('given any order of their steps, when the owner has read all, then each event is one signal', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (order) => {
        const store = memoryStore();
        const writers = await ownerAndReplay(store);
        for (const { writer, act } of order) {
          const one = writers[writer] ?? writers[0];
          if (act === 'handle') await take(one, store);
          else await one.follow();
        }
        for (const writer of writers) while (writer.stories.length > 0) await take(writer, store);
        await writers[0].follow();
        expect(remainingSignals(store.events)).toHaveLength(EVENTS.length);
      }),
      { numRuns: 50 },
    );
  });

  it('given the owner dies at any append, when the next one starts, then each event is one signal', async () => {
    const deaths = fc.record({
      appends: fc.integer({ min: 1, max: 12 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    });
    await fc.assert(
      fc.asyncProperty(deaths, async ({ appends, when }) => {
        const store = memoryStore();
        const [owner, replay] = await ownerAndReplay(store);
        const stories = [...owner.stories];
        while (replay.stories.length > 0) await take(replay, store);
        store.dieAt(appends, when);
        try {
          while (owner.stories.length > 0) await take(owner, store);
          await owner.follow();
        } catch (error) {
          if (!(error instanceof Died)) throw error;
        }
        store.dieAt(Number.POSITIVE_INFINITY, 'before');
        // It committed no offset: the next owner gets all of its stories.
        const next = await ownerOf(store);
        await completeMerges(next.tracker);
        for (const story of stories) await handleStory(next.tracker, store, story);
        expect(remainingSignals(store.events)).toHaveLength(EVENTS.length);
      }),
      { numRuns: 40 },
    );
  });

  it.each([0, 1])(
    'given %d events of a merge were written, when the next one starts, then they are one signal',
    async (written) => {
      const store = memoryStore();
      const [owner, replay] = await ownerAndReplay(store);
      await take(owner, store);
      await take(replay, store);
      if (written > 0) {
        store.dieAt(written + 1, 'before');
        await expect(owner.follow()).rejects.toThrow(Died);
      }
      const merges = () => typesOf(store).filter((type) => type !== 'SignalDetected' && type !== 'SignalJoined');
      expect(merges()).toHaveLength(written);
      const next = await trackerOf(store);
      await completeMerges(next);
      await completeMerges(next);
      expect(merges()).toEqual(['SignalReported', 'SignalMerged']);
    },
  );

  it('given a report that an operator split off, whole or half way, then it stays apart', async () => {
    const store = memoryStore();
    const owner = await ownerOf(store);
    const stories = STORIES.slice(0, 2);
    for (const story of stories) await handleStory(owner.tracker, store, story);
    const [id] = remainingSignals(store.events) as [SignalId];
    const url = stories[1]?.data.item.url ?? '';
    const review = { by: 'asha', why: 'another event', time: '2026-07-07T08:00:00.000Z', id: eventId('split', 1) };
    const split = () => splitReport(store, id, url, undefined, null, review);
    // The slug and the new signal are written, the event of the signal that it left is not.
    store.dieAt(3, 'before');
    await expect(split()).rejects.toThrow(Died);
    await owner.follow();
    expect(remainingSignals(store.events)).toHaveLength(2);
    await split();
    await owner.follow();
    await completeMerges((await ownerOf(store)).tracker);
    expect(remainingSignals(store.events)).toHaveLength(2);
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
        const tracker = await trackerOf(store);
        for (const story of stories) await handleStory(tracker, store, story);
        expect(remainingSignals(store.events)).toHaveLength(ids.length);
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
        const matcher = await scheduler.waitFor(trackerOf(slow));
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
});
