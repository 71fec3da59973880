/**
 * How long `vi.waitFor` and `expect.poll` retry in tests that wait for another process or loop. Shorter than the timeout of a
 * test, so that a failure shows the expectation that was not met.
 */
export const WAIT_OPTIONS = { timeout: 120_000, interval: 20 };
