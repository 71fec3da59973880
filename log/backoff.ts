/** Waiting after a failure: how long, and until when. */

/** Waiting: how long after a failure, and until when. */

interface BackoffBounds {
  /** Milliseconds after the first failure. */
  readonly base: number;
  /** Maximum milliseconds. */
  readonly maximum: number;
}

/**
 * Milliseconds to wait after a failure: doubling from `base` to `maximum`. A random half of it is jitter, so that callers
 * that failed at the same time do not retry at the same time.
 * @param attempt failures in a row before this one, from 0
 * @param random a number from 0 up to 1, such as `Math.random`
 */
export function backoff(attempt: number, bounds: BackoffBounds, random: () => number): number {
  const whole = Math.min(bounds.maximum, bounds.base * 2 ** Math.min(attempt, 30));
  return whole / 2 + (whole / 2) * random();
}

/** Resolves after so many milliseconds, or immediately when the signal aborts; it never rejects. */
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

interface Attempts {
  /** False when the partition was revoked, or the consumer stops. */
  readonly owned: () => boolean;
  readonly signal: AbortSignal;
  /** Receives the error of each attempt. */
  readonly failed: (error: unknown) => void;
}

/**
 * Retries a handler with growing pauses, without a limit, as long as its messages belong to this consumer.
 * @returns false when the partition was revoked before the handler succeeded
 */
export async function untilHandled(handle: () => Promise<void>, { owned, signal, failed }: Attempts): Promise<boolean> {
  for (let attempt = 0; owned(); attempt++) {
    try {
      await handle();
      return true;
    } catch (error) {
      // A handler that gives up because the consumer stops has not failed: its batch is redelivered at the next start.
      if (!signal.aborted) failed(error);
      await pause(backoff(attempt, { base: 100, maximum: 10_000 }, Math.random), signal);
    }
  }
  return false;
}
