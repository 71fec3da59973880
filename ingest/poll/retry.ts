/** Retries without a limit. `docs/decisions/written-by-hand.md` says why no library does it. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';

/**
 * Repeats work until it succeeds, as when a database restarts.
 * @throws the signal's reason when it aborts
 */
export async function retryUntilSuccess<Result>(
  work: () => Promise<Result>,
  { what, logger, signal }: { what: string; logger: Logger; signal: AbortSignal },
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      logError(logger, error, { failures }, `${what} failed; it is retried`);
      await pause(backoff(failures, { base: 100, maximum: 10_000 }, Math.random), signal);
    }
  }
}
