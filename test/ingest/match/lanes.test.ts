import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lane, openLanes } from '../../../ingest/match/lanes.ts';

interface Numbered extends Lane {
  readonly number: number;
}

describe('lanes', () => {
  it('keep the order of work that shares a key, whatever fails, and never exceed the limit of concurrent work', async () => {
    const jobs = fc.array(
      fc.record({ keys: fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }), fails: fc.boolean() }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({ min: 1, max: 4 }), fc.scheduler(), async (list, most, scheduler) => {
        const lanes = openLanes<Numbered>(most, (one, other) => (one.number + other.number) % 3 > 0);
        const started: number[] = [];
        const ended = new Set<number>();
        let running = 0;
        const all = list.map(({ keys, fails }, number) =>
          lanes(
            () => ({ keys, number }),
            async () => {
              started.push(number);
              expect(++running).toBeLessThanOrEqual(most);
              for (const earlier of list.keys())
                if (
                  earlier < number &&
                  (earlier + number) % 3 > 0 &&
                  list[earlier]?.keys.some((key) => keys.includes(key))
                )
                  expect(ended.has(earlier)).toBe(true);
              await scheduler.schedule(Promise.resolve());
              running--;
              ended.add(number);
              if (fails) throw new Error('failed');
            },
          ),
        );
        const done = await scheduler.waitFor(Promise.allSettled(all));
        expect(done.map(({ status }) => status)).toEqual(list.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
        expect(started).toHaveLength(list.length);
        for (const one of done) if (one.status === 'rejected') expect(one.reason.message).toBe('failed');
      }),
    );
  });

  it('given work whose keys cannot be read, then it fails alone and later work runs', async () => {
    const lanes = openLanes(1, () => true);
    const failing = lanes(
      () => {
        throw new Error('failing');
      },
      async () => 'never',
    );
    const next = lanes(
      () => ({ keys: [1] }),
      async () => 'done',
    );
    await expect(failing).rejects.toThrow('failing');
    expect(await next).toBe('done');
  });
});
