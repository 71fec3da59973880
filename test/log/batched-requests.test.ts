import { describe, expect, it } from 'vitest';
import { batched } from '../../log/batched-requests.ts';

/** A load whose batches end when the test says so. */
function held() {
  const batches: { keys: readonly string[]; done: PromiseWithResolvers<void> }[] = [];
  const load = async (keys: readonly string[]): Promise<string[]> => {
    const done = Promise.withResolvers<void>();
    batches.push({ keys, done });
    await done.promise;
    return keys.map((key) => `${key} of ${batches.findIndex((batch) => batch.done === done)}`);
  };
  return { batches, load };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a batched look-up', () => {
  it('given many requests in one tick, then one load contains each key once, and each caller gets its value', async () => {
    const loads: (readonly string[])[] = [];
    const find = batched(async (keys) => {
      loads.push(keys);
      return keys.map((key) => key.toUpperCase());
    });
    expect(await Promise.all(['a', 'b', 'a'].map(find))).toEqual(['A', 'B', 'A']);
    expect(loads).toEqual([['a', 'b']]);
  });

  it('given a key that is being loaded, when it is requested again, then it is loaded again, so that no value is older than its request', async () => {
    const { batches, load } = held();
    const find = batched(load, { concurrency: 1 });
    const early = find('a');
    await turn();
    const late = [find('a'), find('b')];
    await turn();
    expect(batches.map(({ keys }) => keys)).toEqual([['a']]);
    batches[0]?.done.resolve();
    expect(await early).toBe('a of 0');
    await turn();
    batches[1]?.done.resolve();
    expect(await Promise.all(late)).toEqual(['a of 1', 'b of 1']);
  });

  it('given more keys than a batch takes, then they go in several, with limited concurrency', async () => {
    const { batches, load } = held();
    const find = batched(load, { maximum: 2, concurrency: 2 });
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(find));
    await turn();
    expect(batches.map(({ keys }) => keys)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    batches[1]?.done.resolve();
    await turn();
    expect(batches[2]?.keys).toEqual(['e']);
    for (const { done } of batches) done.resolve();
    expect(await all).toHaveLength(5);
  });

  it('given a load that fails, then those who waited for it fail, and the next goes on', async () => {
    let times = 0;
    const find = batched(async (keys) => {
      if (++times === 1) throw new Error('unavailable');
      return keys;
    });
    const failed = await Promise.allSettled([find('a'), find('b')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await find('a')).toBe('a');
  });
});
