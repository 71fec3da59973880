/** The life of a process: open the stores, run the parts, stop cleanly. */
import { isLoopbackHost } from '../access/sign-in.ts';
import { pause } from '../log/backoff.ts';
import { Stopped } from '../operations/operator-errors.ts';
import { type Configuration, readConfiguration, removedSettings } from '../schemas/configuration.ts';
import { createLogger, levelOf } from './errors.ts';
import { openWatch } from './observe/observed-process.ts';
import { openServices, type Services, whenReachable } from './services.ts';
import { byKeyboard, type Part, stopSignal, supervise, unlessStopped } from './supervise.ts';

/** Milliseconds that a part has to stop after SIGTERM. */
const STOP_TIMEOUT = 5_000;
/** Milliseconds that requests in progress have after the port is closed. */
const RESPONSE_TIMEOUT = 10_000;
/** Default of `DRAIN_SECONDS`: seconds between failing readiness and closing the port, for load balancers to notice. */
const DRAIN_SECONDS = 5;

/** What to close at the end, the last opened first. */
export class Closing {
  readonly #actions: (() => Promise<unknown>)[] = [];
  readonly #servers: (() => void)[] = [];

  add(action: () => Promise<unknown>): void {
    this.#actions.push(action);
  }

  /** The process serves requests: it drains before it closes. @param beginDraining sends clients to another process */
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

  /** Closes everything; what fails is reported, and the rest is closed. Then nothing is open any more. */
  async run(report: (error: unknown) => void = () => undefined): Promise<void> {
    this.#servers.length = 0;
    for (const action of this.#actions.splice(0).reverse()) await action().catch(report);
  }
}

/**
 * Runs named parts until SIGTERM or SIGINT, then ends them and closes the stores.
 * @param parts made from the stores, again while a server is unreachable; what else throws here ends the process with its error
 */
export async function runProcess(
  name: string,
  parts: (services: Services, closing: Closing) => Promise<Record<string, Part>>,
): Promise<void> {
  const signal = stopSignal();
  const configuration = readConfiguration(process.env);
  const logger = createLogger(name, levelOf(name, configuration));
  for (const sentence of removedSettings(process.env)) logger.warn(sentence);
  // First, because a process that waits for its stores is alive but not ready.
  const watch = await openWatch(name, configuration, logger);
  const [closing, ofParts] = [new Closing(), new Closing()];
  const report = (error: unknown): void => logger.error({ err: error }, 'closing failed');
  closing.add(watch.close);
  try {
    const opened = await openServices(name, { signal, waits: true });
    closing.add(opened.close);
    const services = watch.over(opened);
    closing.add(() => ofParts.run(report));
    const make = () =>
      parts(services, ofParts).catch(async (error) => {
        await ofParts.run(report);
        throw error;
      });
    const named = Object.entries(await unlessStopped(whenReachable(make, logger, signal), signal));
    const running = named.map(([part, run]) => ({ part, ended: supervise(part, run, logger, signal) }));
    watch.running(running.map(({ part }) => part));
    logger.info({ parts: running.map(({ part }) => part) }, 'running');
    await aborted(signal);
    watch.stopping();
    logger.info('stopping');
    await Promise.all([
      drain(ofParts, configuration, signal, logger),
      ...running.map(({ part, ended }) => withinTimeout(ended, part, logger)),
    ]);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    logger.info(error.message);
  } finally {
    const timeout = ofParts.isServing ? STOP_TIMEOUT + RESPONSE_TIMEOUT : STOP_TIMEOUT;
    await withinTimeout(closing.run(report), 'closing', logger, timeout);
  }
  // What did not stop in time must not keep the process alive: everything durable is already stored.
  process.exit();
}

/**
 * Keeps serving until load balancers have noticed that readiness fails. Not after Ctrl-C, and by default not on loopback,
 * where there is no load balancer.
 */
async function drain(
  closing: Closing,
  { DRAIN_SECONDS: seconds, HOST }: Pick<Configuration, 'DRAIN_SECONDS' | 'HOST'>,
  signal: AbortSignal,
  logger: Services['logger'],
): Promise<void> {
  if (!closing.isServing) return;
  closing.beginDraining();
  const wait = seconds ?? (isLoopbackHost(HOST) ? 0 : DRAIN_SECONDS);
  if (wait === 0 || byKeyboard(signal)) return;
  logger.info({ seconds: wait }, 'draining: not ready, still serving');
  await pause(wait * 1_000);
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function withinTimeout(
  work: Promise<unknown>,
  what: string,
  logger: Services['logger'],
  timeout = STOP_TIMEOUT,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    logger.warn({ part: what }, `did not end within ${timeout} ms and is abandoned`);
    resolve();
  }, timeout);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
