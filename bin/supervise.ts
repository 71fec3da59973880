/** Keeps long-running parts alive, stops them together, and handles stop signals. */
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { keepRunning, RETRY } from '../log/backoff.ts';
import { logError } from '../log/errors.ts';
import { Stopped } from '../operations/operator-errors.ts';
import { partFailed } from '../schemas/observation.ts';

/** A part that runs until its signal aborts. */
export type Part = (signal: AbortSignal) => Promise<void>;

/**
 * Runs a part until the signal aborts. A part that fails or ends early is logged and restarted after a backoff of 200 ms
 * to 15 s; 15 s without failure reset the backoff.
 */
export async function supervise(name: string, part: Part, logger: Logger, signal: AbortSignal): Promise<void> {
  await keepRunning(
    async () => {
      await part(signal);
      if (signal.aborted) return;
      logger.warn({ part: name }, 'a part ended early and is restarted');
      partFailed.emit({ part: name });
    },
    {
      ...RETRY.part,
      signal,
      failed(error) {
        logError(logger, error, { part: name }, 'a part failed and is restarted');
        partFailed.emit({ part: name });
      },
    },
  );
}

const interrupted = new WeakSet<AbortSignal>();

/** Whether a stop signal came from the keyboard, where a user waits for the end. */
export const byKeyboard = (signal: AbortSignal): boolean => interrupted.has(signal);

/** A signal that aborts on SIGTERM or SIGINT; a second one ends the process immediately. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', () => {
    if (!controller.signal.aborted) interrupted.add(controller.signal);
    stop();
  });
  return controller.signal;
}

/**
 * Waits for work at the start, which can take as long as a server needs to answer.
 * @throws Stopped as soon as the signal aborts; the result of the work is dropped then
 */
export async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Stopped('stopped before it had started'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  // Once stopped, the outcome of the work is not awaited by anyone.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * Makes V8 collect garbage early instead of growing the heap with the memory of the machine. Ten thousand sources use 90 MB,
 * but between collections the process would reach 570 MB. The cost is more time in collections, which a poller has. Call it
 * before the work begins.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=15');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Makes V8 collect garbage when the heap has doubled, and allocate only young objects. A rebuild keeps 35 MB alive, and between
 * collections the heap would reach 180 MB. Arrays of a page that is being read survive a collection so often that V8 would
 * allocate them among the old objects: there they outlive their page, with all of its events. Call it before the work begins.
 */
export function keepHeapOfRebuildsSmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
