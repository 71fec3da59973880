import { resolve } from 'node:path';
import pino from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalogue, prepareCatalogue } from '../../facts/text/catalogue.ts';
import { handleStory } from '../../ingest/match/handle-story.ts';
import { noParents } from '../../ingest/match/report-features.ts';
import { Tracker } from '../../ingest/match/signal-tracker.ts';
import { countMisses, isInWindow, judgeReference, measureCoverage, pauseAfter } from '../../ingest/oracle.ts';
import { createStory, createUnderstander, type Understander } from '../../ingest/understand/understander.ts';
import { oracleItemsModel, oracleModel } from '../../projector/models/oracle-read-models.ts';
import { latestMeasurement, recentOracleItems } from '../../projector/models/review-queries.ts';
import { type KnownEvent, newEvent } from '../../schemas/events.ts';
import { ITEMS, type Item } from '../../schemas/poll.ts';
import { eventId, type SignalId } from '../../schemas/scalar.ts';
import { signalStream } from '../../schemas/signal.ts';
import { eventually } from '../harness/eventually.ts';
import { sourceId } from '../harness/ids.ts';
import { publishItems } from '../harness/log.ts';
import { type Engine, testEngine } from '../projector/engine.ts';
import { itemFound, newsItem } from '../projector/item-events.ts';

const NOW = new Date('2026-11-21T06:00:00.000Z');
const logger = pino({ level: 'silent' });

const item = (title: string, changes: Partial<Item> = {}): Item =>
  newsItem(title, {
    published_at: '2026-11-20T06:00:00.000Z',
    first_seen_at: '2026-11-20T06:10:00.000Z',
    ...changes,
  });
const reference = (title: string, changes: Partial<Item> = {}): Item =>
  item(title, {
    source_id: sourceId('oracle'),
    outlet: 'Reference',
    role: 'oracle',
    url: `https://ref.example/${encodeURIComponent(title)}`,
    ...changes,
  });

