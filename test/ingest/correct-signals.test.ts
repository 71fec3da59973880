import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  correctSignal,
  labelOf,
  readCorrection,
  readLabel,
  splitReport,
  writeField,
} from '../../ingest/correct-signals.ts';
import { replayItems } from '../../ingest/replay-items.ts';
import {
  confirmSignal,
  mergeSignal,
  readSignal,
  releaseSignal,
  retractSignal,
  signalHistory,
} from '../../ingest/review-signals.ts';
import { understandItem } from '../../ingest/understand/understand-item.ts';
import { createUnderstander } from '../../ingest/understand/understander.ts';
import type { EventStore } from '../../log/event-store.ts';
import { newEvent } from '../../schemas/events.ts';
import { Refusal } from '../../schemas/input-errors.ts';
import { eventId } from '../../schemas/scalar.ts';
import { CORRECTABLE } from '../../schemas/signal.ts';
import { Understanding } from '../../schemas/story.ts';
import { idOf } from '../../signal/report-decisions.ts';
import { CannotReview } from '../../signal/review-decisions.ts';
import { brandSlug } from '../harness/ids.ts';
import { publishItems, type TestLog, testLog } from '../harness/log.ts';
import { appointment, detected, opening, result, retracted, understanding } from '../projector/signal-events.ts';
import { storyEvent, type TestStory } from './match/stories.ts';
import { handleAll, logger } from './match/trackers.ts';
import { smallCatalogue } from './understand/small-catalogue.ts';

const never = new AbortController().signal;
const zudio = { slug: brandSlug('zudio'), name: 'Zudio' };
const find = (name: string) => (name.toLowerCase() === 'zudio' ? zudio : null);

describe('the fields of a correction as text', () => {
  const word = fc.constantFrom('Kiri Foods', 'Pune', 'Asha Rao', 'City Centre', '₹120 Cr');
  const maybe = fc.option(word);
  const day = fc.option(fc.constantFrom('2026-11-30', '2027-01-01'));
  const text = fc.record({
    move: fc.constantFrom('stores', 'people', 'other'),
    cities: fc.uniqueArray(word),
    delta: maybe,
    people: fc.array(
      fc.record({
        direction: fc.constantFrom('joined', 'left', 'promoted'),
        person: word,
        role: maybe,
        company: maybe,
        from: maybe,
        to: maybe,
        effective: day,
      }),
    ),
    openings: fc.array(
      fc.record({
        status: fc.constantFrom('opened', 'announced', 'planned', 'closed'),
        brand: word,
        city: maybe,
        mall: maybe,
        locality: maybe,
        stores: fc.option(fc.nat()),
        date: day,
      }),
    ),
    deal: fc.option(
      fc.record({
        type: fc.constantFrom('funding', 'ipo', 'stake_sale'),
        amount: maybe,
        target: maybe,
        buyers: fc.uniqueArray(word),
        status: fc.option(fc.constantFrom('rumoured', 'agreed')),
      }),
    ),
    result: fc.option(
      fc.record({ company: word, period: maybe, metric: word, value: maybe, growth_pct: fc.option(fc.integer()) }),
    ),
  });

  it('property: what is written is read as the same', () => {
    fc.assert(
      fc.property(text, (said) => {
        const wanted = understanding(said as Partial<Understanding>);
        const sent = Object.fromEntries(CORRECTABLE.map((field) => [field, writeField(wanted, field)]));
        // Of a text that says otherwise in every field, so that all fields are read.
        const other = {
          ...understanding(),
          headline: 'x',
          summary: 'x',
          delta: 'x',
          cities: ['x'],
          people: [appointment({ person: 'x' })],
        };
        const read = { ...other, ...readCorrection({ ...other, move: 'rules' }, sent, find) };
        for (const field of CORRECTABLE)
          expect([field, writeField(read as Understanding, field)]).toEqual([field, sent[field]]);
        expect(Understanding.parse(read)).toMatchObject({ ...said, brands: wanted.brands });
      }),
      { numRuns: 200 },
    );
  });

  it('given the fields as they are, then nothing is corrected', () => {
    const now = understanding({ people: [appointment()], openings: [opening()], result: result() });
    const sent = Object.fromEntries(
      CORRECTABLE.map((field) => [field, `${writeField(now, field).replaceAll('\n', '\r\n')}\n`]),
    );
    expect(readCorrection(now, sent, find)).toEqual({});
  });

  it('given brands, then a known one keeps its slug, and a mention is secondary', () => {
    const { brands } = readCorrection(understanding(), { brands: 'ZUDIO\nKiri Foods (mention)\nNaya Bazaar' }, find);
    expect(brands).toEqual([
      { ...zudio, role: 'primary', provisional: false },
      { ...understanding().brands[0], role: 'secondary' },
      { slug: 'naya-bazaar', name: 'Naya Bazaar', role: 'primary', provisional: true },
    ]);
  });

  it('given a headline and a summary, then they are one line each, and an empty summary is none', () => {
    const sent = { headline: ' Kiri Foods opens\n41 stores ', summary: '' };
    expect(readCorrection(understanding({ summary: 'It said so.' }), sent, find)).toEqual({
      headline: 'Kiri Foods opens 41 stores',
      summary: null,
    });
  });

  it.each([
    [{ headline: ' ' }, /headline: "" is no headline/],
    [{ headline: 'x'.repeat(301) }, /headline: .* is longer than 300 characters/],
    [{ summary: 'x'.repeat(1_001) }, /summary: .* is longer than 1000 characters/],
    [{ move: 'party' }, /move: "party" is no kind of move/],
    [{ openings: 'open | Zudio' }, /openings: .* begins with none of opened, announced, planned, closed/],
    [{ openings: 'opened | Zudio | | | | many' }, /"many" where a whole number belongs/],
    [{ people: 'joined |' }, /names no person/],
    [{ people: 'joined | Asha Rao | | | | | soon' }, /"soon" as its day/],
    [{ deal: 'ipo\nipo' }, /more than one deal/],
    [{ result: 'Kiri | Q2 | revenue | 1 | 2 | 3' }, /6 parts, at most 5/],
  ])('given %j, then it is refused and says what is allowed', (sent, message) => {
    expect(() => readCorrection(understanding(), sent, find)).toThrow(Refusal);
    expect(() => readCorrection(understanding(), sent, find)).toThrow(message);
  });
});

