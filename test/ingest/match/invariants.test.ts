import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitReport } from '../../../ingest/correct-signals.ts';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { mergeSignals } from '../../../ingest/match/merge-signals.ts';
import { holdSignal, mergeSignal, releaseSignal } from '../../../ingest/review-signals.ts';
import { fold, readForModel } from '../../../projector/apply-page.ts';
import { type SignalRow, signalsModel } from '../../../projector/models/signals-read-model.ts';
import { readEvent } from '../../../schemas/events.ts';
import { eventId, type SignalId } from '../../../schemas/scalar.ts';
import { itemName, signalOfStream } from '../../../schemas/signal.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { CannotReview } from '../../../signal/review-decisions.ts';
import { evolveSignal, type SignalState } from '../../../signal/signal.ts';
import { bestReport, countedOutlets } from '../../../signal/signal-reports.ts';
import { type MemoryStore, memoryStore } from './memory-store.ts';
import { storyEvent, type TestStory } from './stories.ts';
import { trackerOf } from './trackers.ts';

const START = Date.parse('2026-07-06T08:00:00.000Z');
const MINUTE = 60_000;

const TITLES = {
  funds: 'Anaya Silks raises ₹42 crore from Kestrel Capital',
  sweets: 'Mithila Sweets opens its 12th shop in Patna',
  chief: 'Brewbarn names Kavita Rao chief executive',
};
const BRANDS = { funds: 'Anaya Silks', sweets: 'Mithila Sweets', chief: 'Brewbarn' };
type Subject = keyof typeof TITLES;
const item = (outlet: string, key: string, url: string, subject: Subject, more: Partial<TestStory> = {}) => ({
  report: { outlet, item_key: key, url, brand: BRANDS[subject], authority: 0.5, ...more },
  title: TITLES[subject],
});
/** Keys that sources share, pages that others list, and one that lists a page as something that it is not. */
const ITEMS = [
  item('Alpha', '1', 'https://alpha.example/1', 'funds', { on_own_site: true }),
  item('Alpha', '2', 'https://alpha.example/2', 'sweets', { on_own_site: true }),
  item('Beta', '1', 'https://beta.example/1', 'funds', { on_own_site: true, authority: 0.8, summary: 'More.' }),
  item('Beta', '2', 'https://beta.example/2', 'chief', { on_own_site: true }),
  item('Lister', '1', 'https://alpha.example/1', 'funds', { on_own_site: false, authority: 0.1 }),
  item('Lister', 'x', 'https://beta.example/2', 'sweets', { on_own_site: false, authority: 0.1 }),
  item('Gamma', '9', 'https://gamma.example/9', 'funds'),
] as const;
const WORDINGS = ['', ' today', ', it says'];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('find' as const),
      item: fc.nat(ITEMS.length - 1),
      wording: fc.nat(WORDINGS.length - 1),
      date: fc.constantFrom('now', 'now', 'none', 'old'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('again' as const), story: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('hold' as const, 'release' as const), signal: fc.nat(9) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constantFrom('merge' as const, 'match' as const),
      signal: fc.nat(9),
      into: fc.nat(9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('split' as const), signal: fc.nat(9), item: fc.nat(ITEMS.length - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('catch up' as const, 'restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A newsroom whose polls, matcher and operators take the steps; the clock goes on by a minute with each. */
async function play(steps: readonly Step[]): Promise<{ store: MemoryStore; last: Map<string, StoryEvent> }> {
  const store = memoryStore();
  let minutes = 0;
  const clock = (): Date => new Date(START + minutes * MINUTE + 7_000);
  let tracker = await trackerOf(store, { clock });
  const stories: StoryEvent[] = [];
  const last = new Map<string, StoryEvent>();
  const signalIds = (): SignalId[] =>
    store.events.flatMap(({ type, stream }) => (type === 'SignalDetected' ? [signalOfStream(stream)] : []));
  for (const one of steps) {
    minutes += 1;
    const found_at = new Date(START + minutes * MINUTE).toISOString();
    const review = { by: 'asha', why: 'checked', time: clock().toISOString(), id: eventId('review', minutes) };
    const pick = (number: number): SignalId => signalIds()[number % signalIds().length] as SignalId;
    try {
      if (one.act === 'find') {
        const { report, title } = ITEMS[one.item] ?? ITEMS[0];
        const dates = { now: new Date(START).toISOString(), none: null, old: '2026-01-01T00:00:00.000Z' };
        const name = `${report.outlet}/${report.item_key}`;
        const before = last.get(name)?.data.item;
        const story = storyEvent({
          ...report,
          title: `${title}${WORDINGS[one.wording]}`,
          published_at: dates[one.date as keyof typeof dates],
          first_seen_at: before?.first_seen_at ?? found_at,
          found_at,
          edits: before ? (before.edits ?? 0) + 1 : 0,
        });
        if (before?.fingerprint === story.data.item.fingerprint) continue;
        last.set(name, story);
        stories.push(story);
        // Edits lie minutes apart, the matcher is behind by seconds at most.
        if (before) await tracker.catchUp();
        await handleStory(tracker, store, story);
      } else if (one.act === 'again') {
        const story = stories[one.story % Math.max(1, stories.length)];
        // A story comes again with its partition, whose new owner reads on first.
        await tracker.catchUp();
        if (story) await handleStory(tracker, store, story);
      } else if (one.act === 'catch up') await tracker.catchUp();
      else if (one.act === 'restart') tracker = await trackerOf(store, { clock });
      else if (signalIds().length === 0) continue;
      else if (one.act === 'hold') await holdSignal(store, pick(one.signal), review);
      else if (one.act === 'release') await releaseSignal(store, pick(one.signal), review);
      else if (one.act === 'merge') await mergeSignal(store, pick(one.signal), pick(one.into), review);
      else if (one.act === 'split') {
        const { report } = ITEMS[one.item] ?? ITEMS[0];
        await splitReport(store, pick(one.signal), report.url, undefined, null, review);
      } else if (one.act === 'match' && stories[0]) {
        await tracker.catchUp();
        await mergeSignals(tracker, pick(one.signal), pick(one.into), stories[0]);
      }
    } catch (error) {
      if (!(error instanceof CannotReview)) throw error;
    }
  }
  return { store, last };
}

const isSignal = ({ stream }: { stream: string }): boolean => stream.startsWith('signal-');

/** Folds the store event by event, and checks at each merge that what readers saw is not hidden. */
function statesIn(store: MemoryStore): Map<string, SignalState> {
  const states = new Map<string, SignalState>();
  for (const stored of store.events.filter(isSignal)) {
    const event = readEvent(stored);
    const id = stored.stream.slice('signal-'.length);
    const before = states.get(id) ?? null;
    const after = evolveSignal(before, event);
    if (after) states.set(id, after);
    if (event.type !== 'SignalMerged') continue;
    if (before?.status === 'public') expect(states.get(event.data.into)?.status).toBe('public');
    else expect(before?.status).not.toBe('merged');
  }
  return states;
}

function remaining(states: ReadonlyMap<string, SignalState>, id: string): SignalState | undefined {
  let state = states.get(id);
  for (let hop = 0; state?.mergedInto; hop++) {
    expect(hop).toBeLessThan(states.size);
    state = states.get(state.mergedInto);
  }
  return state;
}

/** A report that is written to a signal which the matcher has not read of, and then edited. */
const MERGED_INTO_UNREAD: Step[] = [
  { act: 'find', item: 1, wording: 0, date: 'now' },
  { act: 'find', item: 5, wording: 0, date: 'now' },
  { act: 'find', item: 0, wording: 0, date: 'now' },
  { act: 'restart' },
  { act: 'split', signal: 0, item: 5 },
  { act: 'merge', signal: 0, into: 2 },
  { act: 'merge', signal: 1, into: 2 },
  { act: 'find', item: 6, wording: 1, date: 'now' },
  { act: 'find', item: 6, wording: 0, date: 'now' },
];

describe('any events in any order', () => {
  it('given reports, edits, repetitions, restarts, holds, releases, splits and merges, then the invariants hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { store, last } = await play(steps);
        const states = statesIn(store);
        const left = [...states.values()].filter(({ status }) => status !== 'merged');

        for (const { reports, text, understanding } of states.values()) {
          expect(new Set(reports.map(itemName)).size).toBe(reports.length);
          // The text is that of the report that it is cited by, in its last wording.
          expect(reports).toContainEqual(text);
          expect(understanding.headline).toBe(text.title);
        }
        for (const { data } of last.values()) {
          const holders = left.filter(({ reports }) =>
            reports.some((report) => itemName(report) === itemName(data.item)),
          );
          expect(holders.length).toBeGreaterThan(0);
          for (const { reports } of holders)
            expect(reports.find((report) => itemName(report) === itemName(data.item))?.title).toBe(data.item.title);
        }

        const events = store.events.filter(isSignal);
        const signals = new Map<string, SignalRow | null>();
        const model = signalsModel({ baseUrl: 'https://clarity.test' });
        expect(fold(model, readForModel(model, events).taken, signals).refused).toEqual([]);
        for (const [id, state] of states) {
          expect(remaining(states, id)).toBeDefined();
          const row = signals.get(id);
          if (!row) throw new Error(`no row for ${id}`);
          expect([row.status, row.published_at]).toEqual([state.status, state.published_at]);
          expect(row.reports.map(({ outlet, title, url, resurfaced }) => ({ outlet, title, url, resurfaced }))).toEqual(
            state.reports.map(({ outlet, title, url, resurfaced }) => ({ outlet, title, url, resurfaced })),
          );
          const counted = state.reports.filter(({ resurfaced }) => !resurfaced).map(({ outlet }) => outlet);
          expect(countedOutlets(row.reports)).toEqual([...new Set(counted)]);
          const best = bestReport(row.reports, row.text_from);
          expect(ITEMS.some(({ report }) => report.outlet === best?.outlet && report.url === best?.url)).toBe(true);
          expect([best?.outlet, best?.title]).toEqual([state.text.outlet, row.text.headline]);
        }
      }),
      { numRuns: 100, examples: [[MERGED_INTO_UNREAD]] },
    );
  });
});