describe('the Oracle', () => {
  let understander: Understander;
  let engine: Engine;
  beforeAll(async () => {
    const catalogue = prepareCatalogue(await loadCatalogue(resolve(import.meta.dirname, '../../deploy/catalogue')));
    understander = createUnderstander(catalogue, null);
  });
  beforeEach(async () => {
    engine = await testEngine();
    engine.run([oracleModel(), oracleItemsModel()]);
  });
  afterEach(() => engine.close());

  /** Publishes reports of our outlets. @returns the ids of their signals */
  async function reported(...titles: string[]): Promise<SignalId[]> {
    const tracker = new Tracker(engine.store, logger);
    await tracker.catchUp();
    for (const title of titles) {
      const story = (await createStory(itemFound(item(title)), understander))?.event;
      if (story) await handleStory(tracker, engine.store, story as KnownEvent<'StoryUnderstood'>);
    }
    return titles.flatMap((title) => tracker.window.ofItem(item(title)) ?? []);
  }

  async function measured(...items: Item[]) {
    await publishItems(engine.topics.topic(ITEMS), ...items.map(itemFound));
    const since = new Date('2026-11-01T00:00:00Z');
    const wanted = items.filter(({ role }) => role === 'oracle').length;
    await eventually(async () => expect(await recentOracleItems(engine.database, since)).toHaveLength(wanted));
    return measureCoverage({
      store: engine.store,
      items: (from) => recentOracleItems(engine.database, from),
      understander,
      parentOf: noParents,
      logger,
      clock: () => NOW,
    });
  }

  it('given reports of reference sources that the feed lacks, then they are counted and stored for readers', async () => {
    await reported('Zudio opens 12 stores in Pune', 'Lenskart acquires eyewear brand Meller for $40 million');
    const result = await measured(
      reference('Zudio opens twelve new stores in Pune'),
      reference('Nykaa appoints Anita Rao as chief financial officer'),
      reference('Weather stays fine in Goa this weekend'),
      reference('Titan to open 50 Tanishq stores', { first_seen_at: '2026-11-10T00:00:00.000Z', published_at: null }),
      item('Croma opens a store in Surat'),
    );
    expect(result).toMatchObject({ checked: 2, missed: 1, miss_rate: 0.5, slo: 0.1, window_hours: 72 });
    expect(result.sample).toMatchObject([{ reading: 'understanding' }, { reading: 'understanding' }]);
    expect(result.sample?.filter(({ signal_id }) => signal_id !== null)).toHaveLength(1);
    expect(result.misses).toMatchObject([
      { headline: 'Nykaa appoints Anita Rao as chief financial officer', outlet: 'Reference' },
    ]);
    await eventually(async () => expect(await latestMeasurement(engine.database)).toEqual(result));
  });

  it('given a reference item that understanding takes for noise, then a second reading may say that it is a move', async () => {
    // No verb of a move: understanding leaves all of them out.
    const noise = 'Why everyone loves Zudio stores this season';
    const from = (outlet: string) => reference(`${noise} - ${outlet}`);
    expect(await measured(from('One Post'), from('Two Post'))).toMatchObject({ checked: 0, left_out: 2, sample: [] });
    const three = await measured(from('One Post'), from('Two Post'), from('Three Post'));
    expect(three).toMatchObject({ checked: 3, missed: 3, left_out: 0 });
    expect(three.sample?.map(({ reading, signal_id }) => [reading, signal_id])).toEqual(
      Array.from({ length: 3 }, () => ['several_outlets', null]),
    );
  });

  it('given a section of moves or the word of an operator, then it counts', async () => {
    const section = reference('Why everyone loves malls', { url: 'https://ref.example/mergers-acquisitions/malls' });
    const named = reference('Why all love malls', { url: 'https://ref.example/news/results-of-a-survey' });
    const judged = reference('Malls are loved', { url: 'https://ref.example/news/malls-are-loved' });
    const noise = reference('Nykaa appoints Anita Rao as chief financial officer');
    await judgeReference(engine.store, { url: judged.url, is_move: true, by: 'asha' }, NOW);
    await judgeReference(engine.store, { url: noise.url, is_move: false, by: 'asha' }, NOW);
    const result = await measured(section, named, judged, noise);
    expect(result).toMatchObject({ checked: 2, missed: 2, left_out: 2 });
    expect(result.sample?.map(({ reading }) => reading).toSorted()).toEqual(['operator', 'section']);
  });

  it('given a signal that readers cannot see, then it counts as a miss and is named as the nearest signal', async () => {
    const [id] = (await reported('Zudio opens 12 stores in Pune')) as [SignalId];
    const held = { signal_id: id, by: 'asha', why: 'wrong count' };
    await engine.add(signalStream(id), newEvent('SignalHeld', held, { id: eventId('held'), time: NOW.toISOString() }));
    const result = await measured(reference('Zudio opens twelve new stores in Pune'));
    expect(result).toMatchObject({ checked: 1, missed: 1, misses: [{ nearest: { signal_id: id } }] });
  });

  it('given an item found a moment ago, then it is left for the next measurement: its signal may be on the way', async () => {
    const young = { first_seen_at: '2026-11-21T05:58:30.000Z', published_at: '2026-11-21T05:50:00.000Z' };
    const fresh = reference('Nykaa appoints Anita Rao as chief financial officer', young);
    expect(await measured(fresh)).toMatchObject({ checked: 0, missed: 0 });
    expect(await latestMeasurement(engine.database)).toBeNull();
    const settled = reference('Titan appoints Ravi Das as chief executive', {
      ...young,
      first_seen_at: '2026-11-21T05:58:00.000Z',
    });
    expect(await measured(settled, fresh)).toMatchObject({ checked: 1, missed: 1 });
  });

  it('given no report of a reference source, then nothing is stored', async () => {
    expect(await measured()).toMatchObject({ checked: 0, missed: 0, miss_rate: 0 });
    expect((await engine.store.readAll({ after: 0n })).events).toEqual([]);
  });
});

describe('measure', () => {
  const missed = { outcome: 'missed', reading: 'understanding', headline: 'x', nearest: null } as const;
  it.each([
    [[], 0, 0, 0],
    [[{ outcome: 'left out' } as const], 0, 0, 0],
    [
      [
        { outcome: 'covered', reading: 'understanding', signal: 'sig_0123456789abcdef' as SignalId } as const,
        missed,
        missed,
      ],
      3,
      2,
      0.6667,
    ],
  ])('given %j, then it is counted', (checks, checked, misses, miss_rate) => {
    expect(
      countMisses(
        checks.map((check) => ({ item: reference('x'), check })),
        NOW,
      ),
    ).toMatchObject({ checked, missed: misses, miss_rate });
  });

  it('given many misses, then all are counted and the newest hundred are kept', () => {
    const result = countMisses(
      Array.from({ length: 300 }, () => ({ item: reference('x'), check: missed })),
      NOW,
    );
    expect(result).toMatchObject({ missed: 300, miss_rate: 1 });
    expect(result.misses).toHaveLength(100);
  });

  it('given a process that started, then measurements follow each other soon, and later every ten minutes', () => {
    expect([1, 2, 3, 4, 5, 100].map((count) => pauseAfter(count) / 1_000)).toEqual([40, 80, 160, 320, 600, 600]);
  });

  it.each([
    ['2026-11-21T05:58:00.000Z', null, true],
    ['2026-11-21T05:58:01.000Z', null, false],
    ['2026-11-18T06:00:00.000Z', null, true],
    ['2026-11-18T05:59:59.000Z', null, false],
    ['2026-11-20T00:00:00.000Z', '2026-11-17T00:00:00.000Z', false],
  ])('given an item found at %s and dated %s, then it is included: %s', (first_seen_at, published_at, inside) =>
    expect(isInWindow(reference('x', { first_seen_at, published_at }), NOW)).toBe(inside),
  );
});
