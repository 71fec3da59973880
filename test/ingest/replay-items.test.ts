import { resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalogue, type PreparedCatalogue, prepareCatalogue } from '../../facts/text/catalogue.ts';
import { MATCH_GROUP, runMatcher } from '../../ingest/match/matcher.ts';
import { type ItemReplayed, replayItems } from '../../ingest/replay-items.ts';
import { holdSignal, mergeSignal, readSignal, releaseSignal } from '../../ingest/review-signals.ts';
import { createUnderstander, runUnderstand, UNDERSTAND_GROUP } from '../../ingest/understand/understander.ts';
import { type EventStore, withAppend } from '../../log/event-store.ts';
import { EventTooLarge, type Topic } from '../../log/topic.ts';
import type { Catalogue } from '../../schemas/catalogue.ts';
import { type KnownEvent, newEvent, readEvent } from '../../schemas/events.ts';
import type { Item, ItemKey } from '../../schemas/poll.ts';
import { eventId, fingerprint, type SignalId, signalId, slugify } from '../../schemas/scalar.ts';
import { sourceId } from '../harness/ids.ts';
import { publishItems, runToEnd, type TestLog, testLog } from '../harness/log.ts';
import { itemFound, newsItem } from '../projector/item-events.ts';
import { memoryStore } from './match/memory-store.ts';
import { logger } from './match/trackers.ts';

const never = new AbortController().signal;
let whole: Catalogue;
let catalogue: PreparedCatalogue;
let log: TestLog;
let store: EventStore;
let replays = 0;

beforeAll(async () => {
  whole = await loadCatalogue(resolve(import.meta.dirname, '../../deploy/catalogue'));
  catalogue = prepareCatalogue(whole);
});
beforeEach(async () => {
  log = await testLog();
  store = log.store;
});
afterEach(() => log.close());

const urlOf = (title: string): string => `https://post.example/${slugify(title)}`;
const idOf = (title: string): SignalId => signalId(urlOf(title));

function item(title: string, changes: Partial<Item> = {}): KnownEvent<'ItemFound'> {
  const published_at = changes.published_at === undefined ? '2026-11-19T04:00:00.000Z' : changes.published_at;
  const text = fingerprint(changes.title ?? title, changes.summary ?? null, published_at);
  const url = urlOf(title);
  return itemFound(
    newsItem(url, {
      url,
      title,
      first_seen_at: '2026-11-19T04:10:00.000Z',
      ...changes,
      published_at,
      fingerprint: text,
    }),
  );
}

const publish = (...events: KnownEvent<'ItemFound'>[]) => publishItems(log.items, ...events);

/** Runs match until nothing is left. */
const matchAll = (into: EventStore = store): Promise<void> =>
  runToEnd(log.stories, MATCH_GROUP, (signal) => runMatcher({ ...log, store: into, logger, clock, signal }));

/** Runs understand and match until nothing is left, with any catalogue. */
async function handleAll(by: PreparedCatalogue = catalogue, into: EventStore = store): Promise<void> {
  const understander = createUnderstander(by, null);
  await runToEnd(log.items, UNDERSTAND_GROUP, (signal) => runUnderstand({ ...log, understander, logger, signal }));
  await matchAll(into);
}

const clock = (): Date => new Date('2026-11-21T04:30:00.000Z');

function again({
  by = catalogue,
  ...changes
}: {
  by?: PreparedCatalogue;
  stories?: Topic;
  store?: EventStore;
  dry?: boolean;
  signal?: AbortSignal;
  onProgress?: () => void;
} = {}): Promise<ItemReplayed> {
  replays += 1;
  return replayItems({
    ...log,
    understander: createUnderstander(by, null),
    logger,
    id: eventId('replay', replays),
    clock,
    dry: false,
    signal: never,
    onProgress: () => undefined,
    ...changes,
  });
}

const events = async (title: string): Promise<KnownEvent[]> =>
  (await store.read(`signal-${idOf(title)}`)).map((event) => readEvent(event));

