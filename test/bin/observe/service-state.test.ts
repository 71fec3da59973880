import { describe, expect, it } from 'vitest';
import { LagClock } from '../../../bin/observe/service-state.ts';

const at = (partition: number, next: number, end: number) => ({ partition, next: BigInt(next), end: BigInt(end) });

describe('how far a group of consumers is behind', () => {
  it('given nothing that waits, then no messages and no time', () => {
    const clock = new LagClock();
    expect(clock.measure('items', 'match', [at(0, 5, 5), at(1, 0, 0)], 1_000)).toMatchObject({ lag: 0, seconds: 0 });
  });

  it('given a group that stopped, then time grows from the sample in which the oldest message first appeared', () => {
    const clock = new LagClock();
    clock.measure('items', 'match', [at(0, 5, 5)], 0);
    clock.measure('items', 'match', [at(0, 5, 7)], 10_000);
    expect(clock.measure('items', 'match', [at(0, 5, 9)], 70_000)).toMatchObject({ lag: 4, seconds: 60 });
  });

  it('given a group that handles the oldest, then time counts from the next one, although the lag grows', () => {
    const clock = new LagClock();
    clock.measure('items', 'match', [at(0, 0, 10)], 0);
    clock.measure('items', 'match', [at(0, 5, 30)], 60_000);
    expect(clock.measure('items', 'match', [at(0, 10, 60)], 90_000)).toMatchObject({ lag: 50, seconds: 30 });
    expect(clock.measure('items', 'match', [at(0, 60, 60)], 100_000)).toMatchObject({ lag: 0, seconds: 0 });
  });

  it('given one partition that is stuck among others that are not, then its time counts', () => {
    const clock = new LagClock();
    clock.measure('items', 'match', [at(0, 0, 1), at(1, 0, 100)], 0);
    const lag = clock.measure('items', 'match', [at(0, 0, 1), at(1, 100, 100)], 300_000);
    expect(lag).toMatchObject({
      lag: 1,
      seconds: 300,
      partitions: [
        { partition: 0, lag: 1 },
        { partition: 1, lag: 0 },
      ],
    });
  });

  it('given years of samples of a stuck partition, then memory is bounded and the oldest sample is kept', () => {
    const clock = new LagClock();
    let seconds = 0;
    for (let look = 0; look < 50_000; look++)
      seconds = clock.measure('items', 'match', [at(0, 0, look + 1)], look * 1_000).seconds;
    expect(seconds).toBe(49_999);
  });
});
