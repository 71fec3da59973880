import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFirstFill, type FirstFill, MAX_HELD, MAX_WAIT } from '../../../ingest/poll/first-fill.ts';
import { pause as realPause } from '../../../log/backoff.ts';
import { type KnownEvent, newEvent } from '../../../schemas/events.ts';
import { ITEMS, ItemKey } from '../../../schemas/poll.ts';
import { eventId } from '../../../schemas/scalar.ts';
import { SourceId } from '../../../schemas/source.ts';
import { eventually } from '../../harness/eventually.ts';
import { rss, startOutlet } from './outlet.ts';
import { openPolling, type Polling, polled, source } from './polling.ts';

const START = Date.parse('2026-11-14T00:00:00Z');

/** An item of a source, found at `START`. @param minutes when it was published, null for no date */
function item(sourceId: SourceId, key: string, minutes: number | null): KnownEvent<'ItemFound'> {
  const time = new Date(START).toISOString();
  return newEvent(
    'ItemFound',
    {
      source_id: sourceId,
      outlet: sourceId,
      role: 'news',
      authority: 3,
      item_key: ItemKey.parse(key),
      url: `https://${sourceId}.example.in/${key}`,
      title: key,
      summary: null,
      published_at: minutes === null ? null : new Date(START - minutes * 60_000).toISOString(),
      first_seen_at: time,
      fingerprint: '0'.repeat(64),
      language: 'en',
      on_own_site: true,
    },
    { id: eventId('item', sourceId, key), time },
  );
}

/** A fill whose time a test lets pass, with what it published. */
function openFill(ids: readonly SourceId[]) {
  const published: string[] = [];
  const stop = new AbortController();
  let pass = (): void => undefined;
  const fill: FirstFill = createFirstFill({
    sources: () => ids,
    publish: async (items) => {
      stop.signal.throwIfAborted();
      published.push(...items.map(({ data }) => data.url));
    },
    pause: (milliseconds, signal) =>
      new Promise((resolve) => {
        expect(milliseconds).toBe(MAX_WAIT);
        pass = resolve;
        signal.addEventListener('abort', () => resolve());
      }),
    signal: stop.signal,
  });
  return { fill, published, stop, timePasses: () => pass() };
}

describe('the first fill', () => {
  it('given the same sources in any order of arrival, then their items are published in the same order, by time', async () => {
    const minutes = fc.option(fc.integer({ min: 0, max: 30 }), { nil: null });
    // Each source: its items before its articles were read, those after, and its place in the order of arrival.
    const sources = fc.array(fc.record({ before: fc.array(minutes), after: fc.array(minutes), place: fc.nat() }), {
      minLength: 1,
      maxLength: 12,
    });
    const run = async (given: typeof sources extends fc.Arbitrary<infer One> ? One : never, order: number[]) => {
      const ids = given.map((_, number) => SourceId.parse(`source-${number}`));
      const { fill, published } = openFill(ids);
      const completed: Promise<void>[] = [];
      for (const number of order) {
        const id = ids[number] as SourceId;
        const { before = [], after = [] } = given[number] ?? {};
        expect(fill.hold(before.map((one, at) => item(id, `b${at}`, one)))).toBe(true);
        expect(fill.hold(after.map((one, at) => item(id, `a${at}`, one)))).toBe(true);
        expect(published).toEqual([]);
        completed.push(fill.afterwards(id, async () => void published.push(`poll of ${id}`)));
        fill.arrived(id);
      }
      await Promise.all(completed);
      return published;
    };
    await fc.assert(
      fc.asyncProperty(sources, async (given) => {
        const inTurn = given.map((_, number) => number);
        const shuffled = inTurn.toSorted((one, other) => (given[one]?.place ?? 0) - (given[other]?.place ?? 0));
        const [expected, published] = await Promise.all([run(given, inTurn), run(given, shuffled)]);
        const items = given.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
        expect(published.slice(0, items)).toEqual(expected.slice(0, items));
        expect(published.toSorted()).toEqual(expected.toSorted());
        const times = given.flatMap(({ before, after }) => [...before, ...after].map((one) => one ?? 0));
        expect(published.slice(0, items)).toHaveLength(times.length);
        const timeOf = new Map<string, number>(
          given.flatMap(({ before, after }, number) =>
            [
              ...before.map((one, at) => [`b${at}`, one] as const),
              ...after.map((one, at) => [`a${at}`, one] as const),
            ].map(([key, one]) => [`https://source-${number}.example.in/${key}`, -(one ?? 0)] as const),
          ),
        );
        const order = published.slice(0, items).map((url) => timeOf.get(url) ?? Number.NaN);
        expect(order).toEqual(order.toSorted((one, other) => one - other));
      }),
    );
  });

  it('given a source that is slow, then the others are published after the maximum wait, and it publishes at once', async () => {
    const [fast, slow] = [SourceId.parse('fast'), SourceId.parse('slow')];
    const { fill, published, timePasses } = openFill([fast, slow]);
    expect(fill.hold([item(fast, 'one', 1)])).toBe(true);
    const completed = fill.afterwards(fast, async () => void published.push('poll of fast'));
    fill.arrived(fast);
    expect(published).toEqual([]);
    timePasses();
    await completed;
    expect(published).toEqual(['https://fast.example.in/one', 'poll of fast']);
    expect(fill.hold([item(slow, 'two', 2)])).toBe(false);
  });

  it('given as many items as it may hold, then it ends early', async () => {
    const [big, small] = [SourceId.parse('big'), SourceId.parse('small')];
    const { fill, published } = openFill([big, small]);
    fill.hold(Array.from({ length: MAX_HELD }, (_, number) => item(big, `${number}`, null)));
    expect(fill.hold([item(small, 'one', 1)])).toBe(false);
    await fill.end();
    expect(published).toHaveLength(MAX_HELD);
  });

  it('given a poller that stops, then nothing is published and no poll is completed', async () => {
    const id = SourceId.parse('stopped');
    const { fill, published, stop } = openFill([id, SourceId.parse('other')]);
    fill.hold([item(id, 'one', 1)]);
    const completed = fill.afterwards(id, async () => void published.push('poll'));
    stop.abort();
    await fill.end();
    await completed;
    expect(published).toEqual([]);
  });
});

