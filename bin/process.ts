/** The life of a process: open the stores, run the parts, stop cleanly. */
import { pause } from '../log/backoff.ts';
import { type Configuration, readConfiguration } from '../schemas/configuration.ts';
import { Stopped } from './errors.ts';
import { isLoopback } from './first-key.ts';
import { createLogger, levelOf } from './logging.ts';
import { openWatch } from './observe/observed-process.ts';
import { openTracing } from './observe/tracing.ts';
import { openServices, type Services } from './services.ts';
import { byKeyboard, type Part, stopSignal, supervise, unlessStopped } from './supervise.ts';

/** How long a part may take to put down what it holds after SIGTERM, in milliseconds. */
const GRACE = 5_000;
/** How long requests under way may take to be answered after the port is closed, in milliseconds. */
const ANSWER_GRACE = 10_000;
/** Seconds between failing readiness and closing the port where `DRAIN_SECONDS` is unset: a balancer's time to notice. */
const DRAIN_SECONDS = 5;

/** What is to be closed at the end, the last opened first. */
export class Closing {
  readonly #actions: (() => Promise<unknown>)[] = [];
  readonly #servers: (() => void)[] = [];

  add(action: () => Promise<unknown>): void {
    this.#actions.push(action);
  }

  /** The process answers readers: it drains before it closes. @param beginDraining sends them on to another process */
  serves(beginDraining: () => void): void {
    this.#servers.push(beginDraining);
  }

  /** Whether there is anything to drain. */
  get isServing(): boolean {
    return this.#servers.length > 0;
  }

  beginDraining(): void {
    for (const begin of this.#servers) begin();
  }

  async run(): Promise<void> {
    for (const action of this.#actions.toReversed()) await action().catch(() => undefined);
  }
}

/**
 * Runs named parts until SIGTERM or SIGINT, then ends them and closes the stores.
 * @param parts made from the stores; what throws here ends the process with its error
 */
export async function runProcess(
  name: string,
  parts: (services: Services, closing: Closing) => Promise<Record<string, Part>>,
): Promise<void> {
  const signal = stopSignal();
  const configuration = readConfiguration(process.env);
  const logger = createLogger(name, levelOf(name, configuration));
  // First of all: a process that waits for its stores is alive, and not ready.
  const watch = await openWatch(name, configuration, logger);
  const closing = new Closing();
  closing.add(watch.close);
  const tracing = await openTracing(name, configuration, logger);
  closing.add(tracing.close);
  try {
    const opened = await openServices(name, { signal });
    closing.add(opened.close);
    const services = tracing.over(watch.over(opened));
    const named = Object.entries(await unlessStopped(parts(services, closing), signal));
    const running = named.map(([part, run]) => ({ part, ended: supervise(part, run, logger, signal) }));
    watch.running(running.map(({ part }) => part));
    logger.info({ parts: running.map(({ part }) => part) }, 'running');
    await aborted(signal);
    watch.stopping();
    logger.info('stopping');
    await Promise.all([
      drain(closing, configuration, signal, logger),
      ...running.map(({ part, ended }) => withinGrace(ended, part, logger)),
    ]);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    logger.info(error.message);
  } finally {
    await withinGrace(closing.run(), 'closing', logger, closing.isServing ? GRACE + ANSWER_GRACE : GRACE);
  }
  // What did not end in time must not keep the process: everything durable is durable already.
  process.exit();
}

/**
 * Goes on answering until balancers have noticed that readiness fails. Not after Ctrl-C, and by default not on loopback,
 * where no balancer is.
 */
async function drain(
  closing: Closing,
  { DRAIN_SECONDS: seconds, HOST }: Pick<Configuration, 'DRAIN_SECONDS' | 'HOST'>,
  signal: AbortSignal,
  logger: Services['logger'],
): Promise<void> {
  if (!closing.isServing) return;
  closing.beginDraining();
  const wait = seconds ?? (isLoopback(HOST) ? 0 : DRAIN_SECONDS);
  if (wait === 0 || byKeyboard(signal)) return;
  logger.info({ seconds: wait }, 'draining: not ready any more, and still answering');
  await pause(wait * 1_000);
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function withinGrace(
  work: Promise<unknown>,
  what: string,
  logger: Services['logger'],
  grace = GRACE,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    logger.warn({ part: what }, `did not end within ${grace} ms and is left behind`);
    resolve();
  }, grace);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