describe('on a store', () => {
  let log: TestLog;
  let store: EventStore;
  beforeEach(async () => {
    log = await testLog();
    store = log.store;
  });
  afterEach(() => log.close());

  let count = 0;
  const review = (why = 'the report says so') => {
    count += 1;
    return { by: 'asha', why, time: '2026-07-07T08:00:00.000Z', id: eventId('correction', count) };
  };
  /** Sends reports through the items and a matcher of its own, as after a restart. */
  async function report(...reports: readonly TestStory[]): Promise<string[]> {
    const stories = reports.map(storyEvent);
    const items = stories.map(({ id, time, data }) =>
      newEvent('ItemFound', data.item, { id: eventId('item', id), time }),
    );
    await publishItems(log.items, ...items);
    await handleAll(store, stories);
    return stories.map(({ data }) => idOf(data));
  }
  const PATNA: TestStory = {
    brand: 'Zudio',
    title: 'Zudio opens its 12th store in Patna',
    url: 'https://post.example/patna',
    item_key: 'patna',
    understanding: { cities: ['Patna'], openings: [opening({ brand: 'Zudio', city: 'Patna' })] },
  };
  const HERALD: TestStory = { ...PATNA, outlet: 'Herald', url: 'https://herald.example/patna', item_key: 'h' };

  it('given a correction, when its source is edited and others report it, then the corrected fields stay', async () => {
    const [id = ''] = await report(PATNA);
    const sent = { headline: 'Zudio plans a store in Gaya', cities: 'Gaya', openings: 'planned | Zudio | Gaya' };
    await correctSignal(store, id, sent, find, review());
    await report(
      { ...PATNA, title: 'Zudio opens its 13th store in Patna', edits: 1, found_at: '2026-07-06T09:00:00.000Z' },
      { ...HERALD, authority: 0.9 },
    );
    const state = await readSignal(store, id);
    expect(state.reports.map(({ outlet }) => outlet)).toEqual(['Retail Post', 'Herald']);
    expect(state.understanding).toMatchObject({
      headline: 'Zudio plans a store in Gaya',
      cities: ['Gaya'],
      openings: [{ status: 'planned', city: 'Gaya' }],
      kind: 'Store plans',
    });
    const history = await signalHistory(id, { store, topics: log.topics, signal: never });
    expect(history.flatMap(({ changes }) => changes)).toContainEqual({
      field: 'correction',
      before: null,
      after: 'of headline, cities, openings, by asha: the report says so',
    });
  });

  it('given a replay of the items by other rules, then it changes no corrected field, and the next writes nothing', async () => {
    const [id = ''] = await report(PATNA, HERALD);
    await correctSignal(store, id, { cities: 'Gaya', move: 'strategy', openings: '' }, find, review());
    const understander = createUnderstander(smallCatalogue, null);
    const again = (name: string) =>
      replayItems({
        items: log.items,
        stories: log.stories,
        store,
        understander,
        logger,
        id: eventId(name),
        dry: false,
        signal: never,
        clock: () => new Date('2026-07-08T00:00:00.000Z'),
        onProgress: () => undefined,
      });
    await again('one');
    const state = await readSignal(store, id);
    expect(state.understanding).toMatchObject({ cities: ['Gaya'], move: 'strategy', openings: [] });
    expect(state.status).toBe('public');
    expect((await again('two')).appended).toEqual({});
  });

  it('given a text that changed since the operator read it, then nothing is corrected', async () => {
    const [id = ''] = await report(PATNA);
    await expect(correctSignal(store, id, { cities: 'Gaya' }, find, review(), 7)).rejects.toThrow(CannotReview);
    await correctSignal(store, id, { cities: 'Gaya' }, find, review(), 0);
  });

  it('given a report that is split off, then it has a signal of its own, and neither an edit nor a restart brings it back', async () => {
    const [id = ''] = await report(PATNA, HERALD);
    const read = async ({ title }: { title: string }) => ({
      understanding: understanding({ headline: title, cities: ['Surat'] }),
      understood_by: 'rules',
    });
    const own = await splitReport(store, id, 'https://herald.example/patna', undefined, read, review());
    const edited = { ...HERALD, summary: 'Edited.', edits: 1, found_at: '2026-07-06T09:00:00.000Z' };
    await report(HERALD, edited, PATNA);
    const outlets = async (signal: string) => (await readSignal(store, signal)).reports.map(({ outlet }) => outlet);
    expect(await outlets(id)).toEqual(['Retail Post']);
    expect(await outlets(own.slug)).toEqual(['Herald']);
    expect(await readSignal(store, own.id)).toMatchObject({ status: 'public', reports: [{ summary: 'Edited.' }] });
    await expect(splitReport(store, id, '1', undefined, read, review())).rejects.toThrow('no other report');
  });

  it('given a report whose own signal was merged back, when it is split off again, then it has another signal of its own', async () => {
    const [id = ''] = await report(PATNA, HERALD);
    const split = () => splitReport(store, id, 'https://herald.example/patna', undefined, null, review());
    const outlets = async (signal: string) => (await readSignal(store, signal)).reports.map(({ outlet }) => outlet);
    const first = await split();
    await mergeSignal(store, first.id, id, review());
    const second = await split();
    expect(await readSignal(store, second.id)).toMatchObject({ status: 'public' });
    expect([await outlets(id), await outlets(second.id)]).toEqual([['Retail Post'], ['Herald']]);
    // It moves on to a third signal, and from there back to the first: its own has lost it.
    const [other = ''] = await report({ title: 'Kiri Foods names a chief', brand: 'Kiri Foods' });
    await mergeSignal(store, second.id, other, review());
    await mergeSignal(store, other, id, review());
    const third = await split();
    expect(await outlets(third.id)).toEqual(['Herald']);
  });

  it('given the report whose text a signal has joins another signal, then the text is that of the one that stays', async () => {
    const [id = ''] = await report(PATNA, HERALD);
    const [other = ''] = await report({ title: 'Kiri Foods names a chief', brand: 'Kiri Foods' });
    await splitReport(store, id, '1', other, null, review());
    expect(await readSignal(store, id)).toMatchObject({
      text: { outlet: 'Herald' },
      understanding: { cities: ['Patna'] },
    });
    expect((await readSignal(store, other)).reports).toHaveLength(2);
    await expect(splitReport(store, id, '7', other, null, review())).rejects.toThrow('it has 1, named by number');
  });

  it('given decisions, then the label is what the operator found right, in the form of labelled items', async () => {
    const [id = ''] = await report(PATNA);
    expect(await readLabel(store, id)).toBeNull();
    await correctSignal(store, id, { cities: 'Gaya' }, find, review());
    await report({ ...PATNA, title: 'Other words', edits: 1, found_at: '2026-07-06T09:00:00.000Z' });
    const label = await readLabel(store, id);
    expect(label).toMatchObject({
      key: id,
      outlet: 'Retail Post',
      title: PATNA.title,
      relevant: true,
      roundup: false,
      move: 'stores',
      primary: ['Zudio'],
      secondary: [],
      cities: ['Gaya'],
    });
    await confirmSignal(store, id, review(''));
    expect(await readLabel(store, id)).toMatchObject({ title: 'Other words' });
    await retractSignal(store, id, review('an opinion'));
    expect(await readLabel(store, id)).toMatchObject({ relevant: false, move: null, primary: [], openings: [] });
    await releaseSignal(store, id, review('it is a move'));
    expect(await readLabel(store, id)).toBeNull();
  });
});

it('given a retracted signal, then its label names the item', () => {
  expect(labelOf([detected('one'), retracted('one')])).toMatchObject({ title: 'Title of one', relevant: false });
});

it('given an item, then how sure understanding was is between 0 and 1', () => {
  const item = { title: 'Zudio opens a store in Pune', summary: null, url: 'https://a.example/1', outlet: 'A' };
  const { certainty } = understandItem({ ...item, published_at: null }, smallCatalogue);
  expect(certainty.agreed).toBe(true);
  for (const share of [certainty.relevance, certainty.move]) expect(share >= 0 && share <= 1).toBe(true);
});
