/** Trying again until it works. */
import type { Logger } from 'pino';
import { backoff, pause } from '../../log/backoff.ts';
import { logError } from '../../log/errors.ts';

/**
 * Runs work again until it succeeds, as when a database is restarting.
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
      logError(logger, error, { failures }, `${what} failed, trying again`);
      await pause(backoff(failures, { base: 100, maximum: 10_000 }, Math.random), signal);
    }
  }
}
