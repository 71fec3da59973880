import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Deal } from '../../../facts/deals/fields.ts';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { Tracker } from '../../../ingest/match/signal-tracker.ts';
import { emptyStore } from '../../../ingest/stream-items.ts';
import { readEvent } from '../../../schemas/events.ts';
import type { SignalId } from '../../../schemas/scalar.ts';
import { signalStream } from '../../../schemas/signal.ts';
import type { Understanding } from '../../../schemas/story.ts';
import type { StoryEvent } from '../../../signal/report-decisions.ts';
import { foldSignal } from '../../../signal/signal.ts';
import { storyEvent, type TestStory } from './stories.ts';

const logger = pino({ level: 'silent' });

const deal = (status: 'rumoured' | 'agreed'): Deal => ({
  type: 'funding',
  amount: '₹90 crore',
  target: 'Tallgrass',
  buyers: ['Juniper Fund'],
  status,
});

/** What the outlets publish over three weeks: reports of one event on several days, events alike, old news, a digest. */
const WEEKS: readonly [
  day: number,
  outlet: string,
  brand: string,
  move: 'deals' | 'stores' | 'people' | 'rules',
  title: string,
  more?: Partial<Understanding>,
][] = [
  [1, 'Alpha', 'Anaya Silks', 'deals', 'Anaya Silks raises ₹42 crore from Kestrel Capital to open 30 saree stores'],
  [1, 'Beta', 'Anaya Silks', 'deals', 'Saree brand Anaya Silks bags Rs 42 Cr led by Kestrel Capital'],
  [2, 'Gamma', 'Anaya Silks', 'deals', 'Kestrel Capital leads ₹42-cr round in Anaya Silks'],
  [5, 'Delta', 'Anaya Silks', 'stores', 'What the ₹42 crore of Kestrel Capital means for saree stores of Anaya Silks'],
  [2, 'Delta', 'Mithila Sweets', 'stores', 'Mithila Sweets plans to open a shop in Ranchi', { cities: ['Ranchi'] }],
  [3, 'Alpha', 'Mithila Sweets', 'stores', 'Mithila Sweets opens its 12th shop in Patna', { cities: ['Patna'] }],
  [3, 'Beta', 'Mithila Sweets', 'stores', 'Mithila Sweets opens 12th shop, in Patna', { cities: ['Patna'] }],
  [9, 'Gamma', 'Mithila Sweets', 'stores', 'Mithila Sweets opens its 13th shop in Ranchi', { cities: ['Ranchi'] }],
  [4, 'Alpha', 'Brewbarn', 'people', 'Brewbarn names Kavita Rao chief executive'],
  [4, 'Delta', 'Brewbarn', 'people', 'Brewbarn appoints Kavita Rao as chief executive officer'],
  [6, 'Beta', 'Brewbarn', 'people', 'Kavita Rao joins cafe chain Brewbarn as chief executive'],
  [
    6,
    'Gamma',
    'Tallgrass',
    'deals',
    'Shoe maker Tallgrass eyes ₹90 crore from Juniper Fund',
    { deal: deal('rumoured') },
  ],
  [
    19,
    'Alpha',
    'Tallgrass',
    'deals',
    'Shoe maker Tallgrass raises ₹90 crore from Juniper Fund',
    { deal: deal('agreed') },
  ],
  [20, 'Beta', 'Tallgrass', 'deals', 'Tallgrass bags Rs 90 Cr from Juniper Fund', { deal: deal('agreed') }],
  [7, 'Beta', 'Larkspur', 'rules', 'Food office sends hotel chain Larkspur a notice over kitchens in Goa'],
  [11, 'Alpha', 'Larkspur', 'rules', 'Food office bans the Goa kitchens of hotel chain Larkspur'],
  [12, 'Gamma', 'Larkspur', 'rules', 'Goa kitchens of Larkspur banned by food office'],
  [16, 'Delta', 'Larkspur', 'rules', 'Hotel chain Larkspur gets relief for its Goa kitchens from food office'],
  [21, 'Delta', 'Anaya Silks', 'deals', 'Anaya Silks raises Rs 42 crore from Kestrel Capital'],
];

