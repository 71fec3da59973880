import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Died, type MemoryStore, memoryStore } from './memory-store.ts';
import { storyEvent, type TestStory } from './stories.ts';
import { handleAll, typesOf } from './trackers.ts';

const signalsOf = (store: MemoryStore) => store.events.filter(({ type }) => type === 'SignalDetected');

const ANAYA: TestStory[] = [
  {
    brand: 'Anaya Silks',
    outlet: 'Retail Post',
    title: 'Anaya Silks raises ₹42 crore from Kestrel Capital to open 30 saree stores',
  },
  {
    brand: 'Anaya Silks',
    outlet: 'Startup Wire',
    title: 'Saree brand Anaya Silks bags Rs 42 Cr led by Kestrel Capital',
    first_seen_at: '2026-07-06T08:04:00.000Z',
  },
  {
    brand: 'Anaya Silks',
    outlet: 'Market Daily',
    title: '{Funding Alert} Anaya Silks Secures INR 42 Cr Funding From Kestrel Capital',
    first_seen_at: '2026-07-06T08:09:00.000Z',
  },
  {
    brand: 'Anaya Silks',
    outlet: 'City Ledger',
    title: 'Kestrel Capital leads ₹42-cr round in Anaya Silks',
    first_seen_at: '2026-07-06T08:11:00.000Z',
  },
];
const OTHERS: TestStory[] = [
  { brand: 'Mithila Sweets', title: 'Mithila Sweets opens its 12th shop in Patna' },
  { brand: 'Brewbarn', title: 'Brewbarn names Kavita Rao chief executive', understanding: { move: 'people' } },
  {
    brand: 'Tallgrass',
    title: 'Tallgrass Q1 profit falls 14% on weak footwear demand',
    understanding: { move: 'results' },
  },
];

describe('handling stories', () => {
  it('creates one signal of one event that four outlets report', async () => {
    const store = memoryStore();
    await handleAll(store, ANAYA.map(storyEvent));
    expect(signalsOf(store)).toHaveLength(1);
    expect(typesOf(store).filter((type) => type === 'SignalReported')).toHaveLength(3);
  });

  it('keeps unlike events apart', async () => {
    const store = memoryStore();
    await handleAll(store, [...OTHERS, ANAYA[0] as TestStory].map(storyEvent));
    expect(signalsOf(store)).toHaveLength(4);
  });

  it('gives two signals with one headline two slugs', async () => {
    const store = memoryStore();
    const title = 'Mithila Sweets opens a shop in Patna';
    await handleAll(store, [
      storyEvent({ title, first_seen_at: '2026-01-06T08:00:00.000Z', url: 'https://a.example/1' }),
      storyEvent({ title: `${title}!`, first_seen_at: '2026-01-06T08:00:00.000Z', url: 'https://a.example/1' }),
      storyEvent({
        title: 'Brewbarn opens a cafe in Pune',
        url: 'https://a.example/2',
        understanding: { headline: title },
      }),
    ]);
    const slugs = signalsOf(store).map(({ data }) => (data as { slug: string }).slug);
    expect(slugs).toEqual(['mithila-sweets-opens-a-shop-in-patna', 'mithila-sweets-opens-a-shop-in-patna-2']);
  });

  it('recognises an old event that is reported again, and does not publish it', async () => {
    const store = memoryStore();
    const again = {
      ...ANAYA[1],
      title: 'Anaya Silks raises Rs 42 crore from Kestrel Capital',
      first_seen_at: '2026-08-20T08:00:00.000Z',
      url: 'https://b.example/again',
    } as TestStory;
    await handleAll(store, [ANAYA[0] as TestStory, again].map(storyEvent));
    expect(signalsOf(store)).toHaveLength(1);
    expect(store.events.at(-1)).toMatchObject({ type: 'SignalReported', data: { resurfaced: true } });
  });

  it('records an item whose own date is old as resurfaced, with its later reports', async () => {
    const store = memoryStore();
    const old = { published_at: '2026-06-01T08:00:00.000Z' };
    await handleAll(store, [storyEvent({ ...(ANAYA[0] as TestStory), ...old }), storyEvent(ANAYA[1] as TestStory)]);
    expect(store.events.at(-2)).toMatchObject({ type: 'SignalDetected', data: { status: 'resurfaced' } });
    expect(store.events.at(-1)).toMatchObject({ type: 'SignalReported', data: { resurfaced: true } });
  });

  it('leaves the same events however often a story comes and wherever the process dies', async () => {
    const edited = {
      ...(ANAYA[0] as TestStory),
      title: 'Anaya Silks raises ₹42 crore from Kestrel Capital to open 35 stores',
      found_at: '2026-07-06T09:00:00.000Z',
      edits: 1,
    };
    const url = storyEvent(ANAYA[0] as TestStory).data.item.url;
    const stories = [...ANAYA, ...OTHERS, { ...edited, url }].map(storyEvent);
    const undisturbed = memoryStore();
    await handleAll(undisturbed, stories);
    const wanted = undisturbed.events.map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.integer({ min: 1, max: 6 }), when: fc.constantFrom('before', 'after') }), {
          maxLength: 6,
        }),
        fc.boolean(),
        async (deaths, twice) => {
          const store = memoryStore();
          for (const { after, when } of deaths) {
            store.dieAt(after, when);
            // Nothing was committed: the next life gets every story again.
            await handleAll(store, stories).catch((error: unknown) => {
              if (!(error instanceof Died)) throw error;
            });
          }
          store.dieAt(Number.POSITIVE_INFINITY, 'before');
          await handleAll(store, twice ? stories.flatMap((story) => [story, story]) : stories);
          expect(store.events.map(({ id }) => id)).toEqual(wanted);
        },
      ),
      { numRuns: 40 },
    );
  });
});
