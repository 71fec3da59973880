import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { openTracker } from '../../../ingest/match/signal-tracker.ts';
import { emptyStore } from '../../../ingest/replay/dry-store.ts';
import { readEvent } from '../../../schemas/events.ts';
import { signalStream } from '../../../schemas/signal.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { foldSignal } from '../../../signal/signal.ts';
import { storyEvent, type TestStory } from './stories.ts';

const logger = pino({ level: 'silent' });

/** What the outlets publish over three weeks: reports of one event on several days, events alike, old news, a digest. */
const WEEKS: readonly [
  day: number,
  outlet: string,
  brand: string,
  move: 'deals' | 'stores' | 'people',
  title: string,
][] = [
  [1, 'Alpha', 'Anaya Silks', 'deals', 'Anaya Silks raises ₹42 crore from Kestrel Capital to open 30 saree stores'],
  [1, 'Beta', 'Anaya Silks', 'deals', 'Saree brand Anaya Silks bags Rs 42 Cr led by Kestrel Capital'],
  [2, 'Gamma', 'Anaya Silks', 'deals', 'Kestrel Capital leads ₹42-cr round in Anaya Silks'],
  [5, 'Delta', 'Anaya Silks', 'stores', 'What the ₹42 crore of Kestrel Capital means for saree stores of Anaya Silks'],
  [3, 'Alpha', 'Mithila Sweets', 'stores', 'Mithila Sweets opens its 12th shop in Patna'],
  [3, 'Beta', 'Mithila Sweets', 'stores', 'Mithila Sweets opens 12th shop, in Patna'],
  [9, 'Gamma', 'Mithila Sweets', 'stores', 'Mithila Sweets opens its 13th shop in Ranchi'],
  [4, 'Alpha', 'Brewbarn', 'people', 'Brewbarn names Kavita Rao chief executive'],
  [4, 'Delta', 'Brewbarn', 'people', 'Brewbarn appoints Kavita Rao as chief executive officer'],
  [6, 'Beta', 'Brewbarn', 'people', 'Kavita Rao joins cafe chain Brewbarn as chief executive'],
  [6, 'Gamma', 'Tallgrass', 'deals', 'Shoe maker Tallgrass eyes ₹90 crore from Juniper Fund'],
  [19, 'Alpha', 'Tallgrass', 'deals', 'Shoe maker Tallgrass raises ₹90 crore from Juniper Fund'],
  [20, 'Beta', 'Tallgrass', 'deals', 'Tallgrass bags Rs 90 Cr from Juniper Fund'],
  [21, 'Delta', 'Anaya Silks', 'deals', 'Anaya Silks raises Rs 42 crore from Kestrel Capital'],
];

const AUTHORITY: Readonly<Record<string, number>> = { Alpha: 0.7, Beta: 0.5, Gamma: 0.5, Delta: 0.3 };
const stories = WEEKS.map(([day, outlet, brand, move, title]): StoryEvent => {
  const first_seen_at = new Date(Date.UTC(2026, 6, day, 8)).toISOString();
  const report: TestStory = { title, outlet, brand, first_seen_at, understanding: { move } };
  return storyEvent({ ...report, authority: AUTHORITY[outlet] ?? 0.5 });
});
const feeds = [...Map.groupBy(stories, ({ data }) => data.item.outlet).values()];

/** Every feed in its own order; each number says which feed is read next, among those that have something left. */
function interleave(turns: readonly number[]): StoryEvent[] {
  const left = feeds.map((feed) => [...feed]);
  return turns.flatMap((turn) => {
    const open = left.filter(({ length }) => length > 0);
    return open[turn % open.length]?.shift() ?? [];
  });
}

/** All signals in the end: reports, whether each counts, status, kind and headline. */
async function signalsOf(order: readonly StoryEvent[]): Promise<string[]> {
  const store = emptyStore();
  const tracker = openTracker(store, logger);
  const found = new Set<string>();
  const reported = [];
  for (const story of order) reported.push((await handleStory(tracker, store, story)).signal);
  for (const id of reported) {
    const state = foldSignal((await store.read(signalStream(tracker.window.resolve(id)))).map((one) => readEvent(one)));
    const reports = state?.reports.map(({ title, resurfaced }) => `${title}${resurfaced ? ' (again)' : ''}`).sort();
    found.add(JSON.stringify([reports, state?.status, state?.understanding.move, state?.understanding.headline]));
  }
  return [...found].sort();
}

describe('the order in which feeds are read', () => {
  it('given the items of three weeks, then events, a step further and old news are told apart', async () => {
    const inTime = stories.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
    const signals = (await signalsOf(inTime)).map((one) => JSON.parse(one) as [string[], string, string, string]);
    expect(signals.map(([reports, , , headline]) => [headline, reports.length])).toEqual([
      ['Anaya Silks raises ₹42 crore from Kestrel Capital to open 30 saree stores', 5],
      ['Brewbarn names Kavita Rao chief executive', 3],
      ['Mithila Sweets opens its 12th shop in Patna', 2],
      ['Mithila Sweets opens its 13th shop in Ranchi', 1],
      ['Shoe maker Tallgrass eyes ₹90 crore from Juniper Fund', 1],
      ['Shoe maker Tallgrass raises ₹90 crore from Juniper Fund', 2],
    ]);
  });

  it('given the same feeds in any interleaving, then the signals, their reports, kinds and headlines are the same', async () => {
    const wanted = await signalsOf(interleave(stories.map(() => 0)));
    const turns = fc.array(fc.nat(feeds.length - 1), { minLength: stories.length, maxLength: stories.length });
    await fc.assert(
      fc.asyncProperty(turns, async (order) => {
        expect(await signalsOf(interleave(order))).toEqual(wanted);
      }),
      { numRuns: 100 },
    );
  });
});