describe('the first polls of a poller', () => {
  let polling: Polling;
  beforeAll(async () => {
    polling = await openPolling();
  });
  afterAll(() => polling.close());

  const entry = (host: string, minutes: number): string =>
    `<title>${host} ${minutes}</title><link>https://${host}.example.in/${minutes}</link>` +
    `<pubDate>${new Date(Date.now() - minutes * 60_000).toUTCString()}</pubDate>`;

  it('given outlets that respond in the wrong order, then items are published by time; a kill before loses none and doubles none', async () => {
    const gate = Promise.withResolvers<void>();
    const early = await startOutlet(async (_request, response) => {
      await gate.promise;
      response.end(rss(entry('early', 50), entry('early', 10)));
    });
    const late = await startOutlet((_request, response) => response.end(rss(entry('late', 40), entry('late', 20))));
    const failing = await startOutlet((_request, response) => response.writeHead(500).end());
    const sources = [source('late', late.url), source('failing', failing.url), source('early', early.url)];
    const published: string[][] = [];
    const topic = polling.topics.topic(ITEMS);
    const items = {
      publish: async (messages: Parameters<typeof topic.publish>[0]) => {
        published.push(messages.map(({ event }) => (event.data as { title: string }).title));
        await topic.publish(messages);
      },
    };
    const stopFirst = await polling.start(sources, { items });
    await polled(polling, ['failing']);
    await eventually(() => expect(early.requests).toHaveLength(1));
    await stopFirst();
    expect(published).toEqual([]);
    expect(polling.pollsOf('late')).toEqual([]);

    const stop = await polling.start(sources, { items });
    await eventually(() => expect(late.requests).toHaveLength(2));
    gate.resolve();
    await polled(polling, ['late', 'early']);
    await stop();
    expect(published).toEqual([['early 50', 'late 40', 'late 20', 'early 10']]);
    expect(polling.pollsOf('late')).toMatchObject([{ items_new: 2 }]);
    for (const outlet of [early, late, failing]) await outlet.close();
  });

  it('given an outlet that responds after the maximum wait, then its items are published too', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = await startOutlet(async (_request, response) => {
      await gate.promise;
      response.end(rss(entry('slow', 50)));
    });
    const fast = await startOutlet((_request, response) => response.end(rss(entry('fast', 40))));
    let timePasses = (): void => undefined;
    const passed = new Promise<void>((resolve) => {
      timePasses = resolve;
    });
    const stop = await polling.start([source('fast', fast.url), source('slow', slow.url)], {
      pause: async (milliseconds, signal) => {
        await (milliseconds === MAX_WAIT
          ? Promise.race([passed, realPause(60_000, signal)])
          : realPause(milliseconds, signal));
      },
    });
    await eventually(() => expect(slow.requests).toHaveLength(1));
    expect(polling.pollsOf('fast')).toEqual([]);
    timePasses();
    await polled(polling, ['fast']);
    await eventually(() => expect(polling.itemsOf('fast')).toHaveLength(1));
    gate.resolve();
    await eventually(() => expect(polling.itemsOf('slow')).toHaveLength(1));
    await polled(polling, ['slow']);
    await stop();
    for (const outlet of [slow, fast]) await outlet.close();
  });
});
