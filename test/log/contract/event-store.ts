/** What every event store must do, whatever it is built on. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EventStore,
  type ExpectedRevision,
  type Page,
  RevisionConflict,
  type StoredEvent,
} from '../../../log/event-store.ts';
import { EventTooLarge, MAXIMUM_EVENT_BYTES } from '../../../log/topic.ts';
import { eventOfBytes, someEvent, someEvents } from './events.ts';

export interface EventStoreUnderTest {
  /** A store of its own: another connection to the same events. */
  open(): Promise<EventStore>;
  close(): Promise<void>;
}

const names = (events: readonly StoredEvent[]): unknown[] => events.map(({ data }) => (data as { name: string }).name);

/** All events of the prefixes after a position, by pages. It ends at the head of now: others may go on writing to a server. */
export async function readToEnd(
  store: EventStore,
  prefixes: readonly string[] | undefined,
  after = 0n,
  limit = 100,
): Promise<{ readonly events: readonly StoredEvent[]; readonly position: bigint }> {
  const events: StoredEvent[] = [];
  const head = await store.head();
  for (let position = after; ; ) {
    const page = await store.readAll({ after: position, limit, ...(prefixes && { prefixes }) });
    events.push(...page.events);
    if (page.position === position || page.position >= head) return { events, position: page.position };
    position = page.position;
  }
}

/** Follows a subscription until `enough` says so. */
export async function follow(
  store: EventStore,
  options: { after: bigint; prefixes?: readonly string[]; limit?: number },
  enough: (events: readonly StoredEvent[], page: Page) => boolean,
): Promise<StoredEvent[]> {
  const controller = new AbortController();
  const events: StoredEvent[] = [];
  for await (const page of store.subscribe({ ...options, signal: controller.signal })) {
    events.push(...page.events);
    if (enough(events, page)) controller.abort();
  }
  return events;
}

/** How many streams the large test writes to, and how many events one append of it has. */
const [MANY_STREAMS, MANY_AT_ONCE] = [20, 250];

/**
 * The contract, to be called inside a test file.
 * @param start opens the store that is tested
 * @param options.many how many events go through in the large test
 */
