/** A handler that fails is tried again, later and later, for as long as its messages are ours to handle. */
import { backoff, pause } from './backoff.ts';

export interface Attempts {
  /** False when the partition was taken away, or the consumer stops. */
  readonly owned: () => boolean;
  readonly signal: AbortSignal;
  /** Told what each attempt threw. */
  readonly failed: (error: unknown) => void;
}

/** @returns false when the messages were taken away before the handler succeeded */
export async function untilHandled(handle: () => Promise<void>, { owned, signal, failed }: Attempts): Promise<boolean> {
  for (let attempt = 0; owned(); attempt++) {
    try {
      await handle();
      return true;
    } catch (error) {
      // A handler that gives up because all is stopping has not failed: its batch comes again at the next start.
      if (!signal.aborted) failed(error);
      await pause(backoff(attempt, { base: 100, maximum: 10_000 }, Math.random), signal);
    }
  }
  return false;
}
