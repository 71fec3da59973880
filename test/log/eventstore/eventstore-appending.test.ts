import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RevisionConflict } from '../../../log/event-store.ts';
import { appender, decide, KnownStreams } from '../../../log/eventstore/eventstore-appending.ts';
import { someEvent } from '../contract/events.ts';

const at = (revision: number) => ({ revision, position: BigInt(revision * 10) });

describe('what is known of streams', () => {
  test('given events learnt twice or out of turn, then they count once, in order', () => {
    const streams = new KnownStreams();
    const known = streams.open('a');
    for (const revision of [0, 1, 1, 0, 3, 2])
      streams.learn('a', known, revision, [{ id: `id ${revision}`, ...at(revision) }]);
    expect(known).toMatchObject({ revision: 2, position: 20n });
    expect([...known.events.keys()]).toEqual(['id 0', 'id 1', 'id 2']);
  });

  test('given a stream whose first records the server no longer returns, then the rest is known', () => {
    const streams = new KnownStreams();
    const known = streams.open('a');
    streams.learn('a', known, 0, [{ id: 'id 7', ...at(7) }]);
    expect(known).toMatchObject({ revision: 7, position: 70n });
    streams.reset('a', known);
    expect(known).toMatchObject({ revision: -1, position: 0n });
    expect(known.events.size).toBe(0);
  });

  test('given more than is remembered, then the streams longest unused are forgotten', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 80 }), (used) => {
        const streams = new KnownStreams(20);
        for (const [nth, number] of used.entries()) {
          const known = streams.open(`s${number}`);
          const next = known.revision + 1;
          streams.learn(`s${number}`, known, next, [{ id: `id ${nth}`, ...at(next) }]);
        }
        const kept = [0, 1, 2, 3, 4, 5].flatMap((number) => streams.get(`s${number}`) ?? []);
        expect(kept.reduce((sum, { events }) => sum + events.size + 1, 0)).toBeLessThanOrEqual(20);
        // What was used last is there, unless it alone is too much.
        const last = used.at(-1);
        if (last !== undefined && used.filter((number) => number === last).length < 19)
          expect(streams.get(`s${last}`)).toBeDefined();
      }),
    );
  });

  test.each([
    ['any', 'append'],
    [1, 'append'],
    [0, 'conflict'],
    ['none', 'conflict'],
  ] as const)('given a stream at revision 1, when %s is expected, then the decision is to %s', (expected, kind) => {
    const known = { ...at(1), events: new Map([['one', at(0)]]) };
    expect(decide(known, [{ id: 'one' }, { id: 'two' }], expected).kind).toBe(kind);
    expect(decide(known, [{ id: 'one' }], expected)).toEqual({ kind: 'stored', place: at(0) });
  });
});

describe('an append', () => {
  test('given a stream that moves on at every attempt, then the append gives up with a conflict', async () => {
    let actual = 0;
    const append = appender({
      streams: new KnownStreams(),
      patience: () => ({ milliseconds: 0 }),
      readRecords: async (_, from) => (from <= actual ? [{ id: `other ${actual}`, ...at(actual) }] : []),
      write: async () => ({ actual: ++actual }),
    });
    await expect(append('a', [someEvent('one')], 'any')).rejects.toThrow(RevisionConflict);
    expect(actual).toBe(30);
  });

  test('given a server that was restored to an earlier point, then what was known of its streams is forgotten', async () => {
    const stored = [someEvent('one'), someEvent('two')].map(({ id }, revision) => ({ id, ...at(revision) }));
    const append = appender({
      streams: new KnownStreams(),
      patience: () => ({ milliseconds: 0 }),
      readRecords: async (_, from) => stored.slice(from),
      write: async (_, events, after) => {
        if (after !== stored.length - 1) return { actual: stored.length - 1 };
        for (const { id } of events) stored.push({ id, ...at(stored.length) });
        return { ...at(stored.length - 1), repeated: false };
      },
    });
    expect((await append('a', [someEvent('three')], 'any')).revision).toBe(2);
    stored.splice(1);
    expect((await append('a', [someEvent('four')], 'any')).revision).toBe(1);
    expect((await append('a', [someEvent('three')], 'any')).revision).toBe(2);
    expect(stored.map(({ id }) => id)).toEqual(['one', 'four', 'three'].map((name) => someEvent(name).id));
  });
});
