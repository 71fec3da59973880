import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseClock } from '../../../log/postgres/clock.ts';
import { type TestDatabase, testDatabase } from '../../harness/database.ts';

const DAY = 86_400_000;
let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase();
});
afterAll(() => test.close());

/** A database that says another time. */
const saying = (milliseconds: () => number) => ({ query: async () => ({ rows: [{ milliseconds: milliseconds() }] }) });

describe('the clock that processes agree on', () => {
  it('given a machine whose clock is days off, then it still gives the time of the database', async () => {
    const at = Date.now();
    vi.useFakeTimers({ now: at - 3 * DAY, toFake: ['Date'] });
    try {
      const clock = await databaseClock(test.database);
      expect(Math.abs(clock.now().getTime() - at)).toBeLessThan(20_000);
      vi.setSystemTime(at + 30 * DAY);
      expect(Math.abs(clock.now().getTime() - at)).toBeLessThan(20_000);
      clock.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('given an unreachable database, then time advances; given one with another time, then that time counts', async () => {
    let [passed, ahead, away] = [0, 1_000_000, false];
    const database = saying(() => {
      if (away) throw new Error('away');
      return ahead + passed;
    });
    const clock = await databaseClock(database as never, { elapsed: () => passed });
    passed = 60_000;
    away = true;
    await expect(clock.set()).rejects.toThrow('away');
    expect(clock.now().getTime()).toBe(1_060_000);
    away = false;
    ahead += 20;
    await clock.set();
    expect(clock.now().getTime(), 'a trembling is none').toBe(1_060_000);
    ahead -= DAY;
    await clock.set();
    expect(clock.now().getTime()).toBe(1_060_020 - DAY);
    clock.close();
  });
});
