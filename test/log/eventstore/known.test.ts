import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../log/eventstore/decide.ts';
import { knownStreams } from '../../../log/eventstore/known.ts';

const at = (revision: number) => ({ revision, position: BigInt(revision * 10) });

describe('what is known of streams', () => {
  test('given events learnt twice or out of turn, then they count once, in order', () => {
    const streams = knownStreams();
    const known = streams.open('a');
    for (const revision of [0, 1, 1, 0, 3, 2]) streams.learn('a', known, `id ${revision}`, at(revision));
    expect(known).toMatchObject({ revision: 2, position: 20n });
    expect([...known.events.keys()]).toEqual(['id 0', 'id 1', 'id 2']);
  });

  test('given more than is remembered, then the streams longest unused are forgotten', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 80 }), (used) => {
        const streams = knownStreams(20);
        for (const [nth, number] of used.entries()) {
          const known = streams.open(`s${number}`);
          streams.learn(`s${number}`, known, `id ${nth}`, at(known.revision + 1));
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
    const known = { ...at(1), behind: false, events: new Map([['one', at(0)]]) };
    expect(decide(known, [{ id: 'one' }, { id: 'two' }], expected).kind).toBe(kind);
    expect(decide(known, [{ id: 'one' }], expected)).toEqual({ kind: 'there', appended: at(0) });
  });
});
