import { describe, expect, it } from 'vitest';
import { cacheFor } from '../../web/names.ts';

/** A clock that the test moves, and a loader that counts its calls. */
function given(values: readonly (number | Error)[], isWorthIt?: (value: number) => boolean) {
  let [at, loads] = [0, 0];
  const load = async (): Promise<number> => {
    const value = values[loads++] ?? 0;
    if (value instanceof Error) throw value;
    return value;
  };
  const ask = cacheFor(60, () => new Date(at), load, isWorthIt);
  const pass = (seconds: number): void => {
    at += seconds * 1_000;
  };
  return { ask, pass, loads: () => loads };
}

describe('remember', () => {
  it('given concurrent and repeated calls, then the value is loaded once, until it expires', async () => {
    const { ask, pass, loads } = given([1, 2]);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    pass(59);
    expect(await ask()).toBe(1);
    pass(1);
    expect(await ask()).toBe(2);
    expect(loads()).toBe(2);
  });

  it('given a clock that is set back, then the value expires at once', async () => {
    const { ask, pass } = given([1, 2]);
    pass(86_400);
    expect(await ask()).toBe(1);
    pass(-86_400);
    expect(await ask()).toBe(2);
    expect(await ask()).toBe(2);
  });

  it('given a failed load, or a value not to be cached, then the next call loads again', async () => {
    const { ask } = given([new Error('unreachable'), 0, 3], (value) => value > 0);
    await expect(ask()).rejects.toThrow('unreachable');
    expect(await ask()).toBe(0);
    expect(await ask()).toBe(3);
    expect(await ask()).toBe(3);
  });
});
