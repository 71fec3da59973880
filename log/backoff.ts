/** What is done again after a failure: how long it waits, until when, and the loops that do so. */

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

/**
 * Waits for work for so many milliseconds; what it ends with later is ignored.
 * @throws what `late` makes when it takes longer
 */
export async function within<Result>(work: Promise<Result>, milliseconds: number, late: () => Error): Promise<Result> {
  const over = new AbortController();
  work.catch(() => undefined);
  try {
    return await Promise.race([
      work,
      pause(milliseconds, over.signal).then(() => (over.signal.aborted ? work : Promise.reject(late()))),
    ]);
  } finally {
    over.abort();
  }
}

/** How long is waited: for the call of a server, for messages, for a part of a process, and for a job of its own. */
export const RETRY = {
  call: { base: 50, maximum: 2_000 },
  message: { base: 100, maximum: 10_000 },
  part: { base: 200, maximum: 15_000 },
  job: { base: 1_000, maximum: 60_000 },
} as const satisfies Readonly<Record<string, BackoffBounds>>;

interface Attempt extends BackoffBounds {
  readonly signal?: AbortSignal;
  /** Receives the error of each attempt, and how many failed before it; what it throws ends the attempts. */
  readonly failed: (error: unknown, failures: number) => void;
}

/**
 * Repeats work with growing pauses until it succeeds. An attempt of more than the maximum pause resets the pauses.
 * @throws what `failed` throws, and the signal's reason when it aborts
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  { signal, failed, ...bounds }: Attempt,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    const started = performance.now();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (performance.now() - started > bounds.maximum) failures = 0;
      failed(error, failures);
      await pause(backoff(failures, bounds, Math.random), signal);
    }
  }
}

interface Loop extends Attempt {
  readonly signal: AbortSignal;
  /** Milliseconds after each success. Without it the work is to last: where it ends by itself, it waits as after a failure. */
  readonly every?: number;
}

/**
 * Repeats work until the signal aborts: after a success after `every`, after a failure with growing pauses. Work that ran
 * for more than the maximum pause, or that calls `working`, has the shortest pause after its next failure.
 * @throws what `failed` throws
 */
export async function keepRunning(
  work: (working: () => void) => Promise<unknown>,
  { signal, failed, every, ...bounds }: Loop,
): Promise<void> {
  let failures = 0;
  const working = (): void => {
    failures = 0;
  };
  while (!signal.aborted) {
    const started = performance.now();
    const succeeded = await work(working).then(
      () => true,
      (error: unknown) => {
        if (!signal.aborted) failed(error, failures);
        return false;
      },
    );
    const repeats = succeeded && every !== undefined;
    if (repeats || performance.now() - started > bounds.maximum) failures = 0;
    const wait = repeats ? every : backoff(failures++, bounds, Math.random);
    if (wait > 0) await pause(wait, signal);
  }
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