export function eventStoreContract(
  start: () => Promise<EventStoreUnderTest>,
  { many = 5_000 }: { many?: number } = {},
): void {
  // Names of this run alone: on a server that keeps its data, the suite runs as often as one likes.
  const run = randomUUID().slice(0, 8);
  const named = (name: string): string => `${run}-${name}`;
  describe('the contract of an event store', () => {
    let under: EventStoreUnderTest;
    let store: EventStore;
    beforeAll(async () => {
      under = await start();
      store = await under.open();
    });
    afterAll(async () => {
      await store.close();
      await under.close();
    });

    test('given events of a stream, then they are read whole, in order, from any revision', async () => {
      const events = someEvents('order', 5);
      await store.append(named('order-1'), events.slice(0, 2), 'none');
      const last = await store.append(named('order-1'), events.slice(2), 1);
      expect(last.revision).toBe(4);
      const read = await store.read(named('order-1'));
      expect(read).toEqual(
        events.map((event, revision) => ({
          ...event,
          stream: named('order-1'),
          revision,
          position: expect.any(BigInt),
        })),
      );
      expect(read.at(-1)?.position).toBe(last.position);
      expect(names(await store.read(named('order-1'), 3))).toEqual(['order 3', 'order 4']);
      expect(await store.read(named('order-none'))).toEqual([]);
    });

    test('given text of any kind in an event, then it comes back unchanged', async () => {
      const data = { name: 'ना\u0000"\\ \u2028 🛍 </script>', empty: {}, list: [1, null, 'é'], number: 1e21 };
      await store.append(named('text-1'), [someEvent('text', data)], 'none');
      expect((await store.read(named('text-1')))[0]?.data).toEqual(data);
    });

    test.each([
      { expected: 'none' as const, actual: 1 },
      { expected: 0, actual: 1 },
      { expected: 7, actual: 1 },
    ])(
      'given a stream at revision 1, when $expected was expected, then it is a conflict',
      async ({ expected, actual }) => {
        await store.append(named('conflict-1'), someEvents('conflict', 2), 'any');
        const append = store.append(named('conflict-1'), [someEvent(`conflicting ${expected}`)], expected);
        await expect(append).rejects.toThrow(RevisionConflict);
        await expect(append).rejects.toMatchObject({ stream: named('conflict-1'), expected, actual });
        expect(await store.read(named('conflict-1'))).toHaveLength(2);
      },
    );

    test('given no stream, when a revision was expected, then it is a conflict at -1', async () => {
      await expect(store.append(named('conflict-2'), [someEvent('c2')], 0)).rejects.toMatchObject({ actual: -1 });
    });

    test('given a repeated append, then it is stored once and returns the same, whatever was expected', async () => {
      const events = someEvents('twice', 3);
      const first = await store.append(named('twice-1'), events, 'none');
      await store.append(named('twice-1'), [someEvent('later')], 2);
      expect(await store.append(named('twice-1'), events, 'none')).toEqual({ ...first, stored: [] });
      expect(await store.append(named('twice-1'), events, 'any')).toEqual({ ...first, stored: [] });
      expect(names(await store.read(named('twice-1')))).toEqual(
        ['twice 0', 'twice 1', 'twice 2', 'later'].map((name) => name),
      );
    });

    test('given one event twice in an append, then it is stored once', async () => {
      const event = someEvent('doubled');
      expect(await store.append(named('doubled-1'), [event, event], 'none')).toMatchObject({
        revision: 0,
        stored: [event.id],
      });
      expect(await store.read(named('doubled-1'))).toHaveLength(1);
    });

    test('given the same event for two streams, then both have it', async () => {
      await store.append(named('both-1'), [someEvent('both')], 'none');
      await store.append(named('both-2'), [someEvent('both')], 'none');
      expect(await store.read(named('both-2'))).toHaveLength(1);
    });

    test('given two writers that expect the same revision at once, then one succeeds', async () => {
      const other = await under.open();
      const outcomes = await Promise.allSettled([
        store.append(named('race-1'), [someEvent('race a')], 'none'),
        other.append(named('race-1'), [someEvent('race b')], 'none'),
      ]);
      await other.close();
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await store.read(named('race-1'))).toHaveLength(1);
    });

    test('given an event of 1 MB, then it is taken; above the limit, then it is refused and nothing is stored', async () => {
      await store.append(named('large-1'), [eventOfBytes('large', 1_048_576)], 'none');
      expect((await store.read(named('large-1')))[0]?.data).toEqual({ text: 'x'.repeat(1_048_576) });
      const refused = store.append(
        named('large-2'),
        [someEvent('small'), eventOfBytes('huge', MAXIMUM_EVENT_BYTES)],
        'none',
      );
      await expect(refused).rejects.toThrow(EventTooLarge);
      expect(await store.read(named('large-2'))).toEqual([]);
    });

    test('given streams of several prefixes, then a page contains the requested ones, in the order of commit', async () => {
      const start = await store.head();
      await store.append(named('alpha-1'), [someEvent('a1')], 'none');
      await store.append(named('beta-1'), [someEvent('b1')], 'none');
      await store.append(named('gamma-1'), [someEvent('g1')], 'none');
      const last = await store.append(named('alpha-1'), [someEvent('a2')], 0);
      const { events, position } = await readToEnd(store, [named('alpha-'), named('gamma-')], start, 2);
      expect(names(events)).toEqual(['a1', 'g1', 'a2']);
      // Others may write to a server at the same time.
      expect(position).toBeGreaterThanOrEqual(last.position);
      const everything = (await readToEnd(store, undefined, start, 1_000)).events;
      const own = everything.filter(({ stream }) => stream.startsWith(named('')));
      expect(names(own)).toEqual(['a1', 'b1', 'g1', 'a2']);
    });

    test('given nothing that matches, then the position still advances to the end', async () => {
      const start = await store.head();
      const last = await store.append(named('other-1'), someEvents('other', 20), 'none');
      const { events, position } = await readToEnd(store, [named('nothing-like-this-')], start);
      expect(events).toEqual([]);
      expect(position).toBeGreaterThanOrEqual(last.position);
    });

    test('given a live subscription, then it emits old events and new ones from any connection, and advances', async () => {
      const after = await store.head();
      await store.append(named('live-1'), [someEvent('live 0')], 'none');
      const seen = follow(store, { after, prefixes: [named('live-')] }, (events, page) => {
        return events.length === 3 && page.position > (events.at(-1)?.position ?? 0n);
      });
      const other = await under.open();
      await other.append(named('live-1'), [someEvent('live 1')], 0);
      await other.append(named('live-2'), [someEvent('live 2')], 'none');
      await other.append(named('elsewhere-1'), [someEvent('elsewhere')], 'none');
      expect(names(await seen)).toEqual(['live 0', 'live 1', 'live 2']);
      await other.close();
    });

    test('given a page, read or subscribed to, then it names its last event, and another id there is another log', async () => {
      const options = { after: await store.head(), prefixes: [named('page-')], limit: 1 };
      await store.append(named('page-1'), someEvents(named('page'), 2), 'none');
      const pages = [await store.readAll(options)];
      await follow(store, options, (_, page) => pages.push(page) > 0);
      for (const { events, position, id } of pages) {
        expect(events[0]).toMatchObject({ position, id });
        expect(await store.has(position, id ?? null)).toBe(true);
        expect(await store.has(position, randomUUID())).toBe(false);
      }
    });

    test('given a reader that stopped before it stored its position, then the next one gets the same events again', async () => {
      const after = await store.head();
      await store.append(named('again-1'), someEvents('again', 6), 'none');
      const first = await follow(
        store,
        { after, prefixes: [named('again-')], limit: 4 },
        (events) => events.length >= 4,
      );
      const other = await under.open();
      const whole = await follow(other, { after, prefixes: [named('again-')] }, (events) => events.length === 6);
      expect(whole.slice(0, first.length)).toEqual(first);
      const place = first.at(3)?.position ?? 0n;
      const rest = await follow(other, { after: place, prefixes: [named('again-')] }, (events) => events.length === 2);
      expect(names(rest)).toEqual(['again 4', 'again 5']);
      await other.close();
    });

    test('given an append of which a part is already stored, then only the rest is stored', async () => {
      await store.append(named('part-1'), someEvents('part', 2), 'none');
      const other = await under.open();
      expect((await other.append(named('part-1'), someEvents('part', 4), 'any')).revision).toBe(3);
      expect((await other.append(named('part-1'), someEvents('part', 5), 3)).revision).toBe(4);
      await other.close();
      expect(names(await store.read(named('part-1')))).toEqual(['part 0', 'part 1', 'part 2', 'part 3', 'part 4']);
    });

    test('given appends of which all, some or nothing is already stored, then each names what it stored', async () => {
      const events = someEvents('stored', 4);
      const [one, two, three, four] = events.map(({ id }) => id);
      const append = async (to: EventStore, until: number, expected: ExpectedRevision) =>
        (await to.append(named('stored-1'), events.slice(0, until), expected)).stored;
      expect(await append(store, 0, 'any')).toEqual([]);
      expect(await append(store, 1, 'none')).toEqual([one]);
      expect(await append(store, 1, 'any')).toEqual([]);
      expect(await append(store, 3, 0)).toEqual([two, three]);
      // By one who knows nothing of the stream, and need not read what should not be there.
      for (const expected of ['none', 'any', 0] as const) {
        const other = await under.open();
        expect(await append(other, 3, expected)).toEqual([]);
        await other.close();
      }
      const other = await under.open();
      expect(await append(other, 4, 'any')).toEqual([four]);
      expect(await append(store, 4, 'any')).toEqual([]);
      await other.close();
    });

    test('given an append that another process repeats without having read it, then only the first has stored it', async () => {
      const other = await under.open();
      const events = someEvents('unread', 4);
      const [one, two] = [events.slice(0, 1), events.slice(1)];
      // It knows the first event, and nothing of what followed.
      await store.append(named('unread-1'), one, 'none');
      expect((await other.append(named('unread-1'), one, 'none')).stored).toEqual([]);
      const first = await store.append(named('unread-1'), two, 0);
      expect(first.stored).toEqual(two.map(({ id }) => id));
      expect(await other.append(named('unread-1'), two, 0)).toEqual({ ...first, stored: [] });
      await other.close();
    });

    test('given equal appends of two processes at once, then each event was stored by one of them', async () => {
      const other = await under.open();
      const all = await Promise.all(
        someEvents('equal', 30).map(async (event, nth) => {
          const appends = [store, other].map((one) => one.append(named(`equal-${nth}`), [event], 'none'));
          return (await Promise.all(appends)).flatMap(({ stored }) => stored).length;
        }),
      );
      await other.close();
      expect(all).toEqual(all.map(() => 1));
    });

    test('given many writers that append to one stream at once, without an expected revision, then every event is stored once', async () => {
      const other = await under.open();
      const events = someEvents('crowd', 40);
      await Promise.all(
        events.flatMap((event) => [store, other].map((one) => one.append(named('crowd-1'), [event], 'any'))),
      );
      await other.close();
      const read = await store.read(named('crowd-1'));
      expect(read.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
      expect(read.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
    });

    test(`given ${many} events of many streams, then a reader next to the writers gets each once, in order`, async () => {
      const after = await store.head();
      const other = await under.open();
      const each = many / MANY_STREAMS;
      const next = new Map<string, number>();
      let delivered = 0;
      const controller = new AbortController();
      const reading = (async () => {
        for await (const page of other.subscribe({ after, prefixes: [named('many-')], signal: controller.signal })) {
          for (const { stream, revision } of page.events) {
            // Said only when it is so: an expectation for each would take longer than the events.
            if (revision !== (next.get(stream) ?? 0))
              expect(`${stream} ${revision}`).toBe(`${stream} ${next.get(stream)}`);
            next.set(stream, revision + 1);
            delivered++;
          }
          if (delivered >= many) controller.abort();
        }
      })();
      const writing = Array.from({ length: MANY_STREAMS }, async (_, nth) => {
        const events = someEvents(`many ${nth}`, each);
        for (let from = 0; from < each; from += MANY_AT_ONCE)
          await store.append(
            named(`many-${nth}`),
            events.slice(from, from + MANY_AT_ONCE),
            from === 0 ? 'none' : from - 1,
          );
      });
      await Promise.all([reading, ...writing]);
      await other.close();
      expect(delivered).toBe(many);
      expect([...next.values()]).toEqual(Array.from({ length: MANY_STREAMS }, () => each));
      expect((await store.read(named(`many-${MANY_STREAMS - 1}`))).at(-1)?.revision).toBe(each - 1);
    });
  });
}
