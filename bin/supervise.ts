import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { backoff, pause } from '../log/backoff.ts';
import { partFailed } from '../schemas/observation.ts';
import { Stopped } from './errors.ts';

// Keeps long-running parts alive and brings them down together.

/** A part that runs until its signal aborts. */
export type Part = (signal: AbortSignal) => Promise<void>;

/**
 * Runs a part until the signal aborts. A part that fails or ends early is logged and started again after backing off
 * from 200 ms to 15 s; a minute without failure forgives the earlier ones.
 */
export async function supervise(name: string, part: Part, logger: Logger, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    const started = performance.now();
    try {
      await part(signal);
      if (!signal.aborted) logger.warn({ part: name }, 'ended early, starting it again');
    } catch (error) {
      if (signal.aborted) return;
      logger.error({ part: name, err: error }, 'failed, starting it again');
    }
    if (signal.aborted) return;
    partFailed.tell({ part: name });
    if (performance.now() - started > 60_000) attempt = 0;
    await pause(backoff(attempt, { base: 200, maximum: 15_000 }, Math.random), signal);
  }
}

const interrupted = new WeakSet<AbortSignal>();

/** Whether a stop signal came from the keyboard: somebody waits for the end. */
export const byKeyboard = (signal: AbortSignal): boolean => interrupted.has(signal);

/** A signal that aborts on SIGTERM or SIGINT; a second one ends the process at once. */
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
 * Waits for work of the start, which may take as long as a server takes to answer.
 * @throws Stopped as soon as the signal aborts; the result of the work is dropped then
 */
export async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Stopped('stopped before it had started'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

// Memory for a process of many small jobs.

/**
 * Has V8 collect its garbage early instead of letting the heap grow with the memory of the machine: ten thousand
 * sources leave 90 MB in use, but between collections the process would come to 570 MB. The cost is some more time
 * for collecting, which a poller, waiting for outlets most of the time, has. Call it before the work begins.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=15');
  setFlagsFromString('--semi-space-growth-factor=1');
}
