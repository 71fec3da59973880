/** A signal of 40 reports gets a second look, which compares its parts. */
import { describe, expect, it } from 'vitest';
import { handleStory } from '../../../ingest/match/handle-story.ts';
import { decideReport } from '../../../signal/report-decisions.ts';
import { memoryStore } from './memory-store.ts';
import { storyEvent, type TestStory } from './stories.ts';
import { trackerOf } from './trackers.ts';

type Wording = (outlet: string) => TestStory;
const round =
  (brand: string, rest: string): Wording =>
  (outlet) => ({ title: `${brand} ${rest}`, brand, outlet, understanding: { move: 'deals' } });
const mitti = round('Mitti', 'raises ₹42 crore from Kestrel Capital');
const brewbarn = round('Brewbarn', 'raises ₹90 crore from Falcon Partners');
const several = (count: number, of: Wording): TestStory[] =>
  Array.from({ length: count }, (_, number) => of(`Outlet ${number}`));

/** A store with one signal that has all of these reports, whatever they say. */
async function storeWith(stories: readonly TestStory[]) {
  const store = memoryStore();
  const tracker = await trackerOf(store);
  const [first, ...rest] = stories.map(storyEvent);
  if (!first) throw new Error('no story');
  const id = await handleStory(tracker, store, first);
  for (const story of rest) {
    const state = await tracker.state(id);
    if (!state) throw new Error('no signal');
    const evidence = { score: 1, reasons: ['a test'], resurfaced: false };
    await tracker.append(id, decideReport(story, state, evidence, tracker.now()), state.revision);
  }
  return { store, tracker, id };
}

describe('a signal of 40 reports', () => {
  it('given two events in it, then it grows by the larger one, and stories of the other are a signal of their own', async () => {
    const { store, tracker, id } = await storeWith([...several(12, brewbarn), ...several(28, mitti)]);
    const joined = await handleStory(tracker, store, storyEvent(mitti('New Post')));
    const other = await handleStory(tracker, store, storyEvent(brewbarn('New Post')));
    expect([joined === id, other === id]).toEqual([true, false]);
    expect(await handleStory(tracker, store, storyEvent(brewbarn('Late Post')))).toBe(other);
  });

  it('given one event, then it grows on; and a matcher that starts later decides the same', async () => {
    const { store, tracker, id } = await storeWith(several(45, mitti));
    expect(await handleStory(tracker, store, storyEvent(mitti('New Post')))).toBe(id);
    const later = await trackerOf(store);
    expect(await handleStory(later, store, storyEvent(mitti('Late Post')))).toBe(id);
  });

  it('given 39 reports of two events, then nothing is compared anew', async () => {
    const { store, tracker, id } = await storeWith([...several(12, brewbarn), ...several(27, mitti)]);
    expect(await handleStory(tracker, store, storyEvent(brewbarn('New Post')))).toBe(id);
  });
});
