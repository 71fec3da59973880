import { describe, expect, it } from 'vitest';
import { stepAfter } from '../../../projector/rebuild/fill-build.ts';

/** The clock of the server is 5,000 ms behind. */
const PROMPT = Array.from({ length: 20 }, (_, number) => -5_000 + (number % 3) / 10);
const LATE = [...PROMPT, -4_998, ...PROMPT.slice(0, 5), -4_997];

/** The steps of so many probes that all see the same. */
const steps = (from: number, delays: readonly number[], reading: boolean, probes: number): number => {
  let step = from;
  for (let probe = 0; probe < probes; probe++) step = stepAfter(step, delays, reading);
  return step;
};

describe('a rebuild next to readers', () => {
  it('given statements that are answered late, does less step by step, down to half of the time', () => {
    expect(steps(0, LATE, true, 1)).toBe(1);
    expect(steps(0, LATE, true, 10)).toBe(4);
  });

  it('given prompt answers again, returns to full speed', () => {
    expect(steps(4, [...LATE, ...PROMPT], true, 4)).toBe(0);
  });

  it('given a single late answer, or a delay between late and prompt, keeps its speed', () => {
    expect(stepAfter(1, [...PROMPT.slice(0, 3), -4_990], true)).toBe(0);
    expect(stepAfter(2, [...PROMPT, -4_999.3, -4_999.3], true)).toBe(2);
  });

  it('given no other program, works at full speed however late its own statements are', () => {
    expect(stepAfter(4, LATE, false)).toBe(0);
  });
});
