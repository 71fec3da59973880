import { WrongExpectedVersionError } from '@eventstore/db-client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RevisionConflict } from '../../../log/event-store.ts';
import { appender, decide, KnownStreams } from '../../../log/eventstore/eventstore-appending.ts';
import { someEvent } from '../contract/events.ts';

const at = (revision: number) => ({ revision, position: BigInt(revision * 10) });

describe('what is known of streams', () => {
  test('given events learnt twice or out of turn, then they count once, in order', () => {
    const streams = new KnownStreams();
    for (const revision of [0, 1, 1, 0, 3, 2])
      streams.learn('a', revision, [{ id: `id ${revision}`, ...at(revision) }]);
    expect(streams.get('a')).toMatchObject({ revision: 2, position: 20n });
    expect([...streams.open('a').events.keys()]).toEqual(['id 0', 'id 1', 'id 2']);
  });

  test('given a stream whose first records the server no longer returns, then the rest is known', () => {
    const streams = new KnownStreams();
    streams.learn('a', 0, [{ id: 'id 7', ...at(7) }], 9);
    expect(streams.get('a')).toMatchObject({ revision: 9, position: 70n });
    streams.forget('a');
    expect(streams.get('a')).toBeUndefined();
  });

  test('given more than is remembered, then the streams longest unused are forgotten', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 80 }), (used) => {
        const streams = new KnownStreams(20);
        for (const [nth, number] of used.entries()) {
          const next = streams.open(`s${number}`).revision + 1;
          streams.learn(`s${number}`, next, [{ id: `id ${nth}`, ...at(next) }]);
        }
        const last = used.at(-1) ?? 0;
        const kept = [0, 1, 2, 3, 4, 5].flatMap((number) => streams.get(`s${number}`) ?? []);
        // The one used last is there, and with it others as far as there is room.
        expect(streams.get(`s${last}`) !== undefined).toBe(used.length > 0);
        const events = kept.reduce((sum, state) => sum + state.events.size + 1, 0);
        expect(events).toBeLessThanOrEqual(kept.length > 1 ? 21 : used.length + 1);
      }),
    );
  });

  test.each([
    ['any', 'append'],
    [1, 'append'],
    [0, 'conflict'],
    ['none', 'conflict'],
  ] as const)('given a stream at revision 1, when %s is expected, then the decision is to %s', (expected, kind) => {
    const state = { ...at(1), events: new Map([['one', at(0)]]) };
    expect(decide(state, [{ id: 'one' }, { id: 'two' }], expected).kind).toBe(kind);
    expect(decide(state, [{ id: 'one' }], expected)).toEqual({ kind: 'stored', place: at(0) });
  });
});

describe('an append', () => {
  /** A server whose only stream has these records, and in which another writer appends before each append. */
  function contended(records: { readonly id: string; readonly revision: bigint }[]) {
    return {
      patience: () => ({ milliseconds: 0 }),
      retried: <Result>(work: () => Promise<Result>) => work(),
      readStream: async (_: string, from: number) =>
        records
          .slice(from)
          .map((record) => ({ event: { ...record, position: { commit: record.revision, prepare: 0n } } })),
      append: async (streamName: string): Promise<never> => {
        const current = BigInt(records.length);
        records.push({ id: `other ${current}`, revision: current });
        throw new WrongExpectedVersionError(null as never, { streamName, current, expected: 'any' });
      },
    };
  }

  test('given a stream that moves on at every attempt, then the append gives up with a conflict', async () => {
    const records: { readonly id: string; readonly revision: bigint }[] = [];
    const append = appender(contended(records) as never, new KnownStreams());
    await expect(append('a', [someEvent('one')], 'any')).rejects.toThrow(RevisionConflict);
    expect(records).toHaveLength(30);
  });

  test('given a stream that is truncated meanwhile and an answer without a place, then the place is the end of the log', async () => {
    const end = { id: 'last', position: { commit: 41n, prepare: 41n } };
    const truncated = {
      ...contended([]),
      append: async () => ({ nextExpectedRevision: 0n }),
      readStream: async (stream: string) =>
        stream === '$$a' ? [{ event: { revision: 0n, data: { $tb: 1 }, position: end.position } }] : [],
      lastRecord: async () => ({ event: end }),
    };
    const append = appender(truncated as never, new KnownStreams());
    expect(await append('a', [someEvent('one')], 'none')).toMatchObject({ revision: 0, position: 83n });
  });
});
