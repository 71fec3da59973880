import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitReport } from '../../../ingest/correct-signals.ts';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { mergeSignals } from '../../../ingest/match/merge-signals.ts';
import { mergeSignal } from '../../../ingest/review-signals.ts';
import { type KnownEvent, newEvent } from '../../../schemas/events.ts';
import { eventId, type SignalId } from '../../../schemas/scalar.ts';
import { signalStream } from '../../../schemas/signal.ts';
import { idOf } from '../../../signal/report-decisions.ts';
import { Died, type MemoryStore, memoryStore } from './memory-store.ts';
import { storyEvent } from './stories.ts';
import { handleAll, remainingSignals, signalEvents, trackerOf } from './trackers.ts';

/** Of one event. */
const STORIES = [
  storyEvent({ title: 'Anaya Silks raises ₹42 crore from Kestrel Capital', outlet: 'Retail Post' }),
  storyEvent({ title: 'Kestrel Capital leads Rs 42 Cr round in Anaya Silks', outlet: 'Startup Wire' }),
];

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

describe('merging signals', () => {
  it('given a report that an operator split off, whole or half way, then it stays apart', async () => {
    const store = memoryStore();
    await handleAll(store, STORIES);
    const [id] = remainingSignals(store.events) as [SignalId];
    const url = STORIES[1]?.data.item.url ?? '';
    const review = { by: 'asha', why: 'another event', time: '2026-07-07T08:00:00.000Z', id: eventId('split', 1) };
    const split = () => splitReport(store, id, url, undefined, null, review);
    // The slug and the new signal are written, the event of the signal that it left is not.
    store.dieAt(3, 'before');
    await expect(split()).rejects.toThrow(Died);
    // Its story comes again.
    await handleAll(store, STORIES);
    expect(remainingSignals(store.events)).toHaveLength(2);
    await split();
    await handleAll(store, STORIES);
    expect(remainingSignals(store.events)).toHaveLength(2);
  });

  it('given an edit of a report that was split off a moment ago, then the signal that has it now says so', async () => {
    const store = memoryStore();
    await handleAll(store, STORIES);
    const [id] = remainingSignals(store.events) as [SignalId];
    const { url = '', item_key } = STORIES[1]?.data.item ?? {};
    // It knows where the report was, and reads the signal only when the edit comes.
    const tracker = await trackerOf(store);
    const review = { by: 'asha', why: 'another event', time: '2026-07-07T08:00:00.000Z', id: eventId('split', 1) };
    await splitReport(store, id, url, undefined, null, review);
    const title = 'Kestrel Capital leads Rs 43 Cr round in Anaya Silks';
    const edit = storyEvent({ title, outlet: 'Startup Wire', url, item_key, edits: 1 });
    expect(await handleStory(tracker, store, edit)).not.toBe(id);
    expect(signalEvents(store).at(-2)).toMatchObject({ type: 'SignalReported', data: { report: { title } } });
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