const ZUDIO = 'Zudio opens its first store in Patna';
const NYKAA = 'Nykaa raises ₹420 crore from Kestrel Capital';
const OPENINGS = ['Pune', 'Nagpur', 'Surat', 'Indore', 'Kochi', 'Jaipur'].map(
  (city) => `Zudio opens its first store in ${city}`,
);
const NOISE = 'Ten things to know before markets open today';
/** A catalogue with another name of a brand, so that items with this name are understood differently. */
const renamed = (slug: string, name: string): PreparedCatalogue => {
  const rename = (brand: Catalogue['brands'][number]) =>
    brand.slug === slug ? { ...brand, name, aliases: [...brand.aliases, brand.name] } : brand;
  return prepareCatalogue({ ...whole, version: 'renamed', brands: whole.brands.map(rename) });
};

/** The store as version 1.0 wrote it: without the facts of reports. */
const beforeFacts = (): EventStore =>
  withAppend(store, (stream, appended, expected) => {
    const old = appended.map((event) => {
      const { facts: _, ...data } = event.data as { facts?: unknown };
      return { ...event, data };
    });
    return store.append(stream, old, expected);
  });

const RETOLD = 'Nykaa bags Rs 420 Cr funding led by Kestrel Capital to open 60 beauty stores';
/** Another report of NYKAA with less detail, so that the signal keeps its text. */
const retold = () => item(RETOLD, { source_id: sourceId('wire'), outlet: 'Startup Wire', authority: 0.1 });
/** NYKAA, and then the other report of it, which is stored by one of two versions. */
async function reportTwice(into: EventStore = store): Promise<void> {
  await publish(item(NYKAA));
  await handleAll();
  await publish(retold());
  await handleAll(catalogue, into);
}
const reportsOf = async (title: string) =>
  (await events(title)).flatMap((event) => (event.type === 'SignalReported' ? [event] : []));

