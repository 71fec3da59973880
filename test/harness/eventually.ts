/** Waiting in tests for what another process or loop does. */
import { vi } from 'vitest';
import { WAIT_OPTIONS } from './wait-options.ts';

/** Repeats a check until it passes. @returns what the check returns @throws what it threw last, after two minutes */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Awaited<Result>> =>
  vi.waitFor(check, WAIT_OPTIONS) as Promise<Awaited<Result>>;
