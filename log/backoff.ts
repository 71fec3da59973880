/** Waiting: how long after a failure, and until when. */

export interface BackoffBounds {
  /** Milliseconds after the first failure. */
  readonly base: number;
  /** Most milliseconds. */
  readonly maximum: number;
}

/**
 * Milliseconds to wait after a failure: doubling from `base` to `maximum`, of which a random half is jitter so that
 * many who failed together do not come back together.
 * @param attempt failures in a row before this one, from 0
 * @param random a number from 0 up to 1, such as `Math.random`
 */
export function backoff(attempt: number, bounds: BackoffBounds, random: () => number): number {
  const whole = Math.min(bounds.maximum, bounds.base * 2 ** Math.min(attempt, 30));
  return whole / 2 + (whole / 2) * random();
}

/** Resolves after so many milliseconds, or at once when the signal aborts; it never rejects. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}