describe('replaying stored items', () => {
  it('given unchanged rules, then nothing is appended after repeated edits, a listing page and a merge', async () => {
    const summary = 'Nykaa raised ₹420 crore from Kestrel Capital. It plans 60 stores in Delhi.';
    const rich = { source_id: sourceId('wire'), outlet: 'Startup Wire', authority: 0.9, summary };
    const listed = {
      source_id: sourceId('lister'),
      item_key: 'x' as ItemKey,
      outlet: 'Lister',
      authority: 0.1,
      url: urlOf(ZUDIO),
    };
    const [funds, funding] = ['Nykaa to raise money', 'Nykaa bags Rs 420 Cr funding led by Kestrel Capital'];
    const edit = (title: string, edits: number) => {
      const found = item(ZUDIO, { title, edits, first_seen_at: `2026-11-19T0${4 + edits}:10:00.000Z` });
      return { ...found, id: eventId(found.id, edits) };
    };
    await publish(
      item(ZUDIO, { ...listed, title: 'Zudio opens its ninth store in Patna' }),
      edit(ZUDIO, 0),
      edit('Zudio opens its second store in Patna', 1),
      edit(ZUDIO, 2),
      item(funds, { url: urlOf(NYKAA), item_key: urlOf(NYKAA) as ItemKey, title: NYKAA, published_at: null }),
      item(OPENINGS[0] ?? ''),
    );
    await handleAll();
    // Published only now: items of different addresses are in different partitions, which have no common order.
    await publish(item(funding, rich));
    await handleAll();
    const review = { by: 'asha', why: 'one event', time: '2026-11-20T08:00:00.000Z', id: eventId('merge') };
    await mergeSignal(store, idOf(OPENINGS[0] ?? ''), idOf(ZUDIO), review);

    expect(await readSignal(store, idOf(ZUDIO))).toMatchObject({
      text: { outlet: 'Shop News' },
      understanding: { headline: ZUDIO },
    });
    expect((await readSignal(store, idOf(NYKAA))).status).toBe('public');
    expect((await again()).appended).toEqual({});
  });

  it('given a catalogue that changes the understanding of a text, then the signal is revised once and the history keeps the old text', async () => {
    await publish(item(ZUDIO), item(NYKAA));
    await handleAll();
    const other = { by: renamed('zudio', 'Zudio Stores') };
    const before = (await readSignal(store, idOf(ZUDIO))).understanding;

    expect((await again({ ...other, dry: true })).appended).toEqual({ SignalRevised: 1 });
    expect(await events(ZUDIO)).toHaveLength(1);
    expect((await again(other)).appended).toEqual({ SignalRevised: 1 });
    const head = await store.head();
    expect((await again(other)).appended).toEqual({});

    expect(await store.head()).toBe(head);
    const revision = (await events(ZUDIO)).at(-1);
    expect(revision?.data).toMatchObject({ reason: 'understood_again', before, revision: 1 });
    expect((await readSignal(store, idOf(ZUDIO))).understanding.brands.map(({ name }) => name)).toContain(
      'Zudio Stores',
    );
    expect((await again()).appended).toEqual({ SignalRevised: 1 });
    expect((await readSignal(store, idOf(ZUDIO))).understanding).toEqual(before);
  });

  it('given reports that were stored without their facts, then they are stored again with them, once', async () => {
    await reportTwice(beforeFacts());
    const before = await readSignal(store, idOf(NYKAA));
    const [stored] = await reportsOf(NYKAA);
    expect(stored?.data).toMatchObject({ report: { outlet: 'Startup Wire' } });
    expect(stored?.data.facts).toBeUndefined();

    expect((await again({ dry: true })).appended).toEqual({ SignalReported: 1 });
    expect((await again()).appended).toEqual({ SignalReported: 1 });
    expect((await again()).appended).toEqual({});

    const [, filled] = await reportsOf(NYKAA);
    expect(filled?.data).toMatchObject({
      match: { score: 1, reasons: ['understood again'] },
      resurfaced: false,
      facts: { deal: { amount: '₹420 Cr' } },
    });
    expect(filled?.data.report).toEqual({ ...stored?.data.report });
    const after = await readSignal(store, idOf(NYKAA));
    const withoutFacts = ({ reports }: typeof after) => reports.map(({ facts: _, ...report }) => report);
    expect(withoutFacts(after)).toEqual(withoutFacts(before));
    expect([after.text, after.understanding, after.status]).toEqual([before.text, before.understanding, before.status]);
  });

  it('given a report whose facts are now understood differently, then it is stored again with the new facts', async () => {
    await reportTwice();
    const other = renamed('nykaa', 'Nykaa Beauty');

    expect((await again({ by: other })).appended).toEqual({ SignalRevised: 1, SignalReported: 1 });
    expect((await again({ by: other })).appended).toEqual({});
    const [stored, filled] = await reportsOf(NYKAA);
    expect(filled?.data.facts?.brands).not.toEqual(stored?.data.facts?.brands);
    // The former rules are the new ones.
    expect((await again()).appended).toEqual({ SignalRevised: 1, SignalReported: 1 });
    expect((await reportsOf(NYKAA)).at(-1)?.data.facts).toEqual(stored?.data.facts);
  });

  it('given a report that a merge moved without its facts, then it is stored again with them', async () => {
    const [pune = '', nagpur = ''] = OPENINGS;
    // Of less authority, so that the signal keeps its text.
    await publish(item(pune), item(nagpur, { authority: 0.1 }));
    await handleAll();
    const review = { by: 'asha', why: 'one event', time: '2026-11-20T08:00:00.000Z', id: eventId('merge') };
    await mergeSignal(beforeFacts(), idOf(nagpur), idOf(pune), review);

    expect((await again()).appended).toEqual({ SignalReported: 1 });
    expect((await again()).appended).toEqual({});
    expect((await reportsOf(pune)).at(-1)?.data.facts?.openings).toMatchObject([{ city: 'Nagpur' }]);
  });

  it('given an operator’s text, then the facts of earlier reports are not stored', async () => {
    await reportTwice(beforeFacts());
    const { understanding, understood_by, revision } = await readSignal(store, idOf(NYKAA));
    const revised = newEvent(
      'SignalRevised',
      {
        signal_id: idOf(NYKAA),
        revision: 1,
        reason: 'operator',
        before: understanding,
        after: understanding,
        understood_by,
        item_key: urlOf(NYKAA) as ItemKey,
        source_id: sourceId('shop-news'),
      },
      { id: eventId('operator'), time: '2026-11-20T08:00:00.000Z' },
    );
    await store.append(`signal-${idOf(NYKAA)}`, [revised], revision);

    expect((await again()).appended).toEqual({});
  });

  it('given items without a signal, then their stories are published, and their signals keep the time at which they were first seen', async () => {
    await publish(item(ZUDIO), item(NOISE));

    expect(await again({ dry: true })).toMatchObject({ stories: 1, appended: {} });
    expect(await log.stories.lag(MATCH_GROUP)).toBe(0n);
    expect(await again()).toMatchObject({ stories: 1, passed_over: 0, appended: {} });
    expect(await store.head()).toBe(0n);
    await matchAll();
    expect(await again()).toMatchObject({ stories: 0, appended: {} });

    expect(await readSignal(store, idOf(ZUDIO))).toMatchObject({
      published_at: '2026-11-21T04:30:00.000Z',
      first_seen_at: '2026-11-19T04:10:00.000Z',
    });
    await handleAll();
    expect(await events(ZUDIO)).toHaveLength(1);
  });

  it('given a story that was handled and whose signal the event store lost, then it is published again', async () => {
    await publish(item(ZUDIO));
    await handleAll();

    expect(await again({ store: memoryStore() })).toMatchObject({ stories: 1 });
    expect(await log.stories.lag(MATCH_GROUP)).toBe(1n);
    await matchAll();
    expect(await events(ZUDIO)).toHaveLength(1);
  });

  it('given a story that the topic refuses, then it is skipped and the others are published', async () => {
    await publish(...OPENINGS.map((title) => item(title)));
    const stories = log.stories;
    const refusing: Topic = {
      ...stories,
      lag: stories.lag.bind(stories),
      publish: async (messages) => {
        if (JSON.stringify(messages).includes(OPENINGS[2] ?? '')) throw new EventTooLarge('StoryUnderstood', 2_000_000);
        await stories.publish(messages);
      },
    };

    expect(await again({ stories: refusing })).toMatchObject({ stories: OPENINGS.length - 1, passed_over: 1 });
    expect(await stories.lag(MATCH_GROUP)).toBe(BigInt(OPENINGS.length - 1));
  });

  it('given a signal whose only item is no longer a move, then it is held, and released when the item is a move again', async () => {
    await publish(item(ZUDIO));
    await handleAll();
    // The outlet replaces its text by one that reports no move, and the signal is not yet updated.
    await publish(item(ZUDIO, { title: NOISE, first_seen_at: '2026-11-19T06:00:00.000Z' }));

    expect((await again()).appended).toEqual({ SignalHeld: 1 });
    expect((await again()).appended).toEqual({});

    expect((await events(ZUDIO)).at(-1)?.data).toMatchObject({ by: 'replay', why: 'its item is no move any more' });
    await publish(item(ZUDIO, { title: `${ZUDIO} city`, first_seen_at: '2026-11-19T07:00:00.000Z' }));
    expect((await again()).appended).toMatchObject({ SignalReleased: 1 });
    expect((await readSignal(store, idOf(ZUDIO))).status).toBe('public');
  });

  it('given decisions of an operator, then they stay unchanged', async () => {
    const review = (id: string) => ({ by: 'asha', why: 'checked', time: '2026-11-19T08:00:00.000Z', id: eventId(id) });
    await publish(item(ZUDIO));
    await handleAll();
    await holdSignal(store, idOf(ZUDIO), review('hold'));
    await releaseSignal(store, idOf(ZUDIO), review('release'));
    await publish(item(ZUDIO, { title: NOISE, first_seen_at: '2026-11-19T06:00:00.000Z' }));

    expect((await again()).appended).toEqual({});
  });

  it('given a cancellation after the first story, then a second run publishes the rest', async () => {
    await publish(...OPENINGS.map((title) => item(title)));
    const cancel = new AbortController();

    const stopped = again({
      signal: cancel.signal,
      onProgress: ((phase: string) => {
        if (phase === 'stories') cancel.abort();
      }) as () => void,
    });

    await expect(stopped).rejects.toThrow();
    expect(await log.stories.lag(MATCH_GROUP)).toBe(1n);
    await matchAll();
    expect((await again()).stories).toBe(OPENINGS.length - 1);
    await matchAll();
    expect(await again()).toMatchObject({ stories: 0, appended: {} });
  });

  it('given a running matcher on the same items, then each event is stored once', async () => {
    await publish(...OPENINGS.map((title) => item(title)));

    await Promise.all([handleAll(), again(), again()]);
    await matchAll();

    for (const title of OPENINGS) expect((await events(title)).map(({ type }) => type)).toEqual(['SignalDetected']);
    expect(await again()).toMatchObject({ stories: 0, appended: {} });
  });
});
