import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLanes } from '../../../ingest/match/lanes.ts';

describe('lanes', () => {
  it('keep the order of work that shares a key, whatever fails, and never run too much at once', async () => {
    const jobs = fc.array(
      fc.record({ keys: fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }), fails: fc.boolean() }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({ min: 1, max: 4 }), fc.scheduler(), async (list, most, scheduler) => {
        const lanes = openLanes(most);
        const started: number[] = [];
        const ended = new Set<number>();
        let running = 0;
        const all = list.map(({ keys, fails }, number) =>
          lanes(keys, async () => {
            started.push(number);
            expect(++running).toBeLessThanOrEqual(most);
            for (const earlier of list.keys())
              if (earlier < number && list[earlier]?.keys.some((key) => keys.includes(key)))
                expect(ended.has(earlier)).toBe(true);
            await scheduler.schedule(Promise.resolve());
            running--;
            ended.add(number);
            if (fails) throw new Error('failed');
          }),
        );
        const done = await scheduler.waitFor(Promise.allSettled(all));
        expect(done.map(({ status }) => status)).toEqual(list.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
        expect(started).toHaveLength(list.length);
        for (const one of done) if (one.status === 'rejected') expect(one.reason.message).toBe('failed');
      }),
    );
  });
});