const AUTHORITY: Readonly<Record<string, number>> = { Alpha: 0.7, Beta: 0.5, Gamma: 0.5, Delta: 0.3 };
const stories = WEEKS.map(([day, outlet, brand, move, title, more]): StoryEvent => {
  const first_seen_at = new Date(Date.UTC(2026, 6, day, 8)).toISOString();
  const report: TestStory = { title, outlet, brand, first_seen_at, understanding: { move, ...more } };
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

/** All signals in the end: reports, whether each counts, status, kind, headline, and the headline of the one that it follows. */
async function signalsOf(order: readonly StoryEvent[]): Promise<string[]> {
  const store = emptyStore();
  const tracker = new Tracker(store, logger);
  const found = new Set<string>();
  const reported = [];
  for (const story of order) reported.push(await handleStory(tracker, store, story));
  const stateOf = async (id: SignalId) => foldSignal((await store.read(signalStream(id))).map((one) => readEvent(one)));
  const headlineOf = async (id: SignalId) => (await stateOf(id))?.understanding.headline;
  for (const id of reported) {
    const state = await stateOf(tracker.window.resolve(id));
    const reports = state?.reports.map(({ title, resurfaced }) => `${title}${resurfaced ? ' (again)' : ''}`).sort();
    const follows = state?.follows ? await headlineOf(tracker.window.resolve(state.follows)) : null;
    const { move, headline } = state?.understanding ?? {};
    found.add(JSON.stringify([reports, state?.status, move, headline, follows]));
  }
  return [...found].sort();
}

describe('the order in which feeds are read', () => {
  it('given the items of three weeks, then events, a step further and old news are distinguished', async () => {
    const inTime = stories.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
    const signals = (await signalsOf(inTime)).map(
      (one) => JSON.parse(one) as [string[], string, string, string, string | null],
    );
    expect(signals.flatMap(([, , , headline, follows]) => (follows ? [[follows, headline]] : []))).toEqual([
      [
        'Food office sends hotel chain Larkspur a notice over kitchens in Goa',
        'Food office bans the Goa kitchens of hotel chain Larkspur',
      ],
      [
        'Food office sends hotel chain Larkspur a notice over kitchens in Goa',
        'Hotel chain Larkspur gets relief for its Goa kitchens from food office',
      ],
      ['Mithila Sweets plans to open a shop in Ranchi', 'Mithila Sweets opens its 13th shop in Ranchi'],
      [
        'Shoe maker Tallgrass eyes ₹90 crore from Juniper Fund',
        'Shoe maker Tallgrass raises ₹90 crore from Juniper Fund',
      ],
    ]);
    expect(signals.map(([reports, , , headline]) => [headline, reports.length])).toEqual([
      ['Anaya Silks raises ₹42 crore from Kestrel Capital to open 30 saree stores', 5],
      ['Brewbarn names Kavita Rao chief executive', 3],
      ['Food office bans the Goa kitchens of hotel chain Larkspur', 2],
      ['Food office sends hotel chain Larkspur a notice over kitchens in Goa', 1],
      ['Hotel chain Larkspur gets relief for its Goa kitchens from food office', 1],
      ['Mithila Sweets opens its 12th shop in Patna', 2],
      ['Mithila Sweets opens its 13th shop in Ranchi', 1],
      ['Mithila Sweets plans to open a shop in Ranchi', 1],
      ['Shoe maker Tallgrass eyes ₹90 crore from Juniper Fund', 1],
      ['Shoe maker Tallgrass raises ₹90 crore from Juniper Fund', 2],
    ]);
  });

  it('given the same feeds in any interleaving, then the signals, their reports, kinds, headlines and threads are the same', async () => {
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
